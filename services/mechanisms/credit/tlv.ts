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
import type { Path } from '../../settings/source-tree.js';
import { cetApplications } from './capability.js';
import type { CreditEndSection, CreditSection } from './section.js';
import type { CreditPortSpec } from './spec.js';

const U16_MOST = 0xffff;
const U48_MOST = 2 ** 48 - 1;

/** A device and what it offers, as it is configured at a time. */
export interface CreditOffering {
  readonly section: CreditSection;
  readonly end: CreditEndSection;
  /** Priorities that it can exchange credit for, and those that it is configured for. */
  readonly capable: number;
  readonly enabled: number;
  readonly willing: boolean;
  readonly sendsDcbx: boolean;
  readonly longestOctets: number;
  readonly name: string;
  readonly placeOf: (key: string, name: keyof CreditEndSection) => Path;
  /** Of a change of its priorities during the run, if there is one. */
  readonly changePath: Path | undefined;
  readonly fail: (path: Path, message: string) => Error;
}

/** It says priorities only. */
export function isLiteral({ cet }: CreditEndSection): boolean {
  return cet === 'application';
}

/** Credit exchange as Application Protocol entries of DCBX. */
export function creditApplications(offering: CreditOffering): Application[] {
  const { end, enabled, sendsDcbx, name, fail } = offering;
  if (end.cet === 'tlv') return [];
  if (enabled !== 0 && !sendsDcbx) {
    const message = `${name} sends no DCBX, whose entries`;
    throw fail(['credit', 'cet'], `${message} cet: ${end.cet} needs; cet: tlv`);
  }
  return cetApplications(enabled);
}

/** The credit TLV of a port; null for a device without. */
export function creditTlv(
  offering: CreditOffering,
  exchange: CreditPortSpec | null,
): CreditExchange | null {
  const { section, end, capable, enabled, willing, longestOctets } = offering;
  const grants = grantsOf(offering, exchange);
  if (capable === 0) return null;
  const supported = Math.min(section.channels.length, end.maxChannels ?? Infinity);
  const channels = isLiteral(end) ? 1 : supported;
  const tags = section.tags && !isLiteral(end);
  const microseconds = (ps: number): number => Math.min(U16_MOST, Math.round(ps / PS_PER_US));
  return {
    ...blankCreditExchange(),
    ceTag: tags,
    cumulative: end.counts === 'cumulative' && !isLiteral(end),
    resync: !isLiteral(end),
    answers: true,
    channelled: channels > 1,
    unitOctets: end.unitBytes ?? longestOctets,
    maxCreditBlockOctets: Math.max(longestOctets, end.unitBytes ?? 0),
    channels: channels > 1 ? channels : 0,
    willing,
    capable,
    enabled,
    ...codecOf(offering),
    requestTpid: tags ? CE_TAG_REQUEST : 0,
    responseTpid: tags ? CE_TAG_GRANT : 0,
    refreshUs: microseconds(section.refreshPs),
    ageUs: microseconds(end.agePs ?? 0),
    ...grants,
  };
}

/** Messages that a device supports; it negotiates codecs if CE frames are not the only ones. */
function codecOf(offering: CreditOffering): Partial<CreditExchange> {
  const { end, enabled, name, placeOf, changePath, fail } = offering;
  const { codec } = end;
  if (codec === 'ce') return {};
  if (isLiteral(end)) {
    const message = `${name} has codec: ${codec}, which entries of DCBX cannot say; cet: both`;
    throw fail(placeOf('codec', 'codec'), message);
  }
  if (changePath !== undefined) {
    const message = `${name} has codec: ${codec}, whose priorities cannot change; codec: ce`;
    throw fail(changePath, message);
  }
  return { version: CREDIT_CODEC_VERSION, ceFrames: codec === 'both', cbfc: enabled };
}

/** Grants of a port in the second version of the CET TLV. */
function grantsOf(
  { section, end, fail }: CreditOffering,
  exchange: CreditPortSpec | null,
): Pick<CreditExchange, 'refreshPs' | 'agePs' | 'wide' | 'divided' | 'bufferUnits'> {
  const { refreshPs } = section;
  const agePs = end.agePs ?? 0;
  for (const [key, ps] of Object.entries({ refresh: refreshPs, age: agePs })) {
    if (ps <= U48_MOST) continue;
    const message = `${key}: longer than the CET TLV of discovery can say; at most 281s`;
    throw fail(['credit', key], message);
  }
  return {
    refreshPs,
    agePs,
    wide: exchange?.granting.isWide ?? false,
    divided: exchange?.granting.policy === 'static',
    bufferUnits: [...(exchange?.granting.bufferUnits ?? new Array<number>(PRIORITIES).fill(0))],
  };
}
