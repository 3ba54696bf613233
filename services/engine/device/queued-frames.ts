import { accountRows } from '../contract/grants-spec.js';
import { ACCOUNT } from '../kernel/tables.js';
import type { Device } from './device.js';
import { listsOf } from './nic/frames-of-nic.js';
import type { Shared } from './shared.js';
import type { FrameRef } from '../units/indices.js';

/** Every frame of a device in a queue, in a line before one, or in its NIC. */
export function forEachQueued(
  shared: Shared,
  device: Device,
  visit: (frame: FrameRef, port: number) => void,
): void {
  const { spec, firstPort, rows } = device;
  spec.ports.forEach((_, p) => {
    forEachQueuedAt(shared, device, p, (frame) => {
      visit(frame, firstPort + p);
    });
  });
  shared.nicFrames.unread.forEach(rows.device.first, (frame) => {
    visit(frame, firstPort);
  });
  for (const list of listsOf(rows)) {
    shared.nicFrames.lists.forEach(list, (frame) => {
      visit(frame, firstPort);
    });
  }
}

/** Of one port, as the device counts it: in its queues and the lines before them. */
export function forEachQueuedAt(
  { queues, lines }: Shared,
  { spec, firstPort, rows }: Device,
  port: number,
  visit: (frame: FrameRef) => void,
): void {
  queues.forEach(firstPort + port, visit);
  let row = rows[ACCOUNT].first;
  for (let p = 0; p < port; p++) row += accountRows(spec.ports[p].grants);
  const end = row + accountRows(spec.ports[port].grants);
  for (; row < end; row++) lines.forEach(row, visit);
}

/** Copies of frames that a device has sent, which its link layers may send again. */
export function forEachReplayed(
  { replayBuffers }: Shared,
  { spec, firstPort }: Device,
  visit: (frame: FrameRef) => void,
): void {
  spec.ports.forEach((_, p) => {
    replayBuffers.forEach(firstPort + p, visit);
  });
}
