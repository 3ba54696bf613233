import type { VlanModes } from './vlan.js';
import { receiveTags, tagsOf } from './vlan.js';

/** Which tags a frame has: bit 0 a C-TAG, bit 1 an S-TAG. */
const SHAPES = 4;
const ANY_VLAN = 1;

/** What receive descriptors say of frames with such tags (7.4.5.1). */
export interface TagStatus {
  /** From the outer tag to the inner one. */
  readonly tags: readonly ('S-TAG' | 'C-TAG')[];
  readonly frames: number;
  /** Status.VEXT and Status.VP. */
  readonly vext: boolean;
  readonly vp: boolean;
  /** The outer EtherType is not that of EXVET. */
  readonly unknown: boolean;
  /** So many had their inner tag taken off (RXDCTL.VME). */
  readonly stripped: number;
}

/** Counts received frames by their tags, which decide the bits of their descriptor. */
export class ReceivedTags {
  private readonly frames = new Float64Array(SHAPES);
  private readonly stripped = new Float64Array(SHAPES);

  note(vlans: number, isStripped: boolean): void {
    const shape = ((vlans & 0xffff) !== 0 ? 1 : 0) | (vlans >>> 16 !== 0 ? 2 : 0);
    this.frames[shape]++;
    if (isStripped) this.stripped[shape]++;
  }

  /** Those that have been received. */
  rows(modes: VlanModes): TagStatus[] {
    return Array.from(this.frames, (frames, shape): TagStatus => {
      const vlans = (shape & 1 ? ANY_VLAN : 0) | (shape & 2 ? ANY_VLAN << 16 : 0);
      const { outerSeen, innerSeen, unknown } = receiveTags(tagsOf(vlans, 0), modes, false);
      return {
        tags: [...(shape & 2 ? ['S-TAG' as const] : []), ...(shape & 1 ? ['C-TAG' as const] : [])],
        frames,
        vext: outerSeen,
        vp: innerSeen,
        unknown,
        stripped: this.stripped[shape],
      };
    }).filter(({ frames }) => frames > 0);
  }
}
