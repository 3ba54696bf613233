import type { Fabric } from '../fabric/assembly/fabric.js';
import { planPartitions } from '../fabric/placement/partition-plan.js';
import { placeInServices } from '../fabric/placement/parts.js';
import type { LoadedScenario } from '../fabric/scenario/load-scenario.js';
import { LiveSession } from '../live/live-session.js';
import type { DeepSummary } from '../oracle/verdict.js';
import type { RunRecord } from '../report/run-directory.js';
import { LiveFaults } from '../runtime/live-faults.js';
import type { MergedRun } from '../runtime/merge.js';
import type { Session } from '../runtime/session.js';
import type { SkipPace } from '../runtime/skipping/skipper.js';
import type { SkippingResult } from '../runtime/skipping/skipping.js';
import type { ThreadsRun } from '../runtime/threads/run-threads.js';
import type { RunMetrics } from '../telemetry/metrics/run-metrics.js';
import type { WholeState } from '../runtime/whole-state.js';

/** Results of a run, whichever runner executed it. */
export type Measured = Pick<RunRecord, 'results' | 'series' | 'state'> &
  Pick<MergedRun, 'congestion' | 'hops' | 'captures' | 'events' | 'steps' | 'operations'> &
  Pick<RunMetrics, 'runtime'> & {
    /** What the second oracle judged; null or absent: it did not run. */
    readonly deep?: DeepSummary | null;
    /** What was skipped; null or absent: every event was executed. */
    readonly skipping?: SkippingResult | null;
    /** What real hosts sent, until the run directory has it; absent: there were none. */
    readonly inputs?: { readonly file: string; remove(): void };
  };

/** Wall-clock time between two calls of `progressed`: short enough for a prompt Ctrl-C. */
const PROGRESS_MS = 40;

/** How a run in this thread goes from its first event to its last. */
type Drive = (run: LiveSession, progressed: () => void) => ReturnType<LiveSession['drive']>;

const AT_ONCE: Drive = (run, progressed) => run.drive(PROGRESS_MS, progressed);

interface Start {
  readonly loaded: LoadedScenario;
  readonly fabric: Fabric;
  /** Null: at the beginning. */
  readonly from: WholeState | null;
  readonly check: boolean;
  /** Check that devices change no rows of each other; only in one thread. */
  readonly checkRows?: boolean;
  /** Recompute from the wires what devices should do; only in one thread. */
  readonly deep?: boolean;
  /** Skip what repeats; only in one thread. */
  readonly skips?: SkipPace | null;
  /** It waits until it is resumed. */
  readonly paused: boolean;
}

/** Observes a run from before its first event to after its last. */
export interface Attendant {
  /** Called periodically during the run. */
  progressed(): void;
  /** Called once, whether the run ended or threw. */
  close(): void | Promise<void>;
}

/** Executes a run in this thread. */
export async function runInProcess(
  { loaded, fabric, from, check, checkRows = false, deep = false, skips = null, paused }: Start,
  attend: (run: LiveSession, session: Session) => Attendant | Promise<Attendant>,
  drive = AT_ONCE,
): Promise<Measured> {
  const { Session } = await import('../runtime/session.js');
  const session = new Session(fabric, { check, checkRows, deep, skips });
  if (from !== null) session.restore(from);
  const run = new LiveSession(session, new LiveFaults(loaded, fabric), paused);
  const attendant = await attend(run, session);
  const progressed = (): void => {
    attendant.progressed();
  };
  let status: 'complete' | 'interrupted';
  try {
    status = await drive(run, progressed);
  } finally {
    await attendant.close();
  }
  const results = session.results(status);
  const state = results.status === 'interrupted' ? session.save() : null;
  const recorded = {
    congestion: session.congestion(),
    hops: session.hops(),
    captures: session.captures(),
    events: session.events(),
    deep: session.deepSummary(),
    skipping: session.skipping(),
  };
  return { results, series: session.series(), state, steps: run.live.steps, ...recorded };
}

/** Executes a run in so many threads of this process. */
export async function runInThreads(
  { loaded, fabric, from, check, paused }: Start,
  threads: number,
  attend: (run: ThreadsRun) => Attendant | Promise<Attendant>,
): Promise<Measured> {
  const { ThreadsRun } = await import('../runtime/threads/run-threads.js');
  const { CycleCheck } = await import('../runtime/checks/cycle-check.js');
  const jams = check && CycleCheck.isWanted(fabric);
  const plans = planPartitions(fabric, placeInServices(fabric, threads), jams);
  const live = new LiveFaults(loaded, fabric);
  const run = new ThreadsRun(fabric, plans, { check, from, live });
  const attendant = await attend(run);
  if (paused) run.controller.pause();
  const timer = setInterval(() => {
    attendant.progressed();
  }, PROGRESS_MS);
  try {
    const { rows, ...merged } = await run.run();
    return { ...merged, series: { rows } };
  } finally {
    clearInterval(timer);
    await attendant.close();
  }
}
