import type { Device } from './device.js';
import { listsOf } from './nic/frames-of-nic.js';
import type { Shared } from './shared.js';

/** Every frame that a device keeps in a queue, in a line before one, or in its NIC. */
export function forEachQueued(
  { queues, lines, nicFrames }: Shared,
  { spec, firstPort, rows }: Device,
  visit: (frame: number) => void,
): void {
  spec.ports.forEach((_, p) => {
    queues.forEach(firstPort + p, visit);
  });
  for (const list of listsOf(rows)) nicFrames.lists.forEach(list, visit);
  for (let i = 0; i < rows.credit.count; i++) lines.forEach(rows.credit.first + i, visit);
}
