import { PRIORITIES } from '../../engine/units/ethernet.js';
import type { ExchangeTerms } from '../../engine/contract/discovery.js';
import { accountRows } from '../../engine/contract/grants-spec.js';
import type { PortSpec, RetriedFrames } from '../../engine/contract/spec.js';
import { assert } from '../../engine/kernel/assert.js';
import { UNKNOWN } from '../../engine/kernel/kinds.js';
import { field } from '../../engine/kernel/fields.js';
import type { Tables } from '../../engine/kernel/tables.js';
import type { CreditPortSpec } from './spec.js';
import type { CreditRecords } from './records.js';
import { COUNT_MASK, shiftOf, WINDOW_MOST, WORD_MASK } from './machine.js';
import {
  AGES,
  ASKED_SHIFT,
  ASKED_UNIT,
  ASKED_WIDE,
  ASKS,
  CUMULATIVE,
  FRAME,
  LOOKS_AHEAD,
  makeCreditRecords,
  USES_BACKLOG,
  MODES,
  RECORD_SHIFT,
  REFRESH_PS,
  REPORT_PS,
  SHAPED,
  SHARES,
  STEP,
  TARGET,
  TIMES_SHIFT,
  UNIT,
  UNIT_SHIFT,
  UNASKED,
  UNSOLICITED,
  WORDS_SHIFT,
} from './records.js';
import type { PortRow, Priority, TrafficClass } from '../../engine/units/indices.js';

const SERVICE_VLAN_SHIFT = 16;
const CROWD_FRAMES = 3;
const VLAN_MASK = 0xfff;

/** Terms of the link partner's grants. */
type AskedTerms = Omit<ExchangeTerms, 'tags'>;

/**
 * The credit accounts: one per port, channel and priority, with a row in the tables for each, used
 * by both directions of the link.
 */
export class CreditAccounts {
  /** By port: its first row. */
  private readonly first: Int32Array;
  private readonly rows: Int32Array;
  private readonly specs: (CreditPortSpec | null)[] = [];
  private readonly retries: (RetriedFrames | null)[] = [];
  private readonly groupsOf: (readonly number[])[] = [];
  /** By port: the number of its channel if it has one only. */
  private readonly onlyChannel: Int32Array;
  private readonly ports: Int32Array;
  private readonly priorityOf: Uint8Array;
  private readonly classes: Uint8Array;
  private readonly slotOf: Int32Array;
  private readonly channelOf: Int32Array;
  /** By port and priority: its index among the accounts of a channel. */
  private readonly placeOf: Uint8Array;
  /** By port: priorities that run credit exchange, one bit each, and their number. */
  private readonly prioritiesOf: Uint8Array;
  private readonly perChannel: Uint8Array;
  /** By port: index of the channel of a VLAN; null where there is only one channel. */
  private readonly slotOfVlan: (ReadonlyMap<number, number> | null)[] = [];
  /** By port and traffic class. */
  private readonly ofClass: number[][] = [];
  /** By traffic class and then port: its account if it has only one; or -1. */
  readonly onlyOfClass: Int32Array;
  /** By priority and then port: its account if the port has one channel; or -1. */
  readonly onlyOfPriority: Int32Array;
  readonly portCount: number;
  readonly records: CreditRecords;
  /** By account: units that the link partner can have granted at most. */
  readonly backed: Int32Array;
  private next = 0;
  readonly count: number;

  constructor(tables: Tables) {
    this.count = tables.count('credit');
    this.portCount = tables.count('port');
    this.first = new Int32Array(tables.count('port')).fill(-1);
    this.rows = new Int32Array(tables.count('port'));
    this.onlyChannel = new Int32Array(tables.count('port')).fill(-1);
    this.ports = new Int32Array(this.count);
    this.onlyOfClass = new Int32Array(tables.count('port') * PRIORITIES).fill(-1);
    this.priorityOf = new Uint8Array(this.count);
    this.classes = new Uint8Array(this.count);
    this.slotOf = new Int32Array(this.count);
    this.channelOf = new Int32Array(this.count);
    this.placeOf = new Uint8Array(tables.count('port') * PRIORITIES);
    this.prioritiesOf = new Uint8Array(tables.count('port'));
    this.perChannel = new Uint8Array(tables.count('port'));
    this.onlyOfPriority = new Int32Array(tables.count('port') * PRIORITIES).fill(-1);
    this.backed = tables.int32('credit', field('backed', UNKNOWN));
    this.records = makeCreditRecords(tables);
  }

  /** Ports are configured in their order. */
  configure(
    port: PortRow,
    spec: CreditPortSpec | null,
    { classOf, groupOf, retry }: Pick<PortSpec, 'classOf' | 'groupOf' | 'retry'>,
  ): void {
    this.retries[port] = retry ?? null;
    this.groupsOf[port] = groupOf;
    this.specs[port] = spec;
    this.first[port] = this.next;
    this.rows[port] = accountRows(spec);
    if (spec !== null) this.place(port, spec);
    this.slotOfVlan[port] = spec === null || spec.channels.length === 1 ? null : slotsOf(spec);
    for (let tc = 0; tc < 8; tc++) this.ofClass[(port << 3) | tc] = [];
    this.forEach(port, (row) => {
      const trafficClass = classOf[this.priority(row)];
      const rows = this.ofClass[(port << 3) | trafficClass];
      rows.push(row);
      this.classes[row] = trafficClass;
      this.onlyOfClass[trafficClass * this.portCount + port] = rows.length === 1 ? row : -1;
      this.setTerms(row);
    });
  }

  /** From the configuration, or as the link partner advertises. */
  setAsked(row: number, terms: AskedTerms): void {
    const { counts } = this.records;
    const r = row << RECORD_SHIFT;
    counts[r | ASKED_UNIT] = terms.askedUnitOctets;
    counts[r | ASKED_SHIFT] = shiftOf(terms.askedUnitOctets);
    counts[r | MODES] =
      (counts[r | MODES] & ~(ASKED_WIDE | CUMULATIVE)) |
      (terms.askedWide ? ASKED_WIDE : 0) |
      (terms.mode === 'cumulative' ? CUMULATIVE : 0);
    const units = terms.askedBufferUnits[this.priority(row)] ?? 0;
    const backed = terms.askedDivided ? this.partOf(row, units) : units;
    this.backed[row] = units === 0 ? WINDOW_MOST : Math.min(backed, WINDOW_MOST);
  }

  isCumulative(row: number): boolean {
    return (this.records.counts[(row << RECORD_SHIFT) | MODES] & CUMULATIVE) !== 0;
  }

  /** Accounts whose frames wait for the same queue. */
  rowsOfClass(port: PortRow, trafficClass: TrafficClass): readonly number[] {
    return this.ofClass[(port << 3) | trafficClass];
  }

  /** Frames that a port let in may be sent again for so long; 0: never. */
  settlePs(row: number): number {
    const retry = this.retries[this.port(row)];
    return retry !== null && (retry.priorities & (1 << this.priority(row))) !== 0
      ? retry.settlePs
      : 0;
  }

  /** Null where no priority of a port runs credit exchange. */
  spec(port: PortRow): CreditPortSpec | null {
    return this.specs[port];
  }

  /** The spec of a port that has accounts. */
  specOf(row: number): CreditPortSpec {
    return this.specs[this.ports[row]]!;
  }

  port(row: number): number {
    return this.ports[row];
  }

  firstRow(port: PortRow): number {
    return this.first[port];
  }

  rowCount(port: PortRow): number {
    return this.rows[port];
  }

  /** Whether a priority of a port has accounts. */
  has(port: PortRow, priority: Priority): boolean {
    return (this.prioritiesOf[port] & (1 << priority)) !== 0;
  }

  /** Whether one of these priorities has accounts, and is charged to an ingress buffer. */
  isOfGroup(port: PortRow, group: number, priorities: number): boolean {
    const among = this.prioritiesOf[port] & priorities;
    return this.groupsOf[port].some((own, p) => own === group && (among & (1 << p)) !== 0);
  }

  /** Of a priority that runs credit exchange at the port; never a row of another port. */
  row(port: PortRow, slot: number, priority: Priority): number {
    assert(slot >= 0 && this.has(port, priority), 'credit.row-of-port');
    return (
      this.first[port] + slot * this.perChannel[port] + this.placeOf[port * PRIORITIES + priority]
    );
  }

  /** The account of the link partner's port that has the other half of a row's account. */
  peerRow(row: number, peer: number): number {
    const port = this.ports[row];
    assert(this.rows[peer] === this.rows[port], 'credit.accounts-of-link');
    return this.first[peer] + row - this.first[port];
  }

  priority(row: number): number {
    return this.priorityOf[row];
  }

  trafficClass(row: number): number {
    return this.classes[row];
  }

  /** Whether no other account's frames wait for the same queue. */
  hasClassAlone(row: number): boolean {
    return this.onlyOfClass[this.classes[row] * this.portCount + this.ports[row]] === row;
  }

  /** Index of the channel in the port's list. */
  slot(row: number): number {
    return this.slotOf[row];
  }

  /** The first of the accounts that share the row's channel. */
  firstOfChannel(row: number): number {
    const port = this.ports[row];
    return this.first[port] + this.slotOf[row] * this.perChannel[port];
  }

  rowsPerChannel(port: PortRow): number {
    return this.perChannel[port];
  }

  channel(row: number): number {
    return this.channelOf[row];
  }

  bufferOctets(port: PortRow, priority: Priority): number {
    const { bufferUnits, unitOctets } = this.specs[port]!.granting;
    return bufferUnits[priority] * unitOctets;
  }

  rowOfChannel(port: PortRow, priority: Priority, channel: number): number {
    return this.row(port, this.slotOfChannel(port, channel), priority);
  }

  /** Of the buffer at this end, what the account can have at most. */
  bufferUnits(row: number): number {
    if (this.shares(row)) return this.specOf(row).granting.bufferUnits[this.priority(row)];
    return this.records.words[(row << WORDS_SHIFT) | TARGET];
  }

  /** The same, at least. */
  leastUnits(row: number): number {
    if (this.shares(row)) return this.specOf(row).granting.keepUnits[this.priority(row)];
    return this.records.words[(row << WORDS_SHIFT) | TARGET];
  }

  /**
   * As `GrantReceiver`; at most half of what the account has, and at least some frames: a frame
   * that passes, and one behind it, keep nobody from sending.
   */
  crowdedFrom(row: number): number {
    const { bufferUnits, loopUnits, frameUnits } = this.specOf(row).granting;
    const priority = this.priority(row);
    const own = this.partOf(row, bufferUnits[priority]);
    return Math.max(CROWD_FRAMES * frameUnits, Math.min(own / 2, own - loopUnits[priority]));
  }

  private shares(row: number): boolean {
    return (this.records.counts[(row << RECORD_SHIFT) | MODES] & SHARES) !== 0;
  }

  /** Whether its grants, or its requests, carry totals of more than 16 bits. */
  isWide(row: number, grants: boolean): boolean {
    if (grants) return this.specOf(row).granting.isWide;
    return (this.records.counts[(row << RECORD_SHIFT) | MODES] & ASKED_WIDE) !== 0;
  }

  /** Mask of a total in a message of that kind. */
  wordMask(row: number, grants: boolean): number {
    return this.isWide(row, grants) ? COUNT_MASK : WORD_MASK;
  }

  share(row: number): number {
    return this.specOf(row).channels[this.slot(row)].share;
  }

  /** The part of a buffer that the channel of an account has by its share. */
  private partOf(row: number, units: number): number {
    const { channels } = this.specOf(row);
    const sum = channels.reduce((total, { share }) => total + share, 0);
    return Math.floor((units * this.share(row)) / sum);
  }

  /** The account that a frame is charged to, by its priority and VLAN tags. */
  rowOfFrame(port: PortRow, priority: Priority, vlans: number): number {
    const slots = this.slotOfVlan[port];
    if (slots === null) return this.row(port, 0, priority);
    const service = (vlans >>> SERVICE_VLAN_SHIFT) & VLAN_MASK;
    const slot = slots.get(service === 0 ? vlans & VLAN_MASK : service) ?? 0;
    return this.row(port, slot, priority);
  }

  /** Index of a channel number at a port, -1 if it has none. */
  slotOfChannel(port: PortRow, channel: number): number {
    if (this.onlyChannel[port] === channel) return 0;
    const { channels } = this.specs[port]!;
    for (let slot = 0; slot < channels.length; slot++) {
      if (channels[slot].channel === channel) return slot;
    }
    return -1;
  }

  private place(port: PortRow, { channels, priorities }: CreditPortSpec): void {
    this.prioritiesOf[port] = priorities;
    this.perChannel[port] = this.rows[port] / channels.length;
    if (channels.length === 1) this.onlyChannel[port] = channels[0].channel;
    for (let slot = 0; slot < channels.length; slot++) {
      let place = 0;
      for (let priority = 0; priority < PRIORITIES; priority++) {
        if ((priorities & (1 << priority)) === 0) continue;
        this.placeOf[port * PRIORITIES + priority] = place++;
        this.ports[this.next] = port;
        this.priorityOf[this.next] = priority;
        this.channelOf[this.next] = channels[slot].channel;
        this.slotOf[this.next++] = slot;
      }
    }
  }

  private setTerms(row: number): void {
    const spec = this.specOf(row);
    const { granting, asking, counts, channels } = spec;
    const { counts: record, words, times } = this.records;
    const r = row << RECORD_SHIFT;
    const w = row << WORDS_SHIFT;
    const port = this.ports[row];
    const priority = this.priority(row);
    if (channels.length === 1) this.onlyOfPriority[priority * this.portCount + port] = row;
    record[r | UNIT] = granting.unitOctets;
    record[r | UNIT_SHIFT] = shiftOf(granting.unitOctets);
    words[w | TARGET] = this.partOf(row, granting.bufferUnits[priority]);
    words[w | STEP] = Math.min(granting.stepUnits, WINDOW_MOST);
    record[r | FRAME] = granting.frameUnits;
    record[r | MODES] =
      (granting.unsolicited ? UNSOLICITED : 0) |
      (granting.policy === 'static' ? 0 : SHARES) |
      (granting.isAsked ? 0 : UNASKED) |
      (granting.shaper === null ? 0 : SHAPED) |
      (asking.when === 'never' ? 0 : ASKS) |
      (asking.agePs === Infinity ? 0 : AGES) |
      (asking.when === 'ahead' ? LOOKS_AHEAD : 0) |
      (asking.when === 'ahead' || asking.agePs !== Infinity ? USES_BACKLOG : 0);
    this.setAsked(row, {
      mode: counts,
      askedUnitOctets: asking.unitOctets,
      askedWide: asking.isWide,
      askedDivided: asking.isDivided,
      askedBufferUnits: asking.bufferUnits,
    });
    times[(row << TIMES_SHIFT) | REFRESH_PS] = granting.refreshPs;
    times[(row << TIMES_SHIFT) | REPORT_PS] = asking.reportPs;
  }

  forEach(port: PortRow, visit: (row: number) => void): void {
    const count = this.rowCount(port);
    for (let i = 0; i < count; i++) visit(this.first[port] + i);
  }
}

function slotsOf(spec: CreditPortSpec): ReadonlyMap<number, number> {
  return new Map(spec.channels.flatMap(({ vlans }, slot) => vlans.map((vlan) => [vlan, slot])));
}
