/** Why frames of a real host do not enter, counted. */

const WHAT = {
  'wrong-vni': 'a VXLAN network identifier that no live port has',
  stranger: 'an address that is not the one of the remote',
  header: 'octets that are no header of the encapsulation',
  short: 'fewer octets than an Ethernet header has',
  'beyond-mtu': 'more octets than the MTU of the live port allows',
  'super-frame': 'a frame that segmentation offload left whole',
  'link-local': 'a frame of the link (MAC control, LLDP) where the NIC is emulated',
  'link-type': 'an EtherType that the emulated link uses for itself',
  'own-address': 'a frame to the address that it came from',
  alone: 'a frame to a group or an unknown address, and no other live port',
} as const;

/** Index of the kinds, as they are counted and reported. */
export type Refusal = keyof typeof WHAT;

/** Of one live port. */
export class Refusals {
  private readonly counts = new Map<Refusal, number>();

  /** `warn` is called at the first of each reason. */
  constructor(private readonly warn: (text: string) => void) {}

  add(reason: Refusal): void {
    const count = (this.counts.get(reason) ?? 0) + 1;
    this.counts.set(reason, count);
    if (count === 1) this.warn(`${reason}: ${WHAT[reason]}`);
  }

  get all(): Readonly<Partial<Record<Refusal, number>>> {
    return Object.fromEntries(this.counts);
  }
}
