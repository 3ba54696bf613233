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
  /** Processor seconds of waking up to go on, and of a message from its sender to its receiver. */
  readonly step: number;
  readonly message: number;
  /** By the number of services: steps in a lookahead where there is little to do. */
  readonly leastSteps: ReadonlyMap<number, number>;
  /** Of a service that has one frame-hop in a lookahead; it takes more steps the more it has. */
  readonly stepsPerHop: number;
  /** By the number of services: how many processes are at work at a time. */
  readonly atWork: ReadonlyMap<number, number>;
}

/** A service makes no more steps in a lookahead (`runtime/part/pace`). */
const MOST_STEPS = 1;

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

/** Of all services together: with every step, one tells all its neighbours. */
function stepsOf({ messages, channels, services }: Run): number {
  return channels === 0 ? 0 : (messages * services) / channels;
}

function stepsPerLookahead(run: Run): number {
  return stepsOf(run) / (run.services * run.lookaheads);
}

function hopsPerLookahead({ frameHops, services, lookaheads }: Run): number {
  return frameHops / (services * lookaheads);
}

function constantsOf(busy: readonly Run[], sparse: readonly Run[]): Constants {
  const both = [...busy, ...sparse];
  const hop = hopOf(busy[0]!);
  // Least squares of what hops do not explain.
  const sum = (value: (run: Run) => number): number =>
    both.reduce((total, run) => total + value(run), 0);
  const rest = (run: Run): number => run.cpu - hop * run.frameHops;
  const [ss, mm] = [sum((run) => stepsOf(run) ** 2), sum((run) => run.messages ** 2)];
  const sm = sum((run) => stepsOf(run) * run.messages);
  const sr = sum((run) => stepsOf(run) * rest(run));
  const mr = sum((run) => run.messages * rest(run));
  const determinant = ss * mm - sm ** 2;
  const byServices = (runs: readonly Run[], value: (run: Run) => number): Map<number, number> =>
    new Map(
      SERVICES.map((services) => {
        const those = runs.filter((run) => run.services === services);
        return [services, those.reduce((total, run) => total + value(run), 0) / those.length];
      }),
    );
  const two = busy.find(({ services }) => services === 2)!;
  return {
    step: (sr * mm - mr * sm) / determinant,
    message: (mr * ss - sr * sm) / determinant,
    leastSteps: byServices(sparse, stepsPerLookahead),
    stepsPerHop: stepsPerLookahead(two) / hopsPerLookahead(two),
    atWork: byServices(both, (run) => (run.cpu * run.contention) / run.wall),
  };
}

function hopOf({ cpu, frameHops }: Run): number {
  return cpu / frameHops;
}

/** Processor seconds of a run, of which nothing but its plan and its frame-hops are looked at. */
function work(run: Run, hop: number, constants: Constants): number {
  const { services, channels, lookaheads, frameHops } = run;
  const { step, message, leastSteps, stepsPerHop } = constants;
  if (services === 1) return hop * frameHops;
  const wanted = stepsPerHop * hopsPerLookahead(run);
  const steps = Math.max(leastSteps.get(services)!, Math.min(MOST_STEPS, wanted)) * lookaheads;
  return hop * frameHops + (step * services + message * channels) * steps;
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
    for (const services of SERVICES) runs.push(await measure(text, services));
    return runs;
  };
  const constants = constantsOf(await runsOf(CALIBRATION.busy), await runsOf(CALIBRATION.sparse));
  show(constants);
  for (const [fabric, text] of Object.entries(FABRICS)) {
    // The cost of a hop in this fabric: as found by one process, beforehand.
    const hop = hopOf(await measure(text, 1));
    for (const run of await runsOf(text)) {
      const { services, contention, wall: measured, cpu } = run;
      const seconds = work(run, hop, constants);
      const predicted = (seconds * contention) / constants.atWork.get(services)!;
      compared.push({ fabric, services, predicted, measured });
      const found = `${seconds.toFixed(2)} / ${cpu.toFixed(2)}`;
      const cost = (hop * 1e6).toFixed(2);
      tell([fabric, services, cost, found, contention, predicted, measured]);
    }
  }
  return compared;
}

function show({ step, message, leastSteps, stepsPerHop, atWork }: Constants): void {
  const each = (values: ReadonlyMap<number, number>): string =>
    SERVICES.slice(1)
      .map((services) => values.get(services)!.toFixed(2))
      .join(' and ');
  process.stdout.write(
    `two and four services: a step ${(step * 1e3).toFixed(2)} ms, ` +
      `a message ${(message * 1e3).toFixed(2)} ms; ` +
      `steps in a lookahead ${each(leastSteps)} at least, ` +
      `${(stepsPerHop * 1e3).toFixed(2)} for 1000 hops; at work ${each(atWork)}\n`,
  );
}

function tell(cells: readonly (string | number)[]): void {
  const text = cells.map((cell) =>
    typeof cell === 'string' ? cell : cell.toFixed(Number.isInteger(cell) ? 0 : 2),
  );
  process.stdout.write(`${text.map((cell) => cell.padStart(17)).join('')}\n`);
}

const rounds = Number(process.argv[2] ?? 3);
const all: Compared[] = [];
const CPU = 'CPU s: model / run';
tell(['fabric', 'services', 'us a hop', CPU, 'contention', 'wall s: model', 'run']);
for (let i = 0; i < rounds; i++) all.push(...(await round()));
for (const fabric of Object.keys(FABRICS)) {
  for (const services of SERVICES) {
    const those = all.filter((one) => one.fabric === fabric && one.services === services);
    const ratio = median(those.map(({ predicted, measured }) => predicted / measured));
    tell([fabric, services, 'model / run', ratio, Math.abs(ratio - 1) <= 0.25 ? 'met' : 'MISSED']);
  }
}
