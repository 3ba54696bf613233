import { CONTROL_FRAMES, matchesControl } from '../../faults/control-frames.js';
import type { FramePool } from '../../frame/frame-pool.js';
import {
  CLASS,
  CONNECTION,
  KIND_ACK,
  KIND_DATA,
  KIND_MASK,
  KIND_NAK,
  KIND_NOTICE,
  KIND_RAW,
  PRIORITY_MASK,
  SOURCE,
  TARGET,
} from '../../frame/frame-pool.js';
import { readU16 } from '../../wire/big-endian.js';
import { CE_TAG_GRANT, CE_TAG_REQUEST } from '../../wire/ce-tag.js';
import { ETHERTYPE_MAC_CONTROL } from '../../wire/ethernet.js';
import { ETHERTYPE_LLDP } from '../../wire/lldp/lldpdu.js';
import { isCbfc } from '../../wire/mac-control/cbfc-frame.js';
import {
  OPCODE_CE_GRANT,
  OPCODE_CE_REQUEST,
  OPCODE_EXTENSION,
  OPCODE_PAUSE,
  OPCODE_PFC,
} from '../../wire/mac-control/opcodes.js';
import type { FlowMark } from '../trace/frame-sampler.js';
import { isOfFlow } from '../trace/frame-sampler.js';
import { readNotice } from './notice-reader.js';

/** What a capture tells apart; the names are those of scenarios. */
export const CAPTURE_TYPES = [
  'data',
  'ack',
  'nak',
  'cnp',
  'cnm',
  'cim',
  'sfcm',
  'pause',
  'pfc',
  'ce',
  'cbfc',
  'lldp',
  'other',
] as const;

export type CaptureType = (typeof CAPTURE_TYPES)[number];

/** A flow both ways: its frames, and what answers them. */
export interface CapturedFlow {
  readonly mark: FlowMark;
  /** Positions of the stations that it goes to; several of a group. */
  readonly receivers: readonly number[];
  /** Where it comes from, and its connection there. */
  readonly sender: number;
  readonly connection: number;
}

/** A frame must pass all that is said. */
export interface CaptureFilter {
  /** One bit each. */
  readonly priorities: number;
  /** Empty: all. */
  readonly types: readonly CaptureType[];
  /** Null: of any, or none. */
  readonly flows: readonly CapturedFlow[] | null;
}

/** What is captured where; plain data. */
export interface CaptureSpec {
  /** By device: its ports that are watched. */
  readonly ports: readonly (readonly number[])[];
  /** Any of them must let a frame pass; none: all pass. */
  readonly filters: readonly CaptureFilter[];
  /** Most frames of each port. */
  readonly frames: number;
}

const ALL_PRIORITIES = 0xff;
const TYPE_AT = 12;
const OPCODE_AT = 14;
/** Control frames that concern priorities. */
const NAMING = [
  'pause',
  'pfc',
  'ce-request',
  'ce-grant',
  'ce-tag-request',
  'ce-tag-grant',
  'cc-update',
  'cf-update',
];

/** Whether a frame from the data path is wanted; `octets` are those of a notice. */
export function passesFrame(
  filters: readonly CaptureFilter[],
  pool: FramePool,
  frame: number,
  octets: () => Uint8Array,
): boolean {
  if (filters.length === 0) return true;
  const priority = 1 << (pool.words[frame + CLASS] & PRIORITY_MASK);
  return filters.some(
    ({ priorities, types, flows }) =>
      (priorities & priority) !== 0 &&
      (types.length === 0 || types.includes(typeOfFrame(pool, frame, octets))) &&
      (flows === null || flows.some((flow) => belongsTo(flow, pool, frame, octets))),
  );
}

/** Whether a control frame is wanted: it concerns priorities, and no flow. */
export function passesControl(filters: readonly CaptureFilter[], octets: Uint8Array): boolean {
  if (filters.length === 0) return true;
  const type = typeOfControl(octets);
  return filters.some(
    ({ priorities, types, flows }) =>
      flows === null &&
      (types.length === 0 || types.includes(type)) &&
      (priorities === ALL_PRIORITIES || concerns(octets, priorities)),
  );
}

/** By opcode of MAC control, or else by EtherType. */
export function typeOfControl(octets: Uint8Array): CaptureType {
  switch (readU16(octets, TYPE_AT)) {
    case ETHERTYPE_LLDP:
      return 'lldp';
    case CE_TAG_REQUEST:
    case CE_TAG_GRANT:
      return 'ce';
    case ETHERTYPE_MAC_CONTROL:
      return typeOfMacControl(octets);
    default:
      return 'other';
  }
}

function typeOfMacControl(octets: Uint8Array): CaptureType {
  switch (readU16(octets, OPCODE_AT)) {
    case OPCODE_PAUSE:
      return 'pause';
    case OPCODE_PFC:
      return 'pfc';
    case OPCODE_CE_REQUEST:
    case OPCODE_CE_GRANT:
      return 'ce';
    case OPCODE_EXTENSION:
      return isCbfc(octets, octets.length) ? 'cbfc' : 'other';
    default:
      return 'other';
  }
}

/** PAUSE concerns every priority; what names none concerns none. */
function concerns(octets: Uint8Array, priorities: number): boolean {
  return NAMING.some((name) => matchesControl({ ...CONTROL_FRAMES[name], priorities }, octets));
}

export function typeOfFrame(pool: FramePool, frame: number, octets: () => Uint8Array): CaptureType {
  switch (pool.words[frame + CLASS] & KIND_MASK) {
    case KIND_RAW:
    case KIND_DATA:
      return 'data';
    case KIND_ACK:
      return 'ack';
    case KIND_NAK:
      return 'nak';
    default:
      return readNotice(octets()).type;
  }
}

/** Frames of the flow itself, and what its receivers and queues on its way say to its sender. */
function belongsTo(
  flow: CapturedFlow,
  pool: FramePool,
  frame: number,
  octets: () => Uint8Array,
): boolean {
  const { words, ends } = pool;
  const kind = words[frame + CLASS] & KIND_MASK;
  if (kind === KIND_RAW || kind === KIND_DATA) return isOfFlow(flow.mark, pool, frame);
  if (words[frame + TARGET] !== flow.sender) return false;
  if (kind === KIND_NOTICE) return readNotice(octets()).connection === flow.connection;
  return (
    flow.receivers.includes(ends[frame + SOURCE]) && ends[frame + CONNECTION] === flow.connection
  );
}
