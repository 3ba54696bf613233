import { selvage } from '#contracts';
import type { MergedRun } from '../../runtime/merge.js';
import type { ProgressLine } from '../progress.js';
import type { FleetOptions } from './fleet.js';
import { Fleet } from './fleet.js';
import { isOver, showStatus } from './phases.js';

const { Phase } = selvage.v1.RunStatus;
const { Action } = selvage.v1.SteerRequest;

/** The machinery failed, and no number can be given; the message says what was lost. */
export class MachineryError extends Error {}

/** Runs a scenario in processes of its own, to the end or until somebody asks to stop. */
export async function runDistributed(
  options: FleetOptions,
  progress: ProgressLine,
  launched: (fleet: Fleet) => void = () => undefined,
  heard: (status: selvage.v1.RunStatus) => void = () => undefined,
): Promise<MergedRun> {
  let fell: (error: Error) => void = () => undefined;
  const fallen = new Promise<never>((_, reject) => {
    fell = reject;
  });
  fallen.catch(() => undefined);
  const fleet: Fleet = await Fleet.launch(options, () => {
    fell(new MachineryError(fleet.failure ?? 'a process ended'));
  });
  const letGo = onInterrupt(fleet);
  try {
    launched(fleet);
    const ended = fleet.client.follow(
      (status) => {
        heard(status);
        showStatus(progress, status);
      },
      isOver,
      options.patienceSeconds * 1000,
    );
    const { phase, detail } = await Promise.race([ended, fallen]);
    if (phase === Phase.PHASE_FAILED) throw new MachineryError(detail);
    return await fleet.client.results();
  } finally {
    progress.clear();
    letGo();
    await fleet.close();
  }
}

/** Ctrl-C asks the coordinator to end the run; a second one ends everything. */
function onInterrupt(fleet: Fleet): () => void {
  let asked = false;
  const ask = (): void => {
    if (asked) void fleet.close().finally(() => process.exit(130));
    asked = true;
    fleet.client.steer(Action.ACTION_STOP).catch(() => {
      void fleet.close().finally(() => process.exit(130));
    });
  };
  process.on('SIGINT', ask).on('SIGTERM', ask);
  return () => {
    process.off('SIGINT', ask).off('SIGTERM', ask);
  };
}
