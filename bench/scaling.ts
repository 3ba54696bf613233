import { placeInServices } from '../services/fabric/placement/placement.js';
import { planParts } from '../services/fabric/placement/part-plan.js';
import { fabricOf, permutation } from './fabrics.js';
import { inProcesses } from './in-processes.js';
import { median } from './measure.js';

// The model of docs/scaling.md: constants are measured with two loads of one small fabric, the wall
// time of others is predicted for 1, 2 and 4 services, and measured, one after the other in rounds.
//   npm run bench:scaling -- [ROUNDS]

const SERVICES = [1, 2, 4] as const;

/** Eight leaves, paced so that half of what the spines could carry is carried. */
function leafSpine(virtualUs: number): string {
  const text = permutation(4, virtualUs).replace('rate: 90G', 'rate: 45G');
  const fabric = 'generator: leaf-spine, leaves: 8, spines: 4, hostsPerLeaf: 4';
  return text.replace('generator: fat-tree, k: 4', fabric).replace('shift: 9', 'shift: 5');
}

/** Busy, and with so little to do that messages are almost all of it. */
const CALIBRATION = {
  busy: permutation(4, 2400),
  sparse: permutation(4, 2400).replace('rate: 90G', 'rate: 2G'),
};

const FABRICS = {
  'fat-tree k=8': permutation(8, 600),
  'leaf-spine 8 x 4': leafSpine(2000),
};

/** What a run in so many services is, before it is made. */
interface Plan {
  readonly services: number;
  /** Pairs of services with a link between them, both ways. */
  readonly channels: number;
  /** Virtual time in least lookaheads over a cut. */
  readonly lookaheads: number;
}

/** What it took. Processor seconds are those of main threads, and of all of the broker. */
interface Run extends Plan {
  readonly frameHops: number;
  readonly messages: number;
  readonly cpu: number;
  /** Processor seconds and those for which a processor was waited for, over the former. */
  readonly contention: number;
  readonly wall: number;
}

interface Constants {
  /** Processor seconds of a frame-hop, of a service's start, and of a message. */
  readonly hop: number;
  readonly service: number;
  readonly message: number;
  /** By the number of services: messages of a channel in a lookahead, and processes at work. */
  readonly messagesPerLookahead: ReadonlyMap<number, number>;
  readonly atWork: ReadonlyMap<number, number>;
}

function planOf(text: string, services: number): Plan {
  const fabric = fabricOf(text);
  const plans = planParts(fabric, placeInServices(fabric.topology, services));
  const channels = plans.flatMap((plan) => plan.channels);
  const least = channels.reduce((ps, { lookaheadOutPs }) => Math.min(ps, lookaheadOutPs), Infinity);
  const lookaheads = fabric.scenario.durationPs! / least;
  return { services, channels: channels.length, lookaheads };
}

/** The first quarter is not counted: it is spent on compiling. */
const SKIPPED = 0.25;

async function measure(text: string, services: number): Promise<Run> {
  const plan = planOf(text, services);
  const durationPs = fabricOf(text).scenario.durationPs!;
  const args = ['--services', `${services}`];
  const run = await inProcesses(text, services, args, SKIPPED * durationPs);
  const share = 1 - run.beganPs / durationPs;
  const all = Object.values(run.spent);
  const cpu = all.reduce((sum, one) => sum + one.cpu, 0);
  const queued = all.reduce((sum, one) => sum + one.queued, 0);
  return {
    ...plan,
    lookaheads: plan.lookaheads * share,
    frameHops: run.results.frameHops * share,
    messages: run.status.messages - run.messagesBefore,
    cpu,
    contention: (cpu + queued) / cpu,
    wall: run.wallMs / 1000,
  };
}

/** Hops and starts by runs of one service, messages by those of more. */
function constantsOf(busy: readonly Run[], sparse: readonly Run[]): Constants {
  const [one, idle] = [busy[0]!, sparse[0]!];
  const hop = (one.cpu - idle.cpu) / (one.frameHops - idle.frameHops);
  const rest = (run: Run): number => run.cpu - hop * run.frameHops;
  const several = [...busy, ...sparse].filter(({ services }) => services > 1);
  // Least squares of what is not hops: a + b, by services and by messages.
  const sum = (value: (run: Run) => number): number =>
    several.reduce((total, run) => total + value(run), 0);
  const [ss, sm, mm] = [
    sum((run) => run.services ** 2),
    sum((run) => run.services * run.messages),
    sum((run) => run.messages ** 2),
  ];
  const [sr, mr] = [sum((run) => run.services * rest(run)), sum((run) => run.messages * rest(run))];
  const determinant = ss * mm - sm ** 2;
  const means = (value: (run: Run) => number): Map<number, number> =>
    new Map(
      SERVICES.map((services) => {
        const runs = [...busy, ...sparse].filter((run) => run.services === services);
        return [services, runs.reduce((total, run) => total + value(run), 0) / runs.length];
      }),
    );
  return {
    hop,
    service: (sr * mm - mr * sm) / determinant,
    message: (mr * ss - sr * sm) / determinant,
    messagesPerLookahead: means((run) => run.messages / (run.channels * run.lookaheads)),
    atWork: means((run) => (run.cpu * run.contention) / run.wall),
  };
}

/** Processor seconds of a run with so many frame-hops. */
function work(plan: Plan, frameHops: number, constants: Constants, alone: number): number {
  const { services, channels, lookaheads } = plan;
  const { hop, service, message, messagesPerLookahead } = constants;
  if (services === 1) return hop * frameHops + alone;
  const messages = messagesPerLookahead.get(services)! * channels * lookaheads;
  return hop * frameHops + service * services + message * messages;
}

interface Compared {
  readonly fabric: string;
  readonly services: number;
  readonly predicted: number;
  readonly measured: number;
}

async function round(): Promise<Compared[]> {
  const compared: Compared[] = [];
  const runsOf = async (text: string): Promise<Run[]> => {
    const runs: Run[] = [];
    for (const services of SERVICES) {
      const run = await measure(text, services);
      process.stdout.write(`RAW ${JSON.stringify(run)}\n`);
      runs.push(run);
    }
    return runs;
  };
  const busy = await runsOf(CALIBRATION.busy);
  const sparse = await runsOf(CALIBRATION.sparse);
  const constants = constantsOf(busy, sparse);
  const alone = sparse[0]!.cpu - constants.hop * sparse[0]!.frameHops;
  show(constants, alone);
  for (const [fabric, text] of Object.entries(FABRICS)) {
    for (const run of await runsOf(text)) {
      const { services, frameHops, contention, wall: measured, cpu } = run;
      const seconds = work(run, frameHops, constants, alone);
      const predicted = (seconds * contention) / constants.atWork.get(services)!;
      compared.push({ fabric, services, predicted, measured });
      tell([fabric, services, `${seconds.toFixed(2)}/${cpu.toFixed(2)}`, predicted, measured]);
    }
  }
  return compared;
}

function show(
  { hop, service, message, messagesPerLookahead, atWork }: Constants,
  alone: number,
): void {
  const us = (seconds: number): string => `${(seconds * 1e6).toFixed(2)} us`;
  const each = (values: ReadonlyMap<number, number>): string =>
    SERVICES.map((services) => values.get(services)!.toFixed(2)).join(' ');
  process.stdout.write(
    `hop ${us(hop)}, start ${alone.toFixed(2)} s alone, ${service.toFixed(2)} s a service, ` +
      `message ${us(message)}, messages per lookahead ${each(messagesPerLookahead)}, ` +
      `at work ${each(atWork)}\n`,
  );
}

function tell(cells: readonly (string | number)[]): void {
  const text = cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(2) : cell));
  process.stdout.write(`${text.map((cell) => cell.padStart(18)).join('')}\n`);
}

const rounds = Number(process.argv[2] ?? 3);
const all: Compared[] = [];
tell(['fabric', 'services', 'CPU s model/run', 'wall s predicted', 'measured']);
for (let i = 0; i < rounds; i++) all.push(...(await round()));
for (const fabric of Object.keys(FABRICS)) {
  for (const services of SERVICES) {
    const those = all.filter((one) => one.fabric === fabric && one.services === services);
    const ratio = median(those.map(({ predicted, measured }) => predicted / measured));
    tell([
      fabric,
      services,
      'predicted/measured',
      ratio,
      Math.abs(ratio - 1) < 0.25 ? 'met' : 'MISSED',
    ]);
  }
}
