import type { SamplingSpec } from '../../engine/analysis/trace/frame-sampler.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { markOf } from '../../fabric/assembly/observer-plan.js';
import { didYouMean, listed, unknownName } from '../../settings/errors.js';
import type { Step } from '../../jobs/graph.js';
import { flowsOnPath, whyJob } from '../../report/jobs/job-why.js';
import { jobWhyText } from '../../report/jobs/job-why-text.js';
import { flowWhyText, nothingArrivedText, whyFlow } from '../../report/flow-why.js';
import { remediesText } from '../../report/remedies.js';
import type { StoredRun } from '../../report/run-directory.js';
import { whyText } from '../../report/why-text.js';
import type { Why } from '../../report/why.js';
import { whyOf, whySummary } from '../../report/why.js';
import type { FrameTrace } from '../../telemetry/traces/frame-trace.js';
import { frameTraces } from '../../telemetry/traces/frame-traces.js';
import { prepareEngine } from '../../runtime/engine-flags.js';
import type { RepeatedRun } from '../../runtime/repeat-run.js';
import { repeatRun } from '../../runtime/repeat-run.js';
import { EXIT, InputError } from '../exit.js';
import { styleFor } from '../style.js';
import { sameScenario, storedRun } from './resume.js';
import { whySkipping } from './why-skipping.js';
import { tryRemedies } from './why-try.js';

export interface WhyOptions {
  readonly flow?: string;
  readonly job?: string;
  readonly step?: string;
  readonly all?: boolean;
  readonly json?: boolean;
  /** What was skipped, or kept it from that. */
  readonly skipping?: boolean;
  /** Runs it again with what might help. */
  readonly try?: boolean;
}

/** Flows that an error names. */
const FLOWS_NAMED = 3;

/** Prints the congestion of a run; what was not recorded is recorded by repeating the run. */
export function whyCommand(run: string, options: WhyOptions): number {
  prepareEngine();
  const stored = storedRun(run);
  if (options.skipping === true) {
    const other = (['flow', 'job', 'step', 'all', 'try'] as const).find((key) => key in options);
    if (other !== undefined) throw new InputError(`both --skipping and --${other}: give one`);
    return whySkipping(run, stored, options.json === true);
  }
  if (options.flow !== undefined && options.job !== undefined) {
    throw new InputError('both --flow and --job: give one of them');
  }
  if (options.step !== undefined && options.job === undefined) {
    throw new InputError('--step is a collective of a job: name that with --job');
  }
  if (options.job !== undefined) return whyOneJob(run, stored, options.job, options);
  if (options.flow !== undefined) return whyOneFlow(run, stored, options.flow, options);
  const why = stored.why ?? whySummary(observeAgain(run, stored).why);
  const style = styleFor(process.stdout);
  if (options.json !== true) {
    process.stdout.write(`${whyText(why, style, options.all === true)}\n`);
  }
  const remedies = options.try === true ? tryRemedies(run, stored, why) : null;
  if (options.json === true) {
    const whole = options.try === true ? { ...why, remedies } : why;
    process.stdout.write(`${JSON.stringify(whole, null, 2)}\n`);
  } else if (remedies !== null) process.stdout.write(`\n${remediesText(remedies, style)}\n`);
  return EXIT.COMPLETE;
}

function whyOneFlow(run: string, stored: StoredRun, wanted: string, options: WhyOptions): number {
  const { fabric } = sameScenario(run, stored);
  const flow = flowNamed(fabric, wanted);
  const spec = { share: 1, priorities: 0xff, flows: [markOf(fabric, flow)], named: [] };
  const sampling = { ...spec, slowest: 0, dropped: false };
  const repeated = again(run, stored, fabric, sampling);
  const result = repeated.results.flows[flow]!;
  const why = whyFlow(fabric, result, repeated);
  if (why === null) {
    if (result.cause === null || result.lastArrivalPs !== null) {
      throw new InputError(`no frame of ${result.name} has arrived in a trace`);
    }
    const { name, source, destination, cause } = result;
    const silent = { flow, name, source, destination, isComplete: false, cause, shares: [] };
    process.stdout.write(
      options.json === true
        ? `${JSON.stringify(silent, null, 2)}\n`
        : `${nothingArrivedText(result, styleFor(process.stdout))}\n`,
    );
    return EXIT.COMPLETE;
  }
  if (options.json === true) process.stdout.write(`${JSON.stringify(why, null, 2)}\n`);
  else process.stdout.write(`${flowWhyText(why, styleFor(process.stdout))}\n`);
  return EXIT.COMPLETE;
}

function whyOneJob(run: string, stored: StoredRun, wanted: string, options: WhyOptions): number {
  const { fabric } = sameScenario(run, stored);
  const names = fabric.jobs.map(({ job }) => job.name);
  if (!names.includes(wanted)) throw new InputError(`--job: ${unknownName('job', wanted, names)}`);
  const untilPs = stored.state?.boundPs ?? null;
  const { operations } = repeatRun(fabric, untilPs, null).results;
  const { graph } = fabric.jobs.find(({ job }) => job.name === wanted)!.job;
  const step = options.step === undefined ? null : stepNamed(graph.steps, options.step);
  const flows = flowsOnPath(
    operations.filter(({ job }) => job === wanted),
    step,
  );
  const marks = flows.map((flow) => markOf(fabric, flow));
  const spec = { share: 1, priorities: 0xff, flows: marks, named: [] };
  const repeated = again(run, stored, fabric, { ...spec, slowest: 0, dropped: false });
  const job = repeated.results.jobs.find((one) => one.job === wanted)!;
  const why = whyJob(fabric, job, repeated, step);
  const text =
    options.json === true
      ? JSON.stringify(why, null, 2)
      : jobWhyText(why, styleFor(process.stdout), options.all === true);
  process.stdout.write(`${text}\n`);
  return EXIT.COMPLETE;
}

/** A collective by its number in the job, as `operations.csv` has it. */
function stepNamed(steps: readonly Step[], wanted: string): number {
  const step = Number(wanted);
  if (/^\d+$/.test(wanted) && step < steps.length) return step;
  const last = steps.length - 1;
  const some = steps.slice(0, FLOWS_NAMED).map(({ kind }, number) => `${number} (${kind})`);
  const there = last < 0 ? 'the job has none' : `they are 0 to ${last}: ${listed(some)}`;
  throw new InputError(`--step ${wanted}: no collective of that number; ${there}`);
}

/** A flow by its number, its name, or as the only one of a load or between two hosts. */
function flowNamed({ flows, scenario }: Fabric, wanted: string): number {
  const names = flows.map(({ name }) => name);
  const flow = /^\d+$/.test(wanted) ? Number(wanted) : names.indexOf(wanted);
  if (flows[flow] !== undefined) return flow;
  const fitting = [...flows.keys()].filter((place) => {
    const { name, load } = flows[place]!;
    return scenario.load[load]?.name === wanted || name.split('/').at(-1) === wanted;
  });
  if (fitting.length === 1) return fitting[0]!;
  if (fitting.length > 1) {
    const some = fitting.slice(0, FLOWS_NAMED).map((place) => names[place]!);
    throw new InputError(
      `--flow ${wanted}: ${fitting.length} flows are called so; name one, as ${listed(some)}`,
    );
  }
  const loads = scenario.load.map(({ name }) => name);
  throw new InputError(
    `--flow ${wanted}: there is no such flow; they are 0 to ${flows.length - 1}` +
      didYouMean(wanted, [...names, ...loads]),
  );
}

/** A run as it is seen when it is repeated: what blocked it, and some of its frames. */
interface ObservedAgain {
  readonly why: Why;
  readonly traces: Iterable<FrameTrace>;
}

/** `share`: of frames that are followed. */
export function observeAgain(run: string, stored: StoredRun, share = 0): ObservedAgain {
  const { fabric } = sameScenario(run, stored);
  const sampling = { share, priorities: 0xff, flows: null, named: [], slowest: 0, dropped: false };
  const { results, congestion, hops } = again(run, stored, fabric, sampling);
  const traces = frameTraces(fabric, hops, results.virtualPs);
  return { why: whyOf(fabric, results, congestion), traces };
}

function again(
  run: string,
  stored: StoredRun,
  fabric: Fabric,
  sampling: SamplingSpec | null,
): RepeatedRun {
  const repeated = repeatRun(fabric, stored.state?.boundPs ?? null, sampling);
  if (repeated.results.digest !== stored.digest) {
    throw new InputError(
      `${run} cannot be repeated from its scenario (a branch, or another version of selvage): ` +
        'run it with --set observe.episodes=true',
    );
  }
  return repeated;
}
