import type { CreditPortSpec } from '../../contract/spec.js';
import type { Tables } from '../../kernel/tables.js';

const CHANNEL_SHIFT = 3;
const SERVICE_VLAN_SHIFT = 16;
const VLAN_MASK = 0xfff;

/** Rows of the table of accounts: at each port, by channel and then by priority. */
export function creditRows(spec: CreditPortSpec | null): number {
  return spec === null ? 0 : spec.channels.length << CHANNEL_SHIFT;
}

/**
 * Who has which account: one per port, channel and priority, with a row in the tables for each,
 * used by both directions of the link.
 */
export class CreditAccounts {
  /** By port: its first row. */
  private readonly first: Int32Array;
  private readonly specs: (CreditPortSpec | null)[] = [];
  private readonly ports: Int32Array;
  /** By port: place of the channel of a VLAN; null where there is only one channel. */
  private readonly slotOfVlan: (ReadonlyMap<number, number> | null)[] = [];
  /** By port and traffic class. */
  private readonly ofClass: number[][] = [];
  private next = 0;
  readonly count: number;

  constructor(tables: Tables) {
    this.count = tables.count('credit');
    this.first = new Int32Array(tables.count('port')).fill(-1);
    this.ports = new Int32Array(this.count);
  }

  /** Ports are configured in their order. */
  configure(port: number, spec: CreditPortSpec | null, classOf: readonly number[]): void {
    this.specs[port] = spec;
    this.first[port] = this.next;
    const rows = creditRows(spec);
    this.ports.fill(port, this.next, this.next + rows);
    this.next += rows;
    this.slotOfVlan[port] = spec === null || spec.channels.length === 1 ? null : slotsOf(spec);
    for (let tc = 0; tc < 8; tc++) this.ofClass[(port << 3) | tc] = [];
    this.forEach(port, (row) => {
      this.ofClass[(port << 3) | classOf[this.priority(row)]].push(row);
    });
  }

  /** Accounts whose frames wait for the same queue. */
  rowsOfClass(port: number, trafficClass: number): readonly number[] {
    return this.ofClass[(port << 3) | trafficClass];
  }

  /** Null where no priority of a port runs credit exchange. */
  spec(port: number): CreditPortSpec | null {
    return this.specs[port];
  }

  /** The spec of a port that has accounts. */
  specOf(row: number): CreditPortSpec {
    return this.specs[this.ports[row]]!;
  }

  port(row: number): number {
    return this.ports[row];
  }

  firstRow(port: number): number {
    return this.first[port];
  }

  /** Rows of a port, whether their priorities run credit exchange or not. */
  rowCount(port: number): number {
    return creditRows(this.specs[port]);
  }

  row(port: number, slot: number, priority: number): number {
    return this.first[port] + (slot << CHANNEL_SHIFT) + priority;
  }

  priority(row: number): number {
    return (row - this.first[this.ports[row]]) & 7;
  }

  /** Place of the channel in the port's list. */
  slot(row: number): number {
    return (row - this.first[this.ports[row]]) >> CHANNEL_SHIFT;
  }

  channel(row: number): number {
    return this.specOf(row).channels[this.slot(row)].channel;
  }

  share(row: number): number {
    return this.specOf(row).channels[this.slot(row)].share;
  }

  /** The account that a frame is charged to, by its priority and VLAN tags. */
  rowOfFrame(port: number, priority: number, vlans: number): number {
    const slots = this.slotOfVlan[port];
    const first = this.first[port];
    if (slots === null) return first + priority;
    const service = (vlans >>> SERVICE_VLAN_SHIFT) & VLAN_MASK;
    const slot = slots.get(service === 0 ? vlans & VLAN_MASK : service) ?? 0;
    return first + (slot << CHANNEL_SHIFT) + priority;
  }

  /** Place of a channel number at a port, -1 if it has none. */
  slotOfChannel(port: number, channel: number): number {
    return this.specs[port]!.channels.findIndex((entry) => entry.channel === channel);
  }

  /** Rows of a port that are in use. */
  forEach(port: number, visit: (row: number) => void): void {
    const spec = this.specs[port];
    if (spec === null) return;
    for (let i = 0; i < creditRows(spec); i++) {
      if ((spec.priorities & (1 << (i & 7))) !== 0) visit(this.first[port] + i);
    }
  }
}

function slotsOf(spec: CreditPortSpec): ReadonlyMap<number, number> {
  return new Map(spec.channels.flatMap(({ vlans }, slot) => vlans.map((vlan) => [vlan, slot])));
}
