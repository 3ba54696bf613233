import { join } from 'node:path';
import { readU16 } from '../../services/engine/wire/big-endian.js';
import {
  blankCeTag,
  CE_TAG_OCTETS,
  decodeCeTag,
  isCeTagged,
} from '../../services/engine/wire/ce-tag.js';
import { blankCim, decodeCim } from '../../services/engine/wire/cim.js';
import { blankCnm, decodeCnm, ETHERTYPE_CNM } from '../../services/engine/wire/cnm.js';
import { CN_TAG_OCTETS, decodeCnTag, ETHERTYPE_CN_TAG } from '../../services/engine/wire/cn-tag.js';
import {
  blankEnvelope,
  decodeEnvelope,
  SUBTYPE_CIM,
  UDP_PORT_CIM,
  UDP_PORT_SFCM,
} from '../../services/engine/wire/congestion-message.js';
import type { Decoded } from '../../services/engine/wire/decoded.js';
import { blankCfUpdate, CF_UPDATE, decodeCfUpdate } from '../../services/engine/wire/cf-update.js';
import {
  blankLlrSet,
  decodeLlrSet,
  LLR_ACK,
  LLR_INIT,
  LLR_INIT_ECHO,
} from '../../services/engine/wire/llr.js';
import { ORDERED_SET_OCTETS, orderedSetType } from '../../services/engine/wire/ordered-set.js';
import {
  blankEthernetHeader,
  decodeEthernetHeader,
  ETHERTYPE_CONGESTION,
  ethernetHeaderOctets,
} from '../../services/engine/wire/ethernet.js';
import {
  blankCcUpdate,
  CC_UPDATE_MESSAGE_AT,
  decodeCcUpdate,
  isCcUpdate,
} from '../../services/engine/wire/mac-control/cc-update.js';
import {
  blankCeFrame,
  CE_ACK,
  CE_EPOCH_MASK,
  CE_REPORT,
  CE_SYN,
  decodeCe,
  isCeFrame,
} from '../../services/engine/wire/mac-control/ce-frame.js';
import { OPCODE_CE_REQUEST } from '../../services/engine/wire/mac-control/opcodes.js';
import {
  blankCreditExchange,
  blankSourceFlowControl,
  CREDIT_CODEC_VERSION,
  CREDIT_EXCHANGE,
  decodeCreditExchange,
  decodeSourceFlowControl,
  SOURCE_FLOW_CONTROL,
} from '../../services/engine/wire/lldp/capability-tlvs.js';
import {
  blankChannelCredits,
  blankLinkLayer,
  CHANNEL_CREDITS,
  decodeChannelCredits,
  decodeLinkLayer,
  LINK_LAYER,
} from '../../services/engine/wire/lldp/link-layer-tlvs.js';
import {
  blankLldpFrame,
  decodeLldp,
  ETHERTYPE_LLDP,
} from '../../services/engine/wire/lldp/lldpdu.js';
import { organizationOf } from '../../services/engine/wire/lldp/tlv.js';
import { blankSfcm, decodeSfcm } from '../../services/engine/wire/sfcm.js';
import { ROOT } from './emulate.js';

/** Words for tshark that load the dissectors of this package. */
export const WITH_DISSECTORS = [
  '-X',
  `lua_script:${join(ROOT, 'clients/wireshark/selvage.lua')}`,
] as const;

const EIGHT = [0, 1, 2, 3, 4, 5, 6, 7];
const FLAG_NAMES = ['flags', 'flags.syn', 'flags.ack', 'flags.report', 'epoch'];
const FLOW_NAMES = ['destination', 'source', 'vid', 'msdu_length', 'msdu'];

const CET_FLAGS = ['willing', 'ce_frames', 'ce_tag', 'totals', 'resync', 'answers', 'channelled'];
const CET_NAMES = [
  ...['unit', 'max_cr_blk', 'channels', 'capable', 'enabled', 'request', 'grant', 'refresh_us'],
  ...['age_us', 'agreed', 'refresh_ps', 'age_ps'],
];
const SFC_FLAGS = ['sends', 'proxy', 'responds', 'layer2', 'ipv4', 'ipv6'];

const of = (protocol: string, names: readonly string[]): string[] =>
  names.map((name) => `${protocol}.${name}`);

/** Every field of the dissectors that a capture may have. */
export const DISSECTOR_FIELDS: readonly string[] = [
  ...of('ce', ['opcode', ...FLAG_NAMES, 'tc_selection_vector', 'channel']),
  ...EIGHT.flatMap((p) => [`ce.credit.p${p}`, `ce.amount.p${p}`]),
  ...of('ce_tag', ['type', ...FLAG_NAMES, 'tc_selection_vector', 'credit', 'channel']),
  ...of('cbfc', ['organization', 'message', 'freed.vc', 'freed.count']),
  ...of('llr', ['type', 'sequence', 'init_data']),
  ...Array.from({ length: 32 }, (_, vc) => `cbfc.consumed.vc${vc}`),
  ...of('link_layer', ['subtype', 'version', 'llr', 'cbfc', 'channels', 'credit_size', 'overhead']),
  ...of('link_layer', ['port_credits', 'lossless']),
  ...Array.from({ length: 32 }, (_, vc) => `link_layer.credits.vc${vc}`),
  ...of('cet', ['version', ...CET_FLAGS, ...CET_NAMES, 'wide', 'divided', 'cbfc']),
  ...EIGHT.map((p) => `cet.buffer.p${p}`),
  ...of('sfc', ['version', ...SFC_FLAGS, 'monitored', 'hop_limit', 'mac', 'udp_port']),
  ...of('sfc', ['ipv4_address', 'ipv6_address']),
  'cn_tag.flow_id',
  ...of('cnm', ['version', 'feedback', 'cpid.bridge', 'cpid.port', 'cpid.priority']),
  ...of('cnm', ['queue_offset', 'queue_delta', 'priority', 'destination', 'msdu_length', 'msdu']),
  ...of('cim', ['version', 'add', ...FLOW_NAMES]),
  ...of('sfcm', ['version', 'type', 'length', 'priority', 'dscp_valid', 'dscp', 'sequence']),
  ...of('sfcm', ['pause_ns', ...FLOW_NAMES, 'queue.mac', 'queue.number', 'queue.units']),
];

type Fields = Record<string, string>;

/** What the codecs of the engine read in a frame, as tshark writes it; and whether they accept it. */
export function fieldsOf(octets: Uint8Array): { fields: Fields; outcome: Decoded } {
  const fields: Fields = {};
  if (octets.length === ORDERED_SET_OCTETS) return readOrderedSet(octets, fields);
  let inner = octets;
  if (isCeTagged(octets, octets.length)) {
    const tag = blankCeTag();
    const outcome = decodeCeTag(octets, 0, tag);
    if (outcome !== 'ok') return { fields, outcome };
    const { type, flags, tcSelectionVector, tcCredit, channel } = tag;
    put(fields, 'ce_tag', { type: hex(type, 4), ...flagFields(flags), credit: tcCredit, channel });
    put(fields, 'ce_tag', { tc_selection_vector: hex(tcSelectionVector, 2) });
    inner = Uint8Array.from([...octets.subarray(0, 12), ...octets.subarray(12 + CE_TAG_OCTETS)]);
  }
  return { fields, outcome: readUntagged(inner, fields) };
}

/** One of another type is left alone. */
function readOrderedSet(octets: Uint8Array, fields: Fields): ReturnType<typeof fieldsOf> {
  const type = orderedSetType(octets, octets.length);
  if (type === CF_UPDATE) {
    const update = blankCfUpdate();
    const outcome = decodeCfUpdate(octets, octets.length, update);
    put(fields, 'cbfc', {
      'freed.vc': update.channels.join(),
      'freed.count': update.counts.join(),
    });
    return { fields, outcome };
  }
  if (type < LLR_ACK || type > LLR_INIT_ECHO) return { fields, outcome: 'ok' };
  const set = blankLlrSet();
  const outcome = decodeLlrSet(octets, octets.length, set);
  put(fields, 'llr', { type: hex(set.type, 2), sequence: set.number });
  if (type >= LLR_INIT) put(fields, 'llr', { init_data: hex(set.data, 4) });
  return { fields, outcome };
}

function readUntagged(octets: Uint8Array, fields: Fields): Decoded {
  if (isCeFrame(octets, octets.length)) return readCe(octets, fields);
  if (isCcUpdate(octets, octets.length)) return readCcUpdate(octets, fields);
  const header = blankEthernetHeader();
  if (decodeEthernetHeader(octets, 0, header) !== 'ok') return 'ok';
  if (header.etherType === ETHERTYPE_LLDP) return readLldp(octets, fields);
  let next = ethernetHeaderOctets(header);
  let type = header.etherType;
  if (type === ETHERTYPE_CN_TAG) {
    const tag = { flowId: 0 };
    const outcome = decodeCnTag(octets, next - 2, tag);
    if (outcome !== 'ok') return outcome;
    put(fields, 'cn_tag', { flow_id: tag.flowId });
    next += CN_TAG_OCTETS;
    type = readU16(octets, next - 2);
  }
  return type === ETHERTYPE_CNM ? readCnm(octets, next, fields) : readCongestion(octets, fields);
}

function readCe(octets: Uint8Array, fields: Fields): Decoded {
  const frame = blankCeFrame();
  const outcome = decodeCe(octets, 0, frame);
  if (outcome !== 'ok') return outcome;
  const { opcode, flags, tcSelectionVector, tcCredits, amounts, channel } = frame;
  put(fields, 'ce', { opcode: hex(opcode, 4), ...flagFields(flags), channel });
  put(fields, 'ce', { tc_selection_vector: hex(tcSelectionVector, 2) });
  for (const p of EIGHT.filter((n) => (tcSelectionVector & (1 << n)) !== 0)) {
    put(fields, 'ce', { [`credit.p${p}`]: tcCredits[p]! });
    if (opcode === OPCODE_CE_REQUEST) put(fields, 'ce', { [`amount.p${p}`]: amounts[p]! });
  }
  return outcome;
}

function readCcUpdate(octets: Uint8Array, fields: Fields): Decoded {
  const frame = blankCcUpdate();
  const outcome = decodeCcUpdate(octets, 0, frame);
  if (outcome !== 'ok') return outcome;
  put(fields, 'cbfc', { organization: '0x02ce70', message: octets[CC_UPDATE_MESSAGE_AT]! });
  frame.counters.forEach((count, i) => {
    put(fields, 'cbfc', { [`consumed.vc${frame.firstChannel + i}`]: count });
  });
  return outcome;
}

/** The TLVs of the link layer; Wireshark knows the others. */
function readLldp(octets: Uint8Array, fields: Fields): Decoded {
  const frame = blankLldpFrame();
  if (decodeLldp(octets, 0, frame) !== 'ok') return 'ok';
  const subtypes: number[] = [];
  for (const { value } of frame.tlvs) {
    const organization = organizationOf(value);
    if (organization === CREDIT_EXCHANGE || organization === SOURCE_FLOW_CONTROL) {
      const isCet = organization === CREDIT_EXCHANGE;
      const outcome = isCet ? readCet(value, fields) : readSfc(value, fields);
      if (outcome !== 'ok') return outcome;
    }
    if (organization !== LINK_LAYER && organization !== CHANNEL_CREDITS) continue;
    subtypes.push(organization % 256);
    put(fields, 'link_layer', { subtype: subtypes.join() });
    const outcome =
      organization === LINK_LAYER ? readLinkLayer(value, fields) : readCredits(value, fields);
    if (outcome !== 'ok') return outcome;
  }
  return 'ok';
}

function readCet(value: Uint8Array, fields: Fields): Decoded {
  const tlv = blankCreditExchange();
  const outcome = decodeCreditExchange(value, tlv);
  if (outcome !== 'ok') return outcome;
  const { version, willing, ceFrames, ceTag, cumulative, resync, answers, channelled } = tlv;
  const flags = [willing, ceFrames, ceTag, cumulative, resync, answers, channelled].map(Number);
  put(fields, 'cet', {
    ...{ version, ...named(CET_FLAGS, flags), unit: tlv.unitOctets },
    ...{ max_cr_blk: tlv.maxCreditBlockOctets, channels: tlv.channels },
    ...{ capable: hex(tlv.capable, 2), enabled: hex(tlv.enabled, 2) },
    ...{ request: hex(tlv.requestTpid, 4), grant: hex(tlv.responseTpid, 4) },
    ...{ refresh_us: tlv.refreshUs, age_us: tlv.ageUs, agreed: hex(tlv.agreed, 2) },
    ...{ refresh_ps: tlv.refreshPs, age_ps: tlv.agePs },
    ...{ wide: Number(tlv.wide), divided: Number(tlv.divided) },
    ...Object.fromEntries(tlv.bufferUnits.map((units, p) => [`buffer.p${p}`, units])),
    ...(version >= CREDIT_CODEC_VERSION && { cbfc: hex(tlv.cbfc, 2) }),
  });
  return outcome;
}

function readSfc(value: Uint8Array, fields: Fields): Decoded {
  const tlv = blankSourceFlowControl();
  const outcome = decodeSourceFlowControl(value, tlv);
  if (outcome !== 'ok') return outcome;
  const { version, sends, proxy, responds, layer2, ipv4, ipv6, address } = tlv;
  const flags = [sends, proxy, responds, layer2, ipv4, ipv6].map(Number);
  put(fields, 'sfc', {
    ...{ version, ...named(SFC_FLAGS, flags), monitored: hex(tlv.monitored, 2) },
    ...{ hop_limit: tlv.hopLimit, mac: mac(tlv.mac), udp_port: tlv.udpPort },
    ...(address.length === 4 && { ipv4_address: [...address].join('.') }),
  });
  return outcome;
}

const named = (names: readonly string[], values: readonly number[]): Record<string, number> =>
  Object.fromEntries(names.map((name, i) => [name, values[i]!]));

function readLinkLayer(value: Uint8Array, fields: Fields): Decoded {
  const tlv = blankLinkLayer();
  const outcome = decodeLinkLayer(value, tlv);
  if (outcome !== 'ok') return outcome;
  const { version, retry, credits } = tlv;
  put(fields, 'link_layer', { version, llr: Number(retry), cbfc: Number(credits) });
  return outcome;
}

function readCredits(value: Uint8Array, fields: Fields): Decoded {
  const tlv = blankChannelCredits();
  const outcome = decodeChannelCredits(value, tlv);
  if (outcome !== 'ok') return outcome;
  const { channels, creditOctets, overhead, total, limits } = tlv;
  const lossless = tlv.lossless >>> 0;
  put(fields, 'link_layer', { channels, credit_size: creditOctets, overhead });
  put(fields, 'link_layer', { port_credits: total, lossless: hex(lossless, 8) });
  limits.forEach((credits, vc) => {
    if ((lossless & (1 << vc)) !== 0) put(fields, 'link_layer', { [`credits.vc${vc}`]: credits });
  });
  return outcome;
}

function readCnm(octets: Uint8Array, at: number, fields: Fields): Decoded {
  const cnm = blankCnm();
  const outcome = decodeCnm(octets, at, cnm);
  if (outcome !== 'ok') return outcome;
  put(fields, 'cnm', {
    version: 0,
    feedback: cnm.feedback,
    'cpid.bridge': mac(cnm.bridge),
    'cpid.port': cnm.port,
    'cpid.priority': cnm.queuePriority,
    queue_offset: cnm.queueOffset,
    queue_delta: cnm.queueDelta,
    priority: cnm.priority,
    destination: mac(cnm.destination),
    ...msduFields(cnm),
  });
  return outcome;
}

function readCongestion(octets: Uint8Array, fields: Fields): Decoded {
  const envelope = blankEnvelope();
  if (decodeEnvelope(octets, 0, envelope) !== 'ok') return 'ok';
  const { encapsulation, ethernet, udp, pduAt, pduEnd } = envelope;
  const isOurs =
    encapsulation === 'ethernet'
      ? ethernet.etherType === ETHERTYPE_CONGESTION
      : [UDP_PORT_CIM, UDP_PORT_SFCM].includes(udp.destinationPort);
  if (!isOurs) return 'ok';
  const cim = blankCim();
  if (octets[pduAt] === SUBTYPE_CIM) {
    const outcome = decodeCim(octets, pduAt, pduEnd, cim);
    if (outcome === 'ok') put(fields, 'cim', { version: 0, add: Number(cim.add), ...about(cim) });
    return outcome;
  }
  const sfcm = blankSfcm();
  const outcome = decodeSfcm(octets, pduAt, pduEnd, sfcm);
  if (outcome !== 'ok') return outcome;
  const { type, priority, dscp, sequence, pauseNs, queueMac, queueNumber, queueUnits } = sfcm;
  put(fields, 'sfcm', {
    ...{ version: 1, type, length: readU16(octets, pduAt + 2), priority, sequence },
    ...{ dscp_valid: Number(dscp >= 0), ...(dscp < 0 ? {} : { dscp }), pause_ns: pauseNs },
    ...about(sfcm),
    ...{ 'queue.mac': mac(queueMac), 'queue.number': hex(queueNumber, 4) },
    'queue.units': queueUnits,
  });
  return outcome;
}

interface About {
  readonly destination: number;
  readonly source: number;
  readonly vlan: number;
  readonly msduOctets: number;
  readonly msdu: Uint8Array;
}

/** The flow that a message is about. */
function about(message: About): Record<string, string | number> {
  const { destination, source, vlan } = message;
  const flow = { destination: mac(destination), source: mac(source), vid: vlan };
  return { ...flow, ...msduFields(message) };
}

function msduFields({ msduOctets, msdu }: Pick<About, 'msduOctets' | 'msdu'>) {
  const shown = Buffer.from(msdu.subarray(0, msduOctets)).toString('hex');
  return { msdu_length: msduOctets, ...(msduOctets === 0 ? {} : { msdu: shown }) };
}

function flagFields(flags: number): Record<string, string | number> {
  return {
    flags: hex(flags, 2),
    'flags.syn': Number((flags & CE_SYN) !== 0),
    'flags.ack': Number((flags & CE_ACK) !== 0),
    'flags.report': Number((flags & CE_REPORT) !== 0),
    epoch: flags & CE_EPOCH_MASK,
  };
}

function put(fields: Fields, protocol: string, own: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(own)) fields[`${protocol}.${name}`] = String(value);
}

function hex(value: number, digits: number): string {
  return `0x${value.toString(16).padStart(digits, '0')}`;
}

function mac(address: number): string {
  return address
    .toString(16)
    .padStart(12, '0')
    .replace(/..(?!$)/g, '$&:');
}
