import { UNKNOWN } from '../../kernel/kinds.js';
import type { VlanPortSpec } from '../../contract/spec.js';
import type { FramePool } from '../../frame/frame-pool.js';
import { CLASS, GROUP_FLAG, SOURCE, TARGET, VLAN } from '../../frame/frame-pool.js';
import type { Clock } from '../../kernel/clock.js';
import type { PortUse } from '../../failover/failover-mechanism.js';
import type { SwitchRoutes } from '../../routing/shortest-paths.js';
import type { Forwarding } from './forwarding.js';
import { FILTERED, NOWHERE, SEVERAL } from './forwarding.js';
import type { FrameRef } from '../../units/indices.js';
import { assert } from '../../kernel/assert.js';
import { VID_MASK } from '../../units/ethernet.js';

const TAG_OCTETS = 4;
const INNER = 0xffff;

/**
 * An 802.1Q bridge: learns the port of each address, per VLAN; floods unknown and group addresses
 * to every port of the VLAN; removes entries after the ageing time.
 */
export class Bridge implements Forwarding {
  static readonly kinds = UNKNOWN;

  readonly #pool: FramePool;
  readonly #clock: Clock;
  readonly #vlans: readonly VlanPortSpec[];
  readonly #copies: Uint16Array;
  copyCount = 0;
  /** By VLAN index and host position: the port it was seen on (-1: never) and when. */
  private readonly learnedPort: Int16Array;
  private readonly learnedAt: Float64Array;
  private most = Infinity;
  #uses: readonly PortUse[];
  readonly #vlanIndex: ReadonlyMap<number, number>;
  /** By VLAN index: member ports. */
  readonly #members: readonly (readonly number[])[];

  constructor(
    pool: FramePool,
    vlans: readonly VlanPortSpec[],
    private readonly hosts: number,
    private readonly ageingPs: number,
    clock: Clock,
  ) {
    this.#pool = pool;
    this.#clock = clock;
    this.#vlans = vlans;
    this.#copies = new Uint16Array(vlans.length);
    this.#uses = vlans.map(() => 'any');
    const ids = [...new Set(vlans.flatMap((port) => [port.native, ...port.tagged]))];
    ids.sort((a, b) => a - b);
    this.#vlanIndex = new Map(ids.map((id, i) => [id, i]));
    this.#members = ids.map((id) =>
      vlans.flatMap((port, i) => (port.native === id || port.tagged.includes(id) ? [i] : [])),
    );
    this.learnedPort = new Int16Array(ids.length * hosts).fill(-1);
    this.learnedAt = new Float64Array(ids.length * hosts);
  }

  egress(port: number, frame: FrameRef): number {
    const { now } = this.#clock;
    const { words, ends } = this.#pool;
    const id = this.vlanOf(port, frame);
    const vlan = this.#vlanIndex.get(id);
    if (vlan === undefined || !this.#members[vlan].includes(port)) return FILTERED;
    const base = vlan * this.hosts;
    const source = ends[frame + SOURCE];
    // A message of a switch has no source station to learn.
    if (source >= 0 && this.hasRoomFor(base + source)) {
      assert(source < this.hosts, 'bridge.learned-station');
      this.learnedPort[base + source] = port;
      this.learnedAt[base + source] = now;
    }
    this.#pool.setCameTagged(frame, (ends[frame + VLAN] & INNER) === 0 ? 0 : TAG_OCTETS);
    ends[frame + VLAN] = (ends[frame + VLAN] & ~INNER) | id;
    if ((words[frame + CLASS] & GROUP_FLAG) === 0) {
      const target = base + words[frame + TARGET];
      const out = this.learnedPort[target];
      if (this.isKnown(target)) return out === port ? NOWHERE : out;
    }
    return this.flood(port, vlan);
  }

  /**
   * Inside the bridge a frame's VLAN is in its tag field, whether it arrived tagged or not; it
   * leaves untagged where the VLAN is native.
   */
  rewrite(frame: FrameRef, egress: number): number {
    const { ends } = this.#pool;
    const came = this.#pool.cameTagged(frame);
    const goes = this.#vlans[egress].native === (ends[frame + VLAN] & INNER) ? 0 : TAG_OCTETS;
    if (goes === 0) ends[frame + VLAN] &= ~INNER;
    assert(came === 0 || came === TAG_OCTETS, 'bridge.tag-that-came');
    return goes - came;
  }

  answerTags(frame: FrameRef, egress: number): number {
    const { ends } = this.#pool;
    const outer = ends[frame + VLAN] & ~INNER;
    if (this.#pool.cameTagged(frame) === 0) return outer;
    const inner = ends[frame + VLAN] & INNER;
    return outer | (inner === 0 ? this.#vlans[egress].native : inner);
  }

  /** Unknown destinations are flooded. */
  portsTo(): readonly number[] {
    return [...this.#uses.keys()].filter((port) => this.#uses[port] === 'any');
  }

  portsOfGroup(): readonly number[] {
    return this.portsTo();
  }

  /** Entries of ports that are down are removed, and nothing is flooded there. */
  reroute(_routes: SwitchRoutes | null, uses: readonly PortUse[]): void {
    this.#uses = uses;
    this.learnedPort.forEach((port, entry) => {
      if (port >= 0 && uses[port] !== 'any') this.learnedPort[entry] = -1;
    });
  }

  limit(entries: number): void {
    this.most = entries;
  }

  forget(): void {
    this.learnedPort.fill(-1);
  }

  /** A full table keeps its entries; other addresses are flooded. */
  private hasRoomFor(entry: number): boolean {
    if (this.most === Infinity || this.isKnown(entry)) return true;
    let known = 0;
    for (let e = 0; e < this.learnedPort.length; e++) if (this.isKnown(e)) known++;
    return known < this.most;
  }

  private isKnown(entry: number): boolean {
    return this.learnedPort[entry] >= 0 && this.#clock.now - this.learnedAt[entry] <= this.ageingPs;
  }

  private vlanOf(port: number, frame: FrameRef): number {
    const identifier = this.#pool.ends[frame + VLAN] & VID_MASK;
    return identifier === 0 ? this.#vlans[port].native : identifier;
  }

  private flood(port: number, vlan: number): number {
    this.copyCount = 0;
    for (const out of this.#members[vlan]) {
      if (out !== port && this.#uses[out] === 'any') this.#copies[this.copyCount++] = out;
    }
    return this.copyCount === 0 ? NOWHERE : SEVERAL;
  }

  get copies(): Uint16Array {
    return this.#copies;
  }
}
