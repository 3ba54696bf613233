import { CHARGE, INGRESS, TAGS } from '../../buffer/shared-frames.js';
import type { Engine } from '../../device/engine.js';
import { forEachReceived } from '../../device/nic/frames-of-nic.js';
import { forEachQueued } from '../../device/queued-frames.js';
import {
  CHARGE_MASK,
  CHARGE_SHIFT,
  CLASS,
  PORT,
  PRIORITY_MASK,
  REPLICA_FLAG,
  VLAN,
} from '../../frame/frame-pool.js';
import { ChargeSums } from './link-books.js';

/** The first port whose receiver counts other units than are stored; or -1. */
export function misbookedPort(engine: Engine): number {
  const { shared, devices } = engine;
  const { words, ends } = shared.pool;
  const sums = new ChargeSums(engine);
  for (const device of devices) {
    const { spec, rows, firstPort } = device;
    const add = (port: number, frame: number): void => {
      const units = (words[frame + CLASS] & CHARGE_MASK) >>> CHARGE_SHIFT;
      if (units === 0) return;
      sums.add(port, words[frame + CLASS] & PRIORITY_MASK, ends[frame + VLAN], units);
    };
    if (spec.kind === 'host') {
      forEachReceived(shared.nicFrames, rows, (frame) => {
        add(firstPort, frame);
      });
    } else {
      forEachQueued(shared, device, (frame) => {
        if ((words[frame + CLASS] & REPLICA_FLAG) === 0) add(words[frame + PORT], frame);
      });
      // A frame that leaves by several ports is charged once.
      const { sharedFrames } = engine.switching.parts(device.place);
      sharedFrames.forEach((number) => {
        const charge = sharedFrames.get(number, CHARGE);
        const units = (charge & CHARGE_MASK) >>> CHARGE_SHIFT;
        if (units === 0) return;
        const port = firstPort + sharedFrames.get(number, INGRESS);
        sums.add(port, charge & PRIORITY_MASK, sharedFrames.get(number, TAGS), units);
      });
    }
  }
  return sums.wrongPort();
}
