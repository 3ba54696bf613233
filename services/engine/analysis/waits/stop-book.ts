import type { PortSpec } from '../../contract/spec.js';
import type { Engine } from '../../device/engine.js';
import type { Device } from '../../device/device.js';
import { QUEUE_OCTETS } from '../../port/queues.js';
import type { BacklogMatrix } from './backlog-matrix.js';
import type { HoldBook } from './hold-book.js';
import type { StopCause, StopRecord } from './wait-records.js';
import { MOST_RECORDS } from './wait-records.js';

/** Which ingress accounts of a device do not let their neighbours go on, and why. */
export class StopBook {
  readonly records: StopRecord[] = [];
  omitted = 0;
  /** By port: groups that are stopped, one bit each. */
  readonly mask: Uint8Array;
  private open: StopRecord[] = [];
  /** By port and class: since when something waits, and how long it had been held by then. */
  private readonly since: Float64Array;
  private readonly heldBefore: Float64Array;

  static readonly wiring = ['engine', 'device', 'backlog', 'holds'];

  constructor(
    private readonly engine: Engine,
    private readonly device: Device,
    private readonly backlog: BacklogMatrix,
    private readonly holds: HoldBook,
  ) {
    const ports = device.spec.ports.length;
    this.mask = new Uint8Array(ports);
    this.since = new Float64Array(ports * 8);
    this.heldBefore = new Float64Array(ports * 8);
  }

  /** A frame of a priority joins a queue that was empty. */
  startBacklog(egress: number, trafficClass: number, priority: number, now: number): void {
    const at = (egress << 3) | trafficClass;
    this.since[at] = now;
    this.heldBefore[at] = this.holds.heldPs(egress, priority, now);
  }

  begin(port: number, group: number, mechanism: string, now: number): void {
    this.mask[port] |= 1 << group;
    if (this.records.length >= MOST_RECORDS) {
      this.omitted++;
      return;
    }
    const cause = this.causeOf(port, group, now);
    this.open.push({ port, group, mechanism, startPs: now, endPs: Infinity, cause });
  }

  end(port: number, group: number, now: number): void {
    this.mask[port] &= ~(1 << group);
    const i = this.open.findIndex((stop) => stop.port === port && stop.group === group);
    if (i < 0) return;
    const [record] = this.open.splice(i, 1);
    record.endPs = now;
    this.records.push(record);
  }

  all(): StopRecord[] {
    const all = [...this.records, ...this.open.map((stop) => ({ ...stop }))];
    return all.sort((a, b) => a.startPs - b.startPs || a.port - b.port || a.group - b.group);
  }

  private causeOf(port: number, group: number, now: number): StopCause | null {
    const egress = this.backlog.fullest(group, port);
    if (egress < 0) return null;
    const number = this.device.firstPort + egress;
    const { queues, ports } = this.engine.shared;
    const priority = this.priorityAt(port, group, number);
    const trafficClass = ports.classOf(number, priority);
    const at = (egress << 3) | trafficClass;
    const queueOctets = queues.get(number, trafficClass, QUEUE_OCTETS);
    const heldPs = this.holds.heldPs(egress, priority, now) - this.heldBefore[at];
    return {
      egress,
      trafficClass,
      priority,
      octets: this.backlog.get(group, port, egress),
      queueOctets,
      inputs: this.backlog.inputs(group, egress),
      sincePs: this.since[at],
      isHeld: 2 * heldPs >= queueOctets * ports.octetPs(number),
    };
  }

  /** Of the priorities of a group, the one whose class is longest at an egress. */
  private priorityAt(port: number, group: number, egress: number): number {
    const { queues, ports } = this.engine.shared;
    const spec: PortSpec = this.device.spec.ports[port];
    let best = 0;
    let most = -1;
    spec.groupOf.forEach((g, priority) => {
      if (g !== group) return;
      const octets = queues.get(egress, ports.classOf(egress, priority), QUEUE_OCTETS);
      if (octets <= most) return;
      most = octets;
      best = priority;
    });
    return best;
  }
}
