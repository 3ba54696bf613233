import type { Device } from './device.js';
import type { Shared } from './shared.js';

/** Every frame that a device keeps in a queue, or in a line before one. */
export function forEachQueued(
  { queues, lines }: Shared,
  { spec, firstPort, rows }: Device,
  visit: (frame: number) => void,
): void {
  spec.ports.forEach((_, p) => {
    queues.forEach(firstPort + p, visit);
  });
  for (let i = 0; i < rows.credit.count; i++) lines.forEach(rows.credit.first + i, visit);
}
