import { forEachControlUnderway } from '../../engine/analysis/ledger/control-underway.js';
import type { Engine } from '../../engine/device/engine.js';
import { blankCeTag, CE_TAG_GRANT, decodeCeTag } from '../../engine/wire/ce-tag.js';
import { blankCeFrame, decodeCe } from '../../engine/wire/mac-control/ce-frame.js';
import { OPCODE_CE_GRANT } from '../../engine/wire/mac-control/opcodes.js';
import { mechanismOf } from './mechanism.js';
import type { PortRow } from '../../engine/units/indices.js';

const frame = blankCeFrame();
const tag = blankCeTag();

/** Units that grants in flight to a port name for an account, added up: in incremental mode. */
export function unitsGrantedUnderway(engine: Engine, port: PortRow, row: number): number {
  const { accounts } = mechanismOf(engine);
  const [priority, channel] = [accounts.priority(row), accounts.channel(row)];
  let units = 0;
  forEachControlUnderway(engine, port, (octets) => {
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
