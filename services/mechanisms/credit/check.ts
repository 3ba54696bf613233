import type { Path } from '../../settings/source-tree.js';
import type { Places } from '../rate-control-slice.js';
import { CREDIT_UNIT } from './managed.js';
import type { CreditSettings } from './settings.js';

/** MAX_CR_BLK as the proposal suggests: an FCoE frame with security. */
const FCOE_UNIT = 2548;

/** Throws where keys of the section, or of a device's changes to it, contradict each other. */
export function checkCredit(section: Partial<CreditSettings>, path: Path, places: Places): void {
  checkChannels(section.channels ?? [], [...path, 'channels'], places);
  checkUnit(section.unit, [...path, 'unit'], places);
}

function checkUnit(unit: CreditSettings['unit'] | undefined, path: Path, places: Places): void {
  if (unit === undefined || unit === 'mtu' || unit === FCOE_UNIT) return;
  const { least, chunk, most } = CREDIT_UNIT;
  if (unit >= least && unit <= most && unit % chunk === 0) return;
  throw places.errorAt(
    path,
    `credit unit out of range: ${unit} bytes; a multiple of ${chunk} (512 bits) from ` +
      `${least} to ${most}, ${FCOE_UNIT}, or mtu`,
  );
}

function checkChannels(channels: CreditSettings['channels'], path: Path, places: Places): void {
  const seen = new Map<number, number>();
  channels.forEach(({ channel, vlans }, index) => {
    const first = channels.findIndex((other) => other.channel === channel);
    if (first < index) {
      throw places.errorAt([...path, index, 'channel'], `channel ${channel} is given twice`);
    }
    for (const vlan of vlans) {
      const owner = seen.get(vlan);
      if (owner !== undefined) {
        const message = `VLAN ${vlan} belongs to channel ${owner} already`;
        throw places.errorAt([...path, index, 'vlans'], message);
      }
      seen.set(vlan, channel);
    }
  });
}
