/** What discovery advertises of credit exchange: the CET TLV, or entries of DCBX. */

import { PRIORITIES } from '../../engine/units/ethernet.js';
import { PS_PER_US } from '../../engine/units/time.js';
import { CE_TAG_GRANT, CE_TAG_REQUEST } from '../../engine/wire/ce-tag.js';
import {
  blankCreditExchange,
  CREDIT_CODEC_VERSION,
  type CreditExchange,
} from '../../engine/wire/lldp/capability-tlvs.js';
import type { Application } from '../../engine/wire/lldp/dcbx-ieee.js';
import { EXCHANGE, type DeviceContext, type FabricContext } from '../fabric-context.js';
import type { Advertisement, AdvertisingPort } from '../mechanism-slice.js';
import { cetApplications, literalExchange } from './capability.js';
import { maxUnitOf } from './link-ends.js';
import { channelsOf, type CreditSettings } from './settings.js';
import { creditOf } from './spec.js';

const U16_MOST = 0xffff;
const U48_MOST = 2 ** 48 - 1;

/** A port with the settings of its device. */
interface Offer {
  readonly at: AdvertisingPort;
  readonly device: DeviceContext<CreditSettings>;
  readonly longestOctets: number;
  readonly fail: FabricContext['fail'];
}

export function advertiseCredit(
  at: AdvertisingPort,
  { devices, fail }: FabricContext<CreditSettings>,
): Advertisement {
  const device = devices[at.device];
  const { longestFrameOctets: longest } = device.links[at.port];
  const offer = { at, device, longestOctets: Math.max(...longest), fail };
  return {
    applications: applicationsOf(offer),
    exchange: tlvOf(offer),
    byApplicationsAlone: isLiteral(device.section),
  };
}

/** It says priorities only. */
function isLiteral({ cet }: CreditSettings): boolean {
  return cet === 'application';
}

/** Credit exchange as Application Protocol entries of DCBX. */
function applicationsOf({ at, device, fail }: Offer): Application[] {
  const { cet } = device.section;
  if (cet === 'tlv') return [];
  if (at.enabled !== 0 && !at.sendsDcbx) {
    const message = `${device.name} sends no DCBX, whose entries`;
    throw fail([EXCHANGE, 'cet'], `${message} cet: ${cet} needs; cet: tlv`);
  }
  return cetApplications(at.enabled);
}

/**
 * What a port advertises; null for a device without. Entries say priorities only: a port that has
 * no other is to itself what it is to its peer, or the two would not agree on the same.
 */
function tlvOf(offer: Offer): CreditExchange | null {
  const { at, device, longestOctets } = offer;
  const { section } = device;
  const grants = grantsOf(offer);
  if (at.capable === 0) return null;
  const codec = codecOf(offer);
  if (isLiteral(section)) return literalExchange(at.enabled);
  const { maxChannels } = section;
  const channels = Math.min(
    channelsOf(section).length,
    maxChannels === 'all' ? Infinity : maxChannels,
  );
  const { tags } = section;
  const unit = section.unit === 'mtu' ? longestOctets : section.unit;
  const microseconds = (ps: number): number => Math.min(U16_MOST, Math.round(ps / PS_PER_US));
  return {
    ...blankCreditExchange(),
    ceTag: tags,
    cumulative: section.counts === 'cumulative',
    resync: true,
    answers: true,
    channelled: channels > 1,
    unitOctets: unit,
    maxCreditBlockOctets: maxUnitOf(section, longestOctets),
    channels: channels > 1 ? channels : 0,
    willing: at.willing,
    capable: at.capable,
    enabled: at.enabled,
    ...codec,
    requestTpid: tags ? CE_TAG_REQUEST : 0,
    responseTpid: tags ? CE_TAG_GRANT : 0,
    refreshUs: microseconds(section.refresh),
    ageUs: microseconds(ageOf(section)),
    ...grants,
  };
}

function ageOf({ age }: CreditSettings): number {
  return age === 'off' ? 0 : age;
}

/** Messages that a device supports; it negotiates codecs if CE frames are not the only ones. */
function codecOf({ at, device, fail }: Offer): Partial<CreditExchange> {
  const { section, name, placeOf } = device;
  const { codec } = section;
  if (codec === 'ce') return {};
  if (isLiteral(section)) {
    const message = `${name} has codec: ${codec}, which entries of DCBX cannot say; cet: both`;
    throw fail(placeOf('codec'), message);
  }
  if (at.changedAt !== null) {
    const message = `${name} has codec: ${codec}, whose priorities cannot change; codec: ce`;
    throw fail(at.changedAt, message);
  }
  return { version: CREDIT_CODEC_VERSION, ceFrames: codec === 'both', cbfc: at.enabled };
}

/** Grants of a port in the second version of the CET TLV. */
function grantsOf({
  at,
  device: { section },
  fail,
}: Offer): Pick<CreditExchange, 'refreshPs' | 'agePs' | 'wide' | 'divided' | 'bufferUnits'> {
  const refreshPs = section.refresh;
  const agePs = ageOf(section);
  for (const [key, ps] of Object.entries({ refresh: refreshPs, age: agePs })) {
    if (ps <= U48_MOST) continue;
    const message = `${key}: longer than the CET TLV of discovery can say; at most 281s`;
    throw fail([EXCHANGE, key], message);
  }
  const granting = creditOf(at)?.granting ?? null;
  return {
    refreshPs,
    agePs,
    wide: granting?.isWide ?? false,
    divided: granting?.policy === 'static',
    bufferUnits: [...(granting?.bufferUnits ?? new Array<number>(PRIORITIES).fill(0))],
  };
}
