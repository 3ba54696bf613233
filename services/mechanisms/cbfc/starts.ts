import type { StartAccounts } from '../../engine/contract/start-accounts.js';
import type { MechanismTools } from '../../engine/contract/slice.js';
import { assert } from '../../engine/kernel/assert.js';
import type { FrameRef, PortRow, TrafficClass } from '../../engine/units/indices.js';
import type { FramePath } from './frame-path.js';

/** The half of `StartAccounts` about frames that leave. */
type CbfcStarts = Pick<
  StartAccounts,
  'enqueue' | 'start' | 'next' | 'settle' | 'permit' | 'collect' | 'reconsider'
>;

/** A frame waits in the queue of its class, whose priority is held until it has credits. */
export function makeCbfcStarts(
  { ports, queues, slot }: MechanismTools,
  { observe, started }: Pick<FramePath, 'observe' | 'started'>,
): CbfcStarts {
  /** The port at which a frame is just starting: its queues are looked at when that is over. */
  let starting = -1;

  /** What one queue may start depends on what others have started. */
  function lookAtAll(port: PortRow): boolean {
    for (let rest = ports.meteredBy(port, slot); rest !== 0; rest &= rest - 1) {
      const trafficClass = 31 - Math.clz32(rest & -rest);
      observe(port, trafficClass, queues.head(port, trafficClass));
    }
    return false;
  }

  function enqueue(port: PortRow, trafficClass: TrafficClass, frame: FrameRef): void {
    queues.push(port, trafficClass, frame);
    if (port === starting || queues.head(port, trafficClass) !== frame) return;
    observe(port, trafficClass, frame);
  }

  function start(port: PortRow, _trafficClass: TrafficClass, frame: FrameRef): void {
    assert(starting < 0, 'cbfc.one-frame-starts');
    started(port, frame);
    starting = port;
  }

  function settle(port: PortRow): void {
    starting = -1;
    lookAtAll(port);
  }

  return {
    ...{ enqueue, start, settle },
    // Its queues are ready whatever it decides; a hold that ends wakes the port.
    next: () => true,
    permit: lookAtAll,
    reconsider: lookAtAll,
    collect: () => undefined,
  };
}
