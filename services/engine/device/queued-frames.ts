import { creditRows } from '../flow-control/credit/credit-accounts.js';
import type { Device } from './device.js';
import { listsOf } from './nic/frames-of-nic.js';
import type { Shared } from './shared.js';

/** Every frame that a device keeps in a queue, in a line before one, or in its NIC. */
export function forEachQueued(
  { queues, lines, nicFrames }: Shared,
  { spec, firstPort, rows }: Device,
  visit: (frame: number, port: number) => void,
): void {
  let row = rows.credit.first;
  spec.ports.forEach(({ credit }, p) => {
    const port = firstPort + p;
    const see = (frame: number): void => {
      visit(frame, port);
    };
    queues.forEach(port, see);
    for (const end = row + creditRows(credit); row < end; row++) lines.forEach(row, see);
  });
  nicFrames.unread.forEach(rows.device.first, (frame) => {
    visit(frame, firstPort);
  });
  for (const list of listsOf(rows)) {
    nicFrames.lists.forEach(list, (frame) => {
      visit(frame, firstPort);
    });
  }
}
