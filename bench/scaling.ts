import { placeInServices } from '../services/fabric/placement/parts.js';
import { planPartitions } from '../services/fabric/placement/partition-plan.js';
import { fabricOf, permutation } from './fabrics.js';
import { aloneMs, inProcesses, roundTripUs } from './in-processes.js';
import { median } from './measure.js';
import { barrierNow, predictions } from './nodes.js';

// The model of bench/README.md: constants are measured with two loads of one small fabric, the wall
// time of others is predicted for 1, 2 and 4 services, and measured, all in turn, in rounds. What
// nodes of eight cores would make of k=16 and k=32 is computed from the same constants.
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
  busy: permutation(4, 4000),
  sparse: permutation(4, 4000).replace('rate: 90G', 'rate: 2G'),
};

const FABRICS = {
  'fat-tree k=8': permutation(8, 1500),
  'leaf-spine 8 x 4': leafSpine(4000),
};

/** What a run in so many services is, before it is made. */
interface Plan {
  readonly services: number;
  /** Pairs of services with a link between them, both ways. */
  readonly channels: number;
  /** Share of links that are cut. */
  readonly cut: number;
  /** Virtual time in least lookaheads over a cut. */
  readonly lookaheads: number;
}

/** What it took. Processor seconds are those of main threads, and of all of the broker. */
interface Run extends Plan {
  readonly virtualUs: number;
  readonly frameHops: number;
  readonly messages: number;
  readonly cpu: number;
  /** Seconds for which a processor was waited for. */
  readonly queued: number;
  readonly wall: number;
}

/** In processor seconds: of waking up to go on, and of a message. */
interface StepCosts {
  readonly step: number;
  readonly message: number;
}

/** In processor seconds. */
interface Constants extends StepCosts {
  /** By so much a hop costs more while another process is at work beside it. */
  readonly crowding: number;
  /** Of a frame in a message, from sender to receiver. */
  readonly frame: number;
  /** By the number of services: steps in a lookahead where there is little to do. */
  readonly leastSteps: readonly number[];
  /** Of a service that has one frame-hop in a lookahead; it takes more steps the more it has. */
  readonly stepsPerHop: number;
  /** By the number of services: how many processes are at work at a time. */
  readonly atWork: readonly number[];
}

/** A service makes no more steps in a lookahead (`runtime/partition/pace`). */
const MOST_STEPS = 1;

function planOf(text: string, services: number): Plan {
  const fabric = fabricOf(text);
  const plans = planPartitions(fabric, placeInServices(fabric, services));
  const channels = plans.flatMap((plan) => plan.channels);
  const least = channels.reduce((ps, { lookaheadOutPs }) => Math.min(ps, lookaheadOutPs), Infinity);
  const lookaheads = fabric.scenario.durationPs! / least;
  const ends = channels.reduce((sum, { outPorts }) => sum + outPorts.length, 0);
  const cut = ends / (2 * fabric.topology.links.length);
  return { services, channels: channels.length, cut, lookaheads };
}

const PS_PER_US = 1e6;
/** So much of a run is not counted: it is spent on compiling. */
const SKIPPED = 0.4;

async function measure(text: string, services: number): Promise<Run> {
  const plan = planOf(text, services);
  const durationPs = fabricOf(text).scenario.durationPs!;
  const args = ['--services', `${services}`];
  const run = await inProcesses(text, services, args, SKIPPED * durationPs);
  const share = 1 - run.beganPs / durationPs;
  const all = Object.values(run.spent);
  return {
    ...plan,
    virtualUs: (share * durationPs) / PS_PER_US,
    lookaheads: plan.lookaheads * share,
    frameHops: run.results.frameHops * share,
    messages: run.status.messages - run.messagesBefore,
    cpu: all.reduce((sum, one) => sum + one.cpu, 0),
    queued: all.reduce((sum, one) => sum + one.queued, 0),
    wall: run.wallMs / 1000,
  };
}

/** Runs of one kind as if they were one long run: what disturbed one of them weighs less. */
function together(runs: readonly Run[]): Run {
  const sum = (value: (run: Run) => number): number =>
    runs.reduce((total, run) => total + value(run), 0);
  return {
    ...runs[0]!,
    virtualUs: sum((run) => run.virtualUs),
    lookaheads: sum((run) => run.lookaheads),
    frameHops: sum((run) => run.frameHops),
    messages: sum((run) => run.messages),
    cpu: sum((run) => run.cpu),
    queued: sum((run) => run.queued),
    wall: sum((run) => run.wall),
  };
}

/** Of all services together: with every step, one sends to all that it has links to. */
function stepsOf({ messages, channels, services }: Run): number {
  return channels === 0 ? 0 : (messages * services) / channels;
}

function stepsPerLookahead(run: Run): number {
  return stepsOf(run) / (run.services * run.lookaheads);
}

function hopsPerLookahead({ frameHops, services, lookaheads }: Run): number {
  return frameHops / (services * lookaheads);
}

/** How many processors all would have kept busy, had they not waited for each other's. */
function atWorkIn({ cpu, queued, wall }: Run): number {
  return (cpu + queued) / wall;
}

/** Each of one, two and four services. */
function constantsOf(busy: readonly Run[], sparse: readonly Run[], crowding: number): Constants {
  const hop = crowding * hopOf(busy[0]!);
  const rest = (run: Run): number => run.cpu - hop * run.frameHops;
  const { step, message } = ofSteps(sparse[0]!, sparse[1]!, rest);
  const crowded = together(busy.slice(1));
  const crossing = busy.slice(1).reduce((sum, run) => sum + run.cut * run.frameHops, 0);
  const steps = busy.slice(1).reduce((sum, run) => sum + stepsOf(run), 0);
  return {
    crowding,
    step,
    message,
    // What is measured scatters, but nothing costs less than nothing.
    frame: Math.max(0, rest(crowded) - step * steps - message * crowded.messages) / crossing,
    leastSteps: [0, ...sparse.map(stepsPerLookahead)],
    stepsPerHop: stepsPerLookahead(busy[1]!) / hopsPerLookahead(busy[1]!),
    atWork: busy.map((run, i) => atWorkIn(i === 0 ? run : together([run, sparse[i - 1]!]))),
  };
}

/**
 * With almost no frames, steps and messages are all that there is: two runs, two unknowns. Both
 * scatter, but neither costs less than nothing: then the other has all of it.
 */
function ofSteps(two: Run, four: Run, rest: (run: Run) => number): StepCosts {
  const determinant = stepsOf(two) * four.messages - stepsOf(four) * two.messages;
  const step = (rest(two) * four.messages - rest(four) * two.messages) / determinant;
  const message = (rest(four) * stepsOf(two) - rest(two) * stepsOf(four)) / determinant;
  const all = rest(two) + rest(four);
  if (message < 0) return { step: all / (stepsOf(two) + stepsOf(four)), message: 0 };
  if (step < 0) return { step: 0, message: all / (two.messages + four.messages) };
  return { step, message };
}

function hopOf({ cpu, frameHops }: Run): number {
  return cpu / frameHops;
}

/** Steps of a service in a lookahead. */
function stepsExpected(run: Run, least: number, { stepsPerHop }: Constants): number {
  return Math.max(least, Math.min(MOST_STEPS, stepsPerHop * hopsPerLookahead(run)));
}

/** Processor seconds of a run, of which nothing but its plan and its frame-hops are looked at. */
function work(run: Run, hop: number, least: number, constants: Constants): number {
  const { services, channels, cut, lookaheads, frameHops } = run;
  const { crowding, step, message, frame } = constants;
  if (services === 1) return hop * frameHops;
  const steps = stepsExpected(run, least, constants) * lookaheads;
  return (
    (hop * crowding + frame * cut) * frameHops + (step * services + message * channels) * steps
  );
}

/** What is run, and in how many services one after the other. */
interface Load {
  readonly text: string;
  readonly turns: readonly number[];
}

const LOADS: Readonly<Record<string, Load>> = {
  busy: { text: CALIBRATION.busy, turns: SERVICES },
  // Alone, it would be over before a first sample.
  sparse: { text: CALIBRATION.sparse, turns: SERVICES.slice(1) },
  // First in one process, from which the cost of a hop is known beforehand.
  ...Object.fromEntries(
    Object.entries(FABRICS).map(([name, text]) => [name, { text, turns: [1, ...SERVICES] }]),
  ),
};

/** By name of the load and turn: the runs of all rounds. */
async function runAll(rounds: number): Promise<Record<string, Run[]>> {
  const loads = Object.entries(LOADS).map(([name, { text, turns }]) => {
    return { name, text, turns: turns.map((services) => ({ services, runs: [] as Run[] })) };
  });
  for (let round = 0; round < rounds; round++) {
    for (const { name, text, turns } of loads) {
      for (const { services, runs } of turns) {
        process.stderr.write(`\rround ${round + 1} of ${rounds}: ${name}, ${services}\x1b[K`);
        runs.push(await measure(text, services));
      }
    }
  }
  process.stderr.write('\r\x1b[K');
  return Object.fromEntries(
    loads.map(({ name, turns }) => [name, turns.map(({ runs }) => together(runs))]),
  );
}

function show({ crowding, step, message, frame, ...rest }: Constants): void {
  const { leastSteps, stepsPerHop, atWork } = rest;
  const each = (values: readonly number[]): string =>
    values
      .slice(1)
      .map((value) => value.toFixed(2))
      .join(' and ');
  process.stdout.write(
    `a hop beside another process ${crowding.toFixed(2)} times, ` +
      `a step ${(step * 1e3).toFixed(3)} ms, a message ${(message * 1e3).toFixed(3)} ms, ` +
      `a frame in it ${(frame * 1e6).toFixed(2)} us; two and four services: steps in a lookahead ` +
      `${each(leastSteps)} at least, ${(stepsPerHop * 1e3).toFixed(2)} for 1000 hops; ` +
      `at work ${each(atWork)}\n`,
  );
}

function tell(cells: readonly string[]): void {
  process.stdout.write(`${cells.map((cell) => cell.padStart(18)).join('')}\n`);
}

/** A run of about as long as those that are predicted. */
const ALONE_US = 1500;

async function crowdingNow(): Promise<number> {
  return (await aloneMs(2, ALONE_US)) / (await aloneMs(1, ALONE_US));
}

const rounds = Number(process.argv[2] ?? 3);
const crowded: number[] = [];
for (let round = 0; round < rounds; round++) crowded.push(await crowdingNow());
const runs = await runAll(rounds);
const constants = constantsOf(runs['busy']!, runs['sparse']!, median(crowded));
show(constants);
tell(['fabric', 'services', 'us a hop', 'steps: model/run', 'CPU s', 'wall s', 'model/run']);
for (const fabric of Object.keys(FABRICS)) {
  const [beforehand, ...found] = runs[fabric]!;
  const hop = hopOf(beforehand!);
  for (const [i, run] of found.entries()) {
    const least = constants.leastSteps[i]!;
    const seconds = work(run, hop, least, constants);
    const contention = (run.cpu + run.queued) / run.cpu;
    const wall = (seconds * contention) / constants.atWork[i]!;
    const ratio = wall / run.wall;
    const both = (model: number, own: number): string => `${model.toFixed(2)} / ${own.toFixed(2)}`;
    tell([
      fabric,
      `${run.services}`,
      (hop * 1e6).toFixed(2),
      i === 0 ? '' : both(stepsExpected(run, least, constants), stepsPerLookahead(run)),
      both(seconds, run.cpu),
      both(wall, run.wall),
      `${ratio.toFixed(2)} ${Math.abs(ratio - 1) <= 0.25 ? 'met' : 'MISSED'}`,
    ]);
  }
}

/** Virtual time of the run from which the cost and the number of hops of large fabrics come. */
const LARGE_US = 300;
const HOSTS_OF_16 = 1024;
const UNMEASURED =
  'computed, not measured: windows of nodes of eight cores, one service each, over one process; ' +
  'not in it: caches and memory of eight busy cores, the main thread of a service, a network';

const large = await measure(permutation(16, LARGE_US), 1);
const ofNodes = {
  ...{ step: constants.step, message: constants.message, frame: constants.frame },
  hop: hopOf(large),
  crowding: constants.crowding,
  hopsPerHost: large.frameHops / (large.virtualUs * HOSTS_OF_16),
  barrier: await barrierNow(),
  latency: (await roundTripUs()) / 2e6,
};
const measured = [
  `a hop of k=16 ${(ofNodes.hop * 1e6).toFixed(2)} us`,
  `${ofNodes.hopsPerHost.toFixed(0)} hops of a host in a us`,
  `a window of two threads without hops ${(ofNodes.barrier * 1e3).toFixed(4)} ms`,
  `over the broker ${(ofNodes.latency * 1e3).toFixed(3)} ms`,
];
process.stdout.write(`\nmeasured, too: ${measured.join(', ')}\n${UNMEASURED}\n`);
if (constants.message === 0) {
  process.stdout.write(
    'a message cost nothing above its scatter: the speed-up is an upper bound\n',
  );
}
tell(['fabric', 'nodes', 'peers', 'links cut', 'engine, ms', 'messages, ms', 'speed-up']);
for (const k of [16, 32]) for (const cells of predictions(k, ofNodes)) tell(cells);
