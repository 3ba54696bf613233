import type { Path } from '../../settings/source-tree.js';
import type { Places } from '../rate-control-slice.js';
import { CREDIT_UNIT } from './managed.js';
import type { CreditSettings } from './settings.js';

/** Throws where keys of the section, or of a device's changes to it, contradict each other. */
export function checkCredit(section: Partial<CreditSettings>, path: Path, places: Places): void {
  checkChannels(section.channels ?? [], [...path, 'channels'], places);
  checkUnit('unit', section.unit, path, places);
  checkUnit('maxUnit', section.maxUnit, path, places);
}

/** A chunk is of 512 bits or more, up to MAX_CR_BLK. */
function checkUnit(
  key: string,
  unit: number | string | undefined,
  path: Path,
  places: Places,
): void {
  const { least, most } = CREDIT_UNIT;
  if (typeof unit !== 'number' || (unit >= least && unit <= most)) return;
  throw places.errorAt(
    [...path, key],
    `credit unit out of range: ${unit} bytes; ${least} (512 bits) to ${most}, or mtu`,
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
