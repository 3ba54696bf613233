import { selvage } from '#contracts';
import type { MergedRun } from '../../runtime/merge.js';
import type { ProgressLine } from '../progress.js';
import type { FleetOptions } from './fleet.js';
import { Fleet } from './fleet.js';
import { InfrastructureBreaker } from './infrastructure.js';
import { EXIT } from '../exit.js';
import { interruptedExit, noteSignal } from '../interruption.js';
import { JobEvents } from './job-events.js';
import { isOver, showStatus } from './phases.js';
import { killPod, StruckFile } from './pod-breaker.js';
import { Replacer } from './replacer.js';

const { Phase } = selvage.v1.RunStatus;
const { Action } = selvage.v1.SteerRequest;

/** A service that does not return is replaced after this part of the patience. */
const PATIENCE_SHARE = 4;

/** The infrastructure failed, and there are no results; the message has the loss. */
class InfrastructureError extends Error {}

/** Runs a scenario in processes of its own, to the end or until it is interrupted. */
export async function runDistributed(
  options: FleetOptions,
  progress: ProgressLine,
  launched: (fleet: Fleet) => void | Promise<void> = () => undefined,
  onStatus: (status: selvage.v1.RunStatus) => void = () => undefined,
): Promise<MergedRun> {
  let fell: (error: Error) => void = () => undefined;
  const fallen = new Promise<never>((_, reject) => {
    fell = reject;
  });
  fallen.catch(() => undefined);
  const fleet: Fleet = await Fleet.launch(options, () => {
    fell(new InfrastructureError(fleet.failure ?? 'a process ended'));
  });
  const removeHandlers = options.elsewhere === null ? onInterrupt(fleet) : onEviction(fleet);
  const breaker = breakerOf(fleet, options);
  const events = options.elsewhere === null ? null : JobEvents.ofPod();
  const replacer = new Replacer(fleet, (options.patienceSeconds * 1000) / PATIENCE_SHARE);
  try {
    await launched(fleet);
    const follow = (): Promise<selvage.v1.RunStatus> =>
      fleet.client.follow(
        (status) => {
          onStatus(status);
          breaker.onStatus(status);
          events?.onStatus(status);
          replacer.observe(status);
          showStatus(progress, status);
        },
        isOver,
        options.patienceSeconds * 1000,
      );
    for (;;) {
      const { phase, detail } = await Promise.race([follow(), fallen]);
      if (phase === Phase.PHASE_FAILED) throw new InfrastructureError(detail);
      const merged = await fleet.client.results();
      // The next coordinator has them from the store, or executes the rest of the run again.
      if (merged !== null) return merged;
    }
  } finally {
    progress.clear();
    removeHandlers();
    breaker.close();
    replacer.close();
    await events?.close();
    await fleet.close();
  }
}

/** Breaks processes of this machine; or pods, where the environment says so. */
function breakerOf(fleet: Fleet, { infrastructure }: FleetOptions): InfrastructureBreaker {
  const { SELVAGE_STRUCK: file } = process.env;
  if (file === undefined) return new InfrastructureBreaker(fleet, infrastructure);
  const signal = (name: string): void => {
    killPod(name).catch((error: unknown) => {
      process.stderr.write(`infrastructure: ${(error as Error).message}\n`);
    });
  };
  return new InfrastructureBreaker(
    { client: fleet.client, signal },
    infrastructure,
    new StruckFile(file),
  );
}

/** Ctrl-C makes the coordinator end the run; a second one ends everything. */
function onInterrupt(fleet: Fleet): () => void {
  const leave = (reason: string): void => {
    process.stderr.write(`interrupted, and nothing of the run is kept: ${reason}\n`);
    void fleet.close().finally(() => process.exit(interruptedExit()));
  };
  const ask = (signal: NodeJS.Signals): void => {
    if (!noteSignal(signal)) leave('a second signal came');
    fleet.client.steer(Action.ACTION_STOP).catch((error: unknown) => {
      leave((error as Error).message);
    });
  };
  process.on('SIGINT', ask).on('SIGTERM', ask);
  return () => {
    process.off('SIGINT', ask).off('SIGTERM', ask);
  };
}

/** How long an evicted coordinator waits for its last checkpoint. */
const LAST_CHECKPOINT_MS = 5_000;

/**
 * When its machine is drained, the coordinator is ended. The run is not: services wait, and a
 * coordinator that is started elsewhere continues it from the last checkpoint.
 */
function onEviction(fleet: Fleet): () => void {
  const go = (): void => {
    const late = new Promise((done) => setTimeout(done, LAST_CHECKPOINT_MS));
    void Promise.race([saveNow(fleet), late])
      .catch(() => undefined)
      .then(() => fleet.close())
      .finally(() => process.exit(EXIT.TERMINATED));
  };
  process.once('SIGTERM', go).once('SIGINT', go);
  return () => {
    process.off('SIGTERM', go).off('SIGINT', go);
  };
}

async function saveNow({ client }: Fleet): Promise<void> {
  const before = (await client.status())?.checkpointPs ?? -1;
  await client.steer(Action.ACTION_CHECKPOINT);
  await client.follow(
    () => undefined,
    (status) => status.checkpointPs > before || isOver(status),
    LAST_CHECKPOINT_MS,
  );
}
