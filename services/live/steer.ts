import { formatTime } from '../report/format.js';
import type { LiveAnswer, LiveOrder } from '../report/page/live-data.js';
import { ENDED } from '../runtime/controller/run-controller.js';
import type { RunController } from '../runtime/controller/run-controller.js';
import type { FaultStep } from '../runtime/live-faults.js';
import type { RunSnapshot } from '../runtime/run-snapshot.js';

/** Passes a control request from the page to the controller of a run in this process. */
export function steer(
  controller: RunController<RunSnapshot>,
  { action, stepPs }: LiveOrder,
): LiveAnswer {
  if (controller.isOver) return { done: false, detail: ENDED };
  if (action === 'stop') controller.stop();
  else if (action === 'step') controller.step(stepPs);
  else if (action === 'pause') controller.pause();
  else controller.resume();
  return { done: true, detail: '' };
}

/** The answer to a request for a change, once it is part of the run or refused. */
export async function answerTo(change: () => Promise<FaultStep>): Promise<LiveAnswer> {
  try {
    const { atPs } = await change();
    return { done: true, detail: `at ${formatTime(atPs)}` };
  } catch (error) {
    return { done: false, detail: (error as Error).message };
  }
}
