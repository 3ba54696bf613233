/**
 * Switches that are configured anew during a run. Whoever sets something finds what was set before:
 * so changes of a switch are planned in the order of their times, each on top of those before, and
 * an engine is told the difference.
 */

import type { FaultEffect } from '../../engine/contract/fault.js';
import type { BufferChange, BufferSpec } from '../../engine/contract/memory.js';
import { rateOfBps } from '../../engine/units/rates.js';
import { isDeepStrictEqual } from 'node:util';
import { type BufferEdit, type LinkSetting, NoSuchName } from '../faults/setting.js';
import { PS_PER_MM } from '../link-length.js';
import type { FaultSection } from '../scenario/fault-section.js';
import type { Fail, Path } from '../topology/cabling.js';
import type { LinkEnd } from './link-ends.js';

/** Plans the pools of a switch as edits make its section, with its links as they are then. */
export type PlanBuffer = (
  device: number,
  edits: readonly BufferEdit[],
  ends: readonly LinkEnd[],
  fail: (keys: Path, message: string) => Error,
) => BufferSpec | null;

/** What one fault sets at one switch. */
interface Change {
  readonly fault: FaultSection;
  readonly index: number;
  readonly edits: BufferEdit[];
  /** By port: its link from then on. */
  readonly links: Map<number, LinkSetting>;
}

type Put = (fault: FaultSection, index: number, end: LinkEnd, effect: FaultEffect) => void;

export class SetBuffers {
  /** By switch, then fault. */
  private readonly changes = new Map<number, Map<number, Change>>();
  private readonly links = new Set<string>();

  constructor(
    private readonly linkEnds: readonly (readonly LinkEnd[])[],
    private readonly plan: PlanBuffer,
    private readonly fail: Fail,
  ) {}

  /** False: the device has no pools. */
  edit(fault: FaultSection, index: number, device: number, edit: BufferEdit): boolean {
    if (this.planOf(device, [], this.linkEnds[device]!, index) === null) return false;
    this.changeOf(fault, index, device).edits.push(edit);
    return true;
  }

  link(fault: FaultSection, index: number, end: LinkEnd, setting: LinkSetting, put: Put): void {
    this.checkLink(index, end, setting);
    const peer = this.linkEnds[end.peerDevice]![end.peerPort]!;
    for (const own of [end, peer]) {
      const key = `${index} ${own.name}`;
      if (this.links.has(key)) continue;
      this.links.add(key);
      this.changeOf(fault, index, own.device).links.set(own.port, setting);
      put(fault, index, own, effectOf(own, setting));
    }
  }

  /** Puts what faults from a number on set; earlier ones are there already. */
  put(firstIndex: number, put: Put): void {
    for (const [device, changes] of this.changes) this.putAt(device, changes, firstIndex, put);
  }

  private putAt(
    device: number,
    changes: ReadonlyMap<number, Change>,
    firstIndex: number,
    put: Put,
  ): void {
    let before = this.planOf(device, [], this.linkEnds[device]!, firstIndex);
    if (before === null) return;
    const edits: BufferEdit[] = [];
    const ends = [...this.linkEnds[device]!];
    const ordered = [...changes.values()].sort(
      (a, b) => a.fault.startPs - b.fault.startPs || a.index - b.index,
    );
    const planned = ordered.findLast(({ index }) => index < firstIndex);
    for (const change of ordered) {
      const { fault, index, links } = change;
      if (index >= firstIndex && planned !== undefined && planned.fault.startPs > fault.startPs) {
        const message =
          `${planned.fault.name} sets the same switch later, and was planned without this: ` +
          'inject it after that, or declare it';
        throw this.fail(['faults', index], message);
      }
      edits.push(...change.edits);
      for (const [port, setting] of links) ends[port] = withLink(ends[port]!, setting);
      const after = this.planOf(device, edits, ends, index)!;
      const difference = changeOf(before, after);
      if (difference === 'shared') {
        const message =
          'shared headroom cannot come or go while a switch runs: give it some always';
        throw this.fail(['faults', index], message);
      }
      if (index >= firstIndex) {
        ends.forEach((end, port) => {
          put(fault, index, end, port === 0 ? difference : { kind: 'excuse' });
        });
      }
      before = after;
    }
  }

  private planOf(
    device: number,
    edits: readonly BufferEdit[],
    ends: readonly LinkEnd[],
    index: number,
  ): BufferSpec | null {
    try {
      return this.plan(device, edits, ends, (_, message) => this.fail(['faults', index], message));
    } catch (error) {
      if (!(error instanceof NoSuchName)) throw error;
      throw this.fail(['faults', index, error.key], error.message);
    }
  }

  private changeOf(fault: FaultSection, index: number, device: number): Change {
    const own = this.changes.get(device) ?? new Map<number, Change>();
    this.changes.set(device, own);
    const known = own.get(index) ?? { fault, index, edits: [], links: new Map() };
    own.set(index, known);
    return known;
  }

  /** How far a run may look ahead, and how much it may send, follows from links as described. */
  private checkLink(index: number, { link, name }: LinkEnd, { rateBps, lengthMm }: LinkSetting) {
    const remedy = 'describe the link by its highest rate and shortest cable, and set it at 0ns';
    if (rateBps !== null && rateBps > link.rateBps) {
      throw this.fail(['faults', index, 'rate'], `faster than the link of ${name}: ${remedy}`);
    }
    if (lengthMm !== null && lengthMm * PS_PER_MM < link.propagationPs) {
      throw this.fail(['faults', index, 'cable'], `shorter than the link of ${name}: ${remedy}`);
    }
  }
}

function effectOf({ link }: LinkEnd, { rateBps, lengthMm }: LinkSetting): FaultEffect {
  return {
    kind: 'link',
    octetPs: rateBps === null ? null : rateOfBps(rateBps)!.psPerOctet,
    delayPs: lengthMm === null ? null : lengthMm * PS_PER_MM - link.propagationPs,
  };
}

function withLink(end: LinkEnd, { rateBps, lengthMm }: LinkSetting): LinkEnd {
  const link = {
    ...end.link,
    ...(rateBps !== null && { rateBps }),
    ...(lengthMm !== null && { propagationPs: lengthMm * PS_PER_MM }),
  };
  return {
    ...end,
    link,
    octetPs: rateOfBps(link.rateBps)!.psPerOctet,
    latencyPs: link.propagationPs + link.interfaceDelayPs,
  };
}

/** From one plan of a buffer to the next; `shared`: its headroom is shared in one of them. */
function changeOf(before: BufferSpec, after: BufferSpec): FaultEffect | 'shared' {
  const [old, now] = [before.pools!, after.pools!];
  const isShared = [old, now].map(({ headroomOctets }) => headroomOctets !== Infinity);
  if (isShared[0] !== isShared[1]) return 'shared';
  const sizes = [
    ...now.pools.map(({ octets }, i) => octets - old.pools[i]!.octets),
    isShared[0] ? now.headroomOctets - old.headroomOctets : 0,
  ];
  const groups: BufferChange['groups'][number][] = [];
  const queues: BufferChange['queues'][number][] = [];
  now.groups.forEach((own, port) => {
    own.forEach((share, group) => {
      const account = after.accounts[port]![group]!;
      const is = [share, account];
      if (isDeepStrictEqual(is, [old.groups[port]![group], before.accounts[port]![group]])) return;
      const portAlpha = share.pool < 0 ? null : now.portAlphas[port]![share.pool]!;
      groups.push({ port, group, account, share, portAlpha });
    });
    now.queues[port]!.forEach((share, queue) => {
      if (isDeepStrictEqual(share, old.queues[port]![queue])) return;
      queues.push({ port, queue, share });
    });
  });
  const sharedOf = ({ sizeOctets, accounts }: BufferSpec): number =>
    accounts
      .flat()
      .reduce((left, own) => left - own.reservedOctets - own.headroomOctets, sizeOctets);
  const sharedOctets = sharedOf(after) - sharedOf(before);
  return { kind: 'set', change: { sizes, sharedOctets, groups, queues } };
}
