/** `credit` of the file -> settings of every end of a link, and of links. */

import { CREDIT_UNIT } from '../../engine/flow-control/credit/credit-managed.js';
import type { Located } from './located.js';
import type { CreditEndSection, CreditSection } from './scenario.js';
import type { CreditChangeInput, CreditInput } from './schema-credit.js';
import type { Path } from '../../settings/source-tree.js';

/** MAX_CR_BLK as the proposal suggests: an FCoE frame with security. */
const FCOE_UNIT = 2548;

export function creditSection(input: CreditInput, located: Located): CreditSection {
  const channels =
    input.channels.length > 0 ? input.channels : [{ channel: 0, vlans: [], share: 1 }];
  checkChannels(input, located);
  return {
    end: creditEnd(input, ['credit'], located) as CreditEndSection,
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
  located: Located,
): Partial<CreditEndSection> {
  const { unit, buffer, grant, unsolicited, step, keep, shaper, age } = input;
  checkUnit(unit, [...path, 'unit'], located);
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

function checkUnit(unit: CreditChangeInput['unit'], path: Path, located: Located): void {
  if (unit === undefined || unit === 'mtu' || unit === FCOE_UNIT) return;
  const { least, chunk, most } = CREDIT_UNIT;
  if (unit >= least && unit <= most && unit % chunk === 0) return;
  throw located.errorAt(
    path,
    `credit unit out of range: ${unit} bytes; a multiple of ${chunk} (512 bits) from ` +
      `${least} to ${most}, ${FCOE_UNIT}, or mtu`,
  );
}

function checkChannels({ channels }: CreditInput, located: Located): void {
  const seen = new Map<number, number>();
  channels.forEach(({ channel, vlans }, index) => {
    const first = channels.findIndex((other) => other.channel === channel);
    const path = ['credit', 'channels', index];
    if (first < index) {
      throw located.errorAt([...path, 'channel'], `channel ${channel} is given twice`);
    }
    for (const vlan of vlans) {
      const owner = seen.get(vlan);
      if (owner !== undefined) {
        const message = `VLAN ${vlan} belongs to channel ${owner} already`;
        throw located.errorAt([...path, 'vlans'], message);
      }
      seen.set(vlan, channel);
    }
  });
}
