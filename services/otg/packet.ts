/** Headers of a flow's packets: what selects a class, and control frames octet by octet. */

import { PRIORITY_NUMBERS } from '../engine/units/ethernet.js';
import type { Part } from './part.js';

/** How the frames of a flow are classified. */
export interface DataHeader {
  /** Each frame has the next of them; null: no IP header says one. */
  readonly dscps: readonly number[] | null;
  /** ECN-capable transport. */
  readonly ect: boolean;
  readonly vlan: { readonly id: number; readonly priority: number } | null;
}

const CONTROL = ['pfcpause', 'ethernetpause'];
const MAC = /^([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}$/;
const CONTROL_GROUP = '01:80:c2:00:00:01';
const SOURCE = '00:00:00:00:00:00';
const MAC_CONTROL = 0x8808;
const PFC = 0x0101;
const PAUSE = 0x0001;
/** Without FCS. */
const LEAST_OCTETS = 60;
/** Fields of addresses, which nothing here goes by. */
const OF_IPV4 = [
  ...['version', 'header_length', 'total_length', 'identification', 'reserved', 'dont_fragment'],
  ...['more_fragments', 'fragment_offset', 'time_to_live', 'protocol', 'header_checksum'],
  ...['src', 'dst'],
];

/** In hexadecimal, where the packet is a control frame of the link; null: it is data. */
export function controlFrameOf(headers: readonly Part[]): string | null {
  const [first] = headers;
  const kind = first?.text('choice') ?? '';
  if (!CONTROL.includes(kind)) return null;
  for (const other of headers.slice(1)) other.error('choice', `nothing follows ${kind}`);
  const part = first!.part(kind);
  const isPfc = kind === 'pfcpause';
  const octets: number[] = [];
  const put = (value: number, width: number): void => {
    for (let shift = 8 * (width - 1); shift >= 0; shift -= 8) octets.push((value >>> shift) & 0xff);
  };
  for (const [key, usual] of [
    ['dst', CONTROL_GROUP],
    ['src', SOURCE],
  ] as const) {
    const address = valueOf(part, key, usual);
    if (!MAC.test(address)) part.error(key, `${address} is no MAC address`);
    octets.push(...address.split(/[:-]/).map((digits) => Number.parseInt(digits, 16)));
  }
  put(numberIn(part, 'ether_type', MAC_CONTROL), 2);
  put(numberIn(part, 'control_op_code', isPfc ? PFC : PAUSE), 2);
  if (isPfc) {
    put(numberIn(part, 'class_enable_vector', 0), 2);
    for (const priority of PRIORITY_NUMBERS) put(numberIn(part, `pause_class_${priority}`, 0), 2);
  } else put(numberIn(part, 'time', 0), 2);
  part.end();
  first!.end();
  while (octets.length < LEAST_OCTETS) octets.push(0);
  return Buffer.from(octets).toString('hex');
}

export function dataHeaderOf(headers: readonly Part[]): DataHeader {
  let header: DataHeader = { dscps: null, ect: false, vlan: null };
  for (const own of headers) {
    const kind = own.chosen('ethernet', ['ethernet', 'vlan', 'ipv4', 'udp']);
    const part = own.part(kind);
    if (kind === 'ethernet') part.accept('dst', 'src', 'ether_type', 'pfc_queue');
    else if (kind === 'udp') part.accept('src_port', 'dst_port', 'length', 'checksum');
    else if (kind === 'vlan') {
      const vlan = { id: numberIn(part, 'id', 1), priority: numberIn(part, 'priority', 0) };
      part.accept('cfi', 'tpid');
      header = { ...header, vlan };
    } else {
      part.accept(...OF_IPV4);
      header = { ...header, ...classOf(part) };
    }
    part.end();
    own.end();
  }
  return header;
}

function classOf(ipv4: Part): Pick<DataHeader, 'dscps' | 'ect'> {
  const priority = ipv4.part('priority');
  const choice = priority.chosen('dscp', ['dscp', 'raw']);
  if (choice === 'raw') {
    const values = numbersIn(priority, 'raw', 0);
    priority.end();
    const [first = 0] = values;
    return { dscps: values.map((value) => value >> 2), ect: isCapable(priority, first & 3) };
  }
  const dscp = priority.part('dscp');
  const dscps = numbersIn(dscp, 'phb', 0);
  const ect = isCapable(dscp, numberIn(dscp, 'ecn', 0));
  dscp.end();
  priority.end();
  const wrong = dscps.find((value) => value < 0 || value > 63);
  if (wrong !== undefined) dscp.error('phb', `${wrong} is outside 0 to 63`);
  return { dscps, ect };
}

function isCapable(part: Part, ecn: number): boolean {
  if (ecn === 3) part.error('ecn', 'frames that begin with congestion experienced (3)');
  return ecn === 1 || ecn === 2;
}

/** Of a field that may have a pattern: the one value. */
function valueOf(part: Part, key: string, usual: string): string {
  if (!part.has(key)) return usual;
  const pattern = part.part(key);
  pattern.chosen('value', ['value']);
  const value = pattern.text('value', usual);
  pattern.end();
  return value;
}

function numberIn(part: Part, key: string, usual: number): number {
  const values = numbersIn(part, key, usual);
  if (values.length > 1) part.error(key, 'several values: one is supported');
  return values[0] ?? usual;
}

function numbersIn(part: Part, key: string, usual: number): readonly number[] {
  if (!part.has(key)) return [usual];
  const pattern = part.part(key);
  const choice = pattern.chosen('value', ['value', 'values']);
  const values = choice === 'values' ? pattern.numbers('values') : [pattern.number('value', usual)];
  pattern.end();
  return values.length === 0 ? [usual] : values;
}
