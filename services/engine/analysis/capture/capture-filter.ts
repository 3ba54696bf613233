import { ALL_PRIORITIES } from '../../units/ethernet.js';
import { CONTROL_FRAMES, matchesControl } from '../../faults/control-frames.js';
import type { FramePool } from '../../frame/frame-pool.js';
import {
  CLASS,
  CONNECTION,
  KIND_ACK,
  isCut,
  KIND_CUT,
  KIND_CUT_LAST,
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
import { ETHERTYPE_MAC_CONTROL, ETHERTYPE_AT } from '../../wire/ethernet.js';
import { ETHERTYPE_LLDP } from '../../wire/lldp/lldpdu.js';
import { isLlrSet } from '../../wire/llr.js';
import { isCcUpdate } from '../../wire/mac-control/cc-update.js';
import { MAC_CONTROL_KINDS, MAC_CONTROL_TYPES } from '../../wire/mac-control/kinds.js';
import { OPCODE_EXTENSION } from '../../wire/mac-control/opcodes.js';
import { CF_UPDATE } from '../../wire/cf-update.js';
import { ORDERED_SET_OCTETS, orderedSetType } from '../../wire/ordered-set.js';
import type { FlowMark } from '../trace/frame-sampler.js';
import { isOfFlow } from '../trace/frame-sampler.js';
import { readNotice } from './notice-reader.js';
import { MAC_CONTROL_OPCODE } from '../../wire/mac-control/mac-control-header.js';

/** Types of frames that a capture can select; the names are those of scenarios. */
export const CAPTURE_TYPES = [
  'data',
  'ack',
  'nak',
  'cnp',
  'cnm',
  'cim',
  'sfcm',
  ...MAC_CONTROL_TYPES,
  'cbfc',
  'llr',
  'lldp',
  'other',
] as const;

export type CaptureType = (typeof CAPTURE_TYPES)[number];

/** A flow in both directions: its frames, and those that answer them. */
export interface CapturedFlow {
  readonly mark: FlowMark;
  /** Positions of its destination stations; several of a group. */
  readonly receivers: readonly number[];
  /** Its source, and its connection there. */
  readonly sender: number;
  readonly connection: number;
}

/** A frame must match all criteria. */
export interface CaptureFilter {
  /** One bit each. */
  readonly priorities: number;
  /** Empty: all. */
  readonly types: readonly CaptureType[];
  /** Null: of any, or none. */
  readonly flows: readonly CapturedFlow[] | null;
}

/** Which frames are captured at which ports; plain data. */
export interface CaptureSpec {
  /** By device: its captured ports. */
  readonly ports: readonly (readonly number[])[];
  /** A frame must match any of them; none: all match. */
  readonly filters: readonly CaptureFilter[];
  /** Most frames of each port, and as many ordered sets. */
  readonly frames: number;
}

/** Control frames that concern priorities. */
const NAMING = [...MAC_CONTROL_KINDS.map(({ name }) => name), 'ce-tag-request', 'ce-tag-grant'];

/** Whether a data frame matches; `octets` are those of a notice. */
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

/** Whether a control frame matches: it names priorities, and no flow. */
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

/** By opcode of MAC control, or else by EtherType; of an ordered set by its type. */
function typeOfControl(octets: Uint8Array): CaptureType {
  if (isOrderedSet(octets)) return typeOfOrderedSet(octets);
  switch (readU16(octets, ETHERTYPE_AT)) {
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

/** Control frames are longer. */
export function isOrderedSet(octets: Uint8Array): boolean {
  return octets.length === ORDERED_SET_OCTETS;
}

function typeOfOrderedSet(octets: Uint8Array): CaptureType {
  if (orderedSetType(octets, octets.length) === CF_UPDATE) return 'cbfc';
  return isLlrSet(octets, octets.length) ? 'llr' : 'other';
}

function typeOfMacControl(octets: Uint8Array): CaptureType {
  const opcode = readU16(octets, MAC_CONTROL_OPCODE);
  if (opcode === OPCODE_EXTENSION && isCcUpdate(octets, octets.length)) return 'cbfc';
  return MAC_CONTROL_KINDS.find((kind) => kind.opcode === opcode)?.type ?? 'other';
}

/** PAUSE applies to every priority; a frame that names none applies to none. */
function concerns(octets: Uint8Array, priorities: number): boolean {
  return NAMING.some((name) =>
    matchesControl({ ...CONTROL_FRAMES[name], priorities }, octets, octets.length),
  );
}

function typeOfFrame(pool: FramePool, frame: number, octets: () => Uint8Array): CaptureType {
  switch (pool.words[frame + CLASS] & KIND_MASK) {
    case KIND_RAW:
    case KIND_DATA:
    case KIND_CUT:
    case KIND_CUT_LAST:
      return 'data';
    case KIND_ACK:
      return 'ack';
    case KIND_NAK:
      return 'nak';
    default:
      return readNotice(octets()).type;
  }
}

/**
 * Frames of the flow itself, and messages about it from its receivers and switches to its sender.
 */
function belongsTo(
  flow: CapturedFlow,
  pool: FramePool,
  frame: number,
  octets: () => Uint8Array,
): boolean {
  const { words, ends } = pool;
  const kind = words[frame + CLASS] & KIND_MASK;
  if (kind === KIND_RAW || kind === KIND_DATA || isCut(kind))
    return isOfFlow(flow.mark, pool, frame);
  if (words[frame + TARGET] !== flow.sender) return false;
  if (kind === KIND_NOTICE) return readNotice(octets()).connection === flow.connection;
  return (
    flow.receivers.includes(ends[frame + SOURCE]) && ends[frame + CONNECTION] === flow.connection
  );
}
