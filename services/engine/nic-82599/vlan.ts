/** VLAN headers and user priority (7.4.5). A tag is its EtherType and its control information. */

export interface VlanTag {
  readonly etherType: number;
  /** Priority (3 bits), DEI, identifier (12 bits). */
  readonly tci: number;
}

/** Register values about tags. */
export interface VlanModes {
  /** CTRL_EXT.EXTENDED_VLAN and DMATXCTL.GDV. */
  readonly double: boolean;
  /** EXVET: EtherType of the outer tag. */
  readonly outerType: number;
  /** VLNCTRL.VET: EtherType of the inner tag. */
  readonly innerType: number;
  /** DMATXCTL.VT: EtherType of an inner tag that the part inserts. */
  readonly insertedType: number;
  readonly dcb: boolean;
}

/** How an untagged frame gets its user priority; `carried`: from the priority of its load. */
type UntaggedPriority = 'carried' | 'table' | 'seven';

/** Tag fields of the receive descriptor, and the tags that stay in the data. */
interface VlanReceived {
  /** Status.VEXT and Status.VP. */
  readonly outerSeen: boolean;
  readonly innerSeen: boolean;
  /** TCI of a stripped inner tag, in the descriptor; null where nothing was stripped. */
  readonly stripped: number | null;
  readonly kept: readonly VlanTag[];
  /** The outer EtherType is not the one of EXVET: no offload but LinkSec. */
  readonly unknown: boolean;
}

/** EtherTypes of tags on the wires of the emulator. */
export const C_TAG = 0x8100;
const S_TAG = 0x88a8;
/** CFI, which 802.1Q calls DEI. */
const DEI = 1 << 12;

/** The tags of a frame: VLANs of a C-TAG in the low half and of an S-TAG in the high half. */
export function tagsOf(vlans: number, priority: number): VlanTag[] {
  const inner = vlans & 0xffff;
  const outer = vlans >>> 16;
  const tags: VlanTag[] = [];
  if (outer !== 0) tags.push({ etherType: S_TAG, tci: (priority << 13) | identifierOf(outer) });
  if (inner !== 0) tags.push({ etherType: C_TAG, tci: (priority << 13) | identifierOf(inner) });
  return tags;
}

export function priorityOf(tci: number): number {
  return tci >>> 13;
}

export function isDropEligible(tci: number): boolean {
  return (tci & DEI) !== 0;
}

export function packTci(priority: number, dei: boolean, vlan: number): number {
  return (priority << 13) | (dei ? DEI : 0) | vlan;
}

export function identifierOf(tci: number): number {
  return tci & 0xfff;
}

/**
 * The inner tag, by which frames are filtered and steered; null where there is none of the right
 * EtherType. A single tag in double mode is outer, and a frame whose outer tag is unknown is not
 * parsed further. Two tags in single mode are an error, for which Table 7-49 uses the first.
 */
export function innerTag(tags: readonly VlanTag[], modes: VlanModes): VlanTag | null {
  if (!modes.double && tags.length === 2) return tags[0];
  if (modes.double && tags.length > 0 && tags[0].etherType !== modes.outerType) return null;
  const tag = tags[modes.double ? 1 : 0] ?? null;
  return tag !== null && tag.etherType === modes.innerType ? tag : null;
}

/**
 * User priority of a received frame (Table 7-49). An untagged frame has 0, except that the note of
 * 7.7.1 gives 7 to the layer-2 control frames that are untagged under DCB; in double mode 7.4.5.2
 * gives 0 to those too.
 */
export function userPriority(
  tags: readonly VlanTag[],
  modes: VlanModes,
  toReservedAddress: boolean,
): number {
  if (tags.length === 0) return !modes.double && modes.dcb && toReservedAddress ? 7 : 0;
  const inner = innerTag(tags, modes);
  return inner === null ? 0 : priorityOf(inner.tci);
}

/** User priority of a received frame of a load, whose tags all have its priority. */
export function receivedPriority(
  priority: number,
  vlans: number,
  modes: VlanModes,
  untagged: UntaggedPriority,
): number {
  if (vlans === 0 && untagged === 'carried') return priority;
  if (vlans === 0 && untagged === 'seven') return modes.dcb ? 7 : 0;
  // No frame of a load has a reserved destination address.
  return userPriority(tagsOf(vlans, priority), modes, false);
}

/** Inserts an inner tag: from the pool's register before all, else from the descriptor. */
export function insertTag(
  tags: readonly VlanTag[],
  fromDescriptor: number | null,
  fromPool: number | null,
  modes: VlanModes,
): VlanTag[] {
  const tci = fromPool ?? fromDescriptor;
  if (tci === null) return [...tags];
  const place = modes.double ? Math.min(1, tags.length) : 0;
  return [...tags.slice(0, place), { etherType: modes.insertedType, tci }, ...tags.slice(place)];
}

/** Parses the tags of a received frame and strips the inner one if the queue is configured to. */
export function receiveTags(
  tags: readonly VlanTag[],
  modes: VlanModes,
  strip: boolean,
): VlanReceived {
  const outer = modes.double ? (tags[0] ?? null) : null;
  const outerSeen = outer !== null && outer.etherType === modes.outerType;
  const unknown = outer !== null && !outerSeen;
  const inner = innerTag(tags, modes);
  const innerSeen = inner !== null && inner.etherType === modes.innerType;
  const stripped = innerSeen && strip ? inner.tci : null;
  const kept = stripped === null ? [...tags] : tags.filter((tag) => tag !== inner);
  return { outerSeen, innerSeen, stripped, kept, unknown };
}
