/** `credit` of the file -> settings of every end of a link, and of links. */

import { CREDIT_UNIT } from './managed.js';
import type { Places } from '../rate-control-slice.js';
import type { CreditEndSection, CreditSection } from './section.js';
import type { CreditChangeInput, CreditInput } from './settings.js';
import type { Path } from '../../settings/source-tree.js';

/** MAX_CR_BLK as the proposal suggests: an FCoE frame with security. */
const FCOE_UNIT = 2548;

export function creditSection(input: CreditInput, places: Places): CreditSection {
  const channels =
    input.channels.length > 0 ? input.channels : [{ channel: 0, vlans: [], share: 1 }];
  checkChannels(input, places);
  return {
    end: creditEnd(input, ['credit'], places) as CreditEndSection,
    channels,
    tags: input.tags,
    tagWaitPs: orNull(input.tagWait, 'auto'),
    refreshPs: input.refresh,
    reportPs: input.report,
    pollPs: orNull(input.poll, 'auto'),
    syncPs: orNull(input.sync, 'auto'),
    syncTries: input.syncTries,
    keepAlivePs: input.keepAlive,
    fallback: input.fallback,
  };
}

export function creditEnd(
  input: CreditChangeInput,
  path: Path,
  places: Places,
): Partial<CreditEndSection> {
  const { unit, buffer, grant, unsolicited, step, keep, shaper, age } = input;
  checkUnit(unit, [...path, 'unit'], places);
  return {
    ...(unit !== undefined && { unitBytes: orNull(unit, 'mtu') }),
    ...(buffer !== undefined && { bufferBytes: orNull(buffer, 'auto') }),
    ...(grant !== undefined && { policy: grant }),
    ...(unsolicited !== undefined && { unsolicited }),
    ...(step !== undefined && { stepBytes: orNull(step, 'auto') }),
    ...(keep !== undefined && { keepBytes: orNull(keep, 'auto') }),
    ...(shaper !== undefined && { shaperBps: orNull(shaper, 'off') }),
    ...(input.grantFactor !== undefined && { grantFactor: input.grantFactor }),
    ...(input.request !== undefined && { request: input.request }),
    ...(input.prediction !== undefined && { prediction: input.prediction }),
    ...(age !== undefined && { agePs: orNull(age, 'off') }),
    ...(input.counts !== undefined && { counts: input.counts }),
    ...(input.codec !== undefined && { codec: input.codec }),
    ...(input.cet !== undefined && { cet: input.cet }),
    ...(input.maxChannels !== undefined && { maxChannels: orNull(input.maxChannels, 'all') }),
  };
}

function orNull<Word extends string>(value: number | Word, none: Word): number | null {
  return value === none ? null : (value as number);
}

function checkUnit(unit: CreditChangeInput['unit'], path: Path, places: Places): void {
  if (unit === undefined || unit === 'mtu' || unit === FCOE_UNIT) return;
  const { least, chunk, most } = CREDIT_UNIT;
  if (unit >= least && unit <= most && unit % chunk === 0) return;
  throw places.errorAt(
    path,
    `credit unit out of range: ${unit} bytes; a multiple of ${chunk} (512 bits) from ` +
      `${least} to ${most}, ${FCOE_UNIT}, or mtu`,
  );
}

function checkChannels({ channels }: CreditInput, places: Places): void {
  const seen = new Map<number, number>();
  channels.forEach(({ channel, vlans }, index) => {
    const first = channels.findIndex((other) => other.channel === channel);
    const path = ['credit', 'channels', index];
    if (first < index) {
      throw places.errorAt([...path, 'channel'], `channel ${channel} is given twice`);
    }
    for (const vlan of vlans) {
      const owner = seen.get(vlan);
      if (owner !== undefined) {
        const message = `VLAN ${vlan} belongs to channel ${owner} already`;
        throw places.errorAt([...path, 'vlans'], message);
      }
      seen.set(vlan, channel);
    }
  });
}
