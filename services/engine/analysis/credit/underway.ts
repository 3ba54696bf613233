import { KIND_CONTROL, KIND_SET } from '../../device/device.js';
import type { Engine } from '../../device/engine.js';
import { keyId, keyKind } from '../../kernel/timer-queue.js';
import { blankCeTag, CE_TAG_GRANT, decodeCeTag } from '../../wire/ce-tag.js';
import { blankCeFrame, decodeCe } from '../../wire/mac-control/ce-frame.js';
import { OPCODE_CE_GRANT } from '../../wire/mac-control/opcodes.js';

/** In the id of a control frame: the port of the device. */
const PORT_MASK = 0xffff;

const frame = blankCeFrame();
const tag = blankCeTag();

/** A control frame is in flight to a port, or waits at its link partner to be sent. */
export function isControlUnderway(engine: Engine, port: number): boolean {
  const { ports } = engine.shared;
  if (ports.controlDue(ports.peer(port))) return true;
  const { timerQueue, firstPort } = engine.devices[ports.owner(port)];
  let underway = false;
  timerQueue.forEach((_, key) => {
    if (keyKind(key) === KIND_SET && keyId(key) === port - firstPort) underway = true;
  });
  forEachUnderway(engine, port, () => {
    underway = true;
  });
  return underway;
}

/** Units that grants in flight to a port name for an account, added up: in incremental mode. */
export function unitsGrantedUnderway(engine: Engine, port: number, row: number): number {
  const { accounts } = engine.credit;
  const [priority, channel] = [accounts.priority(row), accounts.channel(row)];
  let units = 0;
  forEachUnderway(engine, port, (octets) => {
    if (decodeCe(octets, 0, frame) === 'ok') {
      if (frame.opcode !== OPCODE_CE_GRANT || frame.channel !== channel) return;
      if ((frame.tcSelectionVector & (1 << priority)) !== 0) units += frame.tcCredits[priority];
    } else if (decodeCeTag(octets, 0, tag) === 'ok') {
      if (tag.type !== CE_TAG_GRANT || tag.channel !== channel) return;
      if (tag.tcSelectionVector === 1 << priority) units += tag.tcCredit;
    }
  });
  return units;
}

function forEachUnderway(
  { shared, devices }: Engine,
  port: number,
  visit: (octets: Uint8Array) => void,
): void {
  const { octets } = shared;
  const { timerQueue, firstPort } = devices[shared.ports.owner(port)];
  timerQueue.forEach((_, key, slot) => {
    if (keyKind(key) !== KIND_CONTROL || (keyId(key) & PORT_MASK) !== port - firstPort) return;
    visit(octets.get(slot).subarray(0, octets.length(slot)));
  });
}
