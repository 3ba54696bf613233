import { faultResults } from './fault-results.js';
import { PRIORITY_NUMBERS } from '../../engine/units/ethernet.js';
import { hasSharedBuffer } from '../../engine/contract/spec.js';
import {
  HEADROOM,
  HEADROOM_LIMIT,
  HEADROOM_PEAK,
  POOL,
  POOL_PEAK,
  REFUSED,
  SHARED_PEAK,
  USED,
  USED_PEAK,
} from '../../engine/buffer/shared-buffer.js';
import { DROP, DROP_REASONS } from '../../engine/contract/probe.js';
import type { Device } from '../../engine/device/device.js';
import type { Engine } from '../../engine/device/engine.js';
import { FRAMES, LAST_AT, MESSAGES } from '../../engine/device/host/receivers.js';
import { framesOf } from '../../engine/analysis/ledger/deliveries.js';
import { DROP_FRAMES, RX_FRAMES, TX_FRAMES, TX_OCTETS } from '../../engine/port/counters.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { LinkEnd } from '../../fabric/assembly/link-ends.js';
import type { Flow } from '../../fabric/load/flow.js';
import { goodputOf, leastSlowdown, tallyOf } from '../../measures/flow-statistics.js';
import { FLOW_MEASURES } from '../../measures/flow-measures.js';
import { isQuiet, PORT_MEASURES, type PrioritySum } from '../../measures/port-measures.js';
import { having, read, totalOf } from '../../mechanisms/measure.js';
import { nameOf } from './path-methods.js';
import { unreachableAt } from './unreachable.js';
import { percentilesOf } from '../../measures/percentiles.js';
import type {
  BufferResult,
  FaultResult,
  FlowResult,
  MarginResult,
  Percentiles,
  PortPriorityResult,
  PortResult,
  PriorityResult,
  QueueResult,
} from './results.js';

/** Why a host discards what it receives; its other drops are of frames that it would send. */
const ON_ARRIVAL = [
  DROP.NOT_ADDRESSED,
  DROP.VLAN_FILTERED,
  DROP.LINK_DOWN,
  DROP.LOST_ON_LINK,
  DROP.FCS_ERROR,
  DROP.OUT_OF_SEQUENCE,
  DROP.POISONED,
  DROP.HEADROOM_EXHAUSTED,
  DROP.OVERFLOW_BY_FAULT,
  DROP.OVERFLOW_BY_WATCHDOG,
  DROP.OVERFLOW_BY_HOST,
  DROP.NOT_GRANTED,
  DROP.NO_DESCRIPTOR,
  DROP.NOT_READ,
] as const;

/** A message that arrived, with its time on an idle fabric. */
interface Completion {
  readonly flow: number;
  readonly completionPs: number;
  readonly deliveredPs: number;
  readonly slowdown: number | null;
}

/** A message that had not arrived at the end, and its time so far. */
interface Unfinished {
  readonly priority: number;
  readonly completionPs: number;
  readonly slowdown: number | null;
}

/** Reads results from the engine's tables. */
export class Collector {
  private readonly completions: readonly Completion[];
  private readonly unfinished: readonly Unfinished[];
  /** By flow: it is a message of a collective, whose siblings are no reason to call it slow. */
  private readonly isPart: Uint8Array;

  constructor(
    private readonly engine: Engine,
    private readonly fabric: Fabric,
    private readonly nowPs: number,
  ) {
    this.isPart = partsOfCollectives(fabric);
    this.completions = this.collectCompletions();
    this.unfinished = this.collectUnfinished();
  }

  flows(): FlowResult[] {
    const lastDelivery = new Map<number, number>();
    for (const { flow, deliveredPs } of this.completions) {
      lastDelivery.set(flow, Math.max(deliveredPs, lastDelivery.get(flow) ?? 0));
    }
    return this.fabric.flows.map((flow, index) =>
      this.flow(flow, index, lastDelivery.get(index) ?? null),
    );
  }

  /** Of all priorities with flows or frames: a switch may change the priority of a frame. */
  priorities(flows: readonly FlowResult[]): PriorityResult[] {
    return PRIORITY_NUMBERS.flatMap((priority) => {
      const own = flows.filter((flow) => flow.priority === priority);
      return own.length > 0 || this.hasFrames(priority) ? [this.priority(priority, own)] : [];
    });
  }

  ports(): PortResult[] {
    return this.fabric.linkEnds.flatMap((ends) =>
      ends.map((end) => {
        const { counters } = this.engine.shared;
        const port = this.engine.devices[end.device]!.firstPort + end.port;
        const peer = this.fabric.linkEnds[end.peerDevice]![end.peerPort]!;
        return {
          port: end.name,
          device: this.nameOf(end.device),
          peer: peer.name,
          rateBps: end.link.rateBps,
          controlSent: counters.controlSent[port]!,
          controlReceived: counters.controlReceived[port]!,
          priorities: PRIORITY_NUMBERS.flatMap((priority) => this.portPriority(port, priority)),
        };
      }),
    );
  }

  margins(): MarginResult[] {
    const { buffer } = this.engine.shared;
    const inUse = usedBy(this.fabric.flows);
    return this.fabric.margins.flatMap((margin) => {
      const port = this.engine.devices[margin.device]!.firstPort + margin.port;
      return margin.priorities.filter(inUse).map((priority) => ({
        port: this.fabric.linkEnds[margin.device]![margin.port]!.name,
        priority,
        xoffOctets: margin.xoffOctets,
        peakOctets: buffer.get(port, margin.group, USED_PEAK),
        headroomOctets: buffer.isPooled(port, margin.group)
          ? buffer.get(port, margin.group, HEADROOM_LIMIT)
          : margin.headroomOctets,
        headroomUsedOctets: buffer.get(port, margin.group, HEADROOM_PEAK),
        needed: margin.terms,
      }));
    });
  }

  faults(): FaultResult[] {
    return faultResults(this.fabric, this.engine, this.nowPs);
  }

  buffers(): BufferResult[] {
    const { buffer } = this.engine.shared;
    return this.engine.devices
      .filter(({ spec }) => hasSharedBuffer(spec))
      .map((device) => ({
        device: device.spec.name,
        poolOctets: buffer.memoryOfDevice(device.place, POOL),
        peakPoolOctets: buffer.memoryOfDevice(device.place, POOL_PEAK),
        ...this.poolsOf(device),
      }));
  }

  /** Statistics of a buffer with pools. */
  private poolsOf({ spec, firstPort }: Device): Pick<BufferResult, 'pools' | 'groups' | 'queues'> {
    const { buffer } = this.engine.shared;
    if (spec.kind !== 'switch' || spec.buffer.pools === null) return {};
    const pools = buffer.pools.uses(firstPort).map(({ name, slice, sizeOctets, ...own }) => {
      const size = Number.isFinite(sizeOctets) ? sizeOctets : null;
      return { pool: name, slice, sizeOctets: size, ...own };
    });
    const groups = spec.ports.flatMap(({ name }, p) =>
      PRIORITY_NUMBERS.map((group) => ({
        port: name,
        group,
        usedOctets: buffer.get(firstPort + p, group, USED),
        headroomUsedOctets: buffer.get(firstPort + p, group, HEADROOM),
        peakOctets: buffer.get(firstPort + p, group, USED_PEAK),
        peakSharedOctets: buffer.get(firstPort + p, group, SHARED_PEAK),
        peakHeadroomOctets: buffer.get(firstPort + p, group, HEADROOM_PEAK),
        refusedFrames: buffer.get(firstPort + p, group, REFUSED),
      })).filter(({ peakOctets, refusedFrames }) => peakOctets + refusedFrames > 0),
    );
    const queues = spec.ports.flatMap(({ name, classOf }, p) =>
      PRIORITY_NUMBERS.map((queue) => this.queue(firstPort + p, { name, queue, classOf })).filter(
        ({ frames, refusedFrames }) => frames + refusedFrames > 0,
      ),
    );
    return { pools, groups, queues };
  }

  private queue(
    port: number,
    { name, queue, classOf }: { name: string; queue: number; classOf: readonly number[] },
  ): QueueResult {
    const { buffer, counters } = this.engine.shared;
    const own = PRIORITY_NUMBERS.filter((priority) => classOf[priority] === queue);
    const sent = (word: number): number =>
      own.reduce((sum, priority) => sum + counters.get(port, priority, word), 0);
    const { peakSharedOctets, ...counted } = buffer.pools.statisticsOf(port, queue);
    return {
      ...{ port: name, queue, frames: sent(TX_FRAMES), sentOctets: sent(TX_OCTETS) },
      ...{ usedOctets: buffer.pools.octetsQueued(port, queue), ...counted, peakSharedOctets },
    };
  }

  private flow(flow: Flow, index: number, lastDelivery: number | null): FlowResult {
    const { senders } = this.engine;
    const ends = this.fabric.flowEnds[index]!;
    const send = this.engine.devices[ends.send.device]!.rows.send.first + ends.send.connection;
    const received = ends.receives.map(
      (end) => this.engine.devices[end.device]!.rows.receive.first + end.connection,
    );
    const sum = (word: number): number =>
      received.reduce((total, c) => total + this.engine.receivers.get(c, word), 0);
    const frames = sum(FRAMES);
    const last = Math.max(...received.map((c) => this.engine.receivers.get(c, LAST_AT)));
    const wanted = flow.messages * received.length;
    const complete = Number.isFinite(flow.messageBytes) && sum(MESSAGES) >= wanted;
    // What an operation of a job releases is offered then, if ever.
    const releasedPs = flow.byOperation ? senders.releasedAt(send, 0) : flow.startPs;
    const startPs = Math.min(releasedPs, Math.max(flow.startPs, this.nowPs));
    const completionPs = complete && lastDelivery !== null ? lastDelivery - startPs : null;
    const hasVolume = hasEnd(flow);
    const allSent = senders.sentFrames[send]! * received.length;
    const isOver =
      completionPs !== null ||
      (this.nowPs >= flow.endPs &&
        senders.waitsSince(send, this.nowPs) === Infinity &&
        (flow.transport.kind === 'reliable' || frames >= allSent));
    const offeredUntilPs = isOver
      ? Math.max(startPs, frames > 0 ? last : 0, hasVolume ? 0 : flow.endPs)
      : Math.max(startPs, this.nowPs);
    return {
      flow: index,
      name: flow.name,
      load: this.fabric.scenario.load[flow.load]!.name,
      source: this.nameOf(flow.source),
      destination: flow.group
        ? this.fabric.scenario.groups[flow.destination]!.name
        : this.nameOf(flow.destination),
      priority: flow.priority,
      transport: flow.transport.kind === 'raw' ? 'raw' : flow.transport.name,
      ...read(FLOW_MEASURES, {
        ...{ engine: this.engine, nowPs: this.nowPs, send, receives: received },
        ...{ isRaw: flow.transport.kind === 'raw', startPs, offeredUntilPs, completionPs },
        idealPs: this.idealOfFlow(flow, index),
        offeredOctets: hasVolume ? flow.messages * flow.messageBytes * received.length : null,
      }),
      unreachableAt: completionPs === null ? unreachableAt(this.fabric, this.engine, index) : null,
      cause: null,
    };
  }

  /** Frames that hosts sent or received, or that were dropped anywhere. */
  private hasFrames(priority: number): boolean {
    const ofHosts = [TX_FRAMES, RX_FRAMES].some((word) => this.ofHosts(priority, word) > 0);
    return ofHosts || Object.keys(this.dropsOf(this.allPorts(), priority)).length > 0;
  }

  private priority(priority: number, flows: readonly FlowResult[]): PriorityResult {
    return {
      priority,
      flowControl: this.flowControlOf(priority),
      sentFrames: framesOf(this.engine, priority).sent,
      deliveredFrames: this.deliveredFrames(priority),
      deliveredPayloadOctets: flows.reduce((total, flow) => total + flow.payloadOctets, 0),
      goodputBps: goodputOf(flows),
      finished: tallyOf(flows),
      completionPs: this.percentiles(priority, ({ completionPs }) => completionPs),
      slowdown: this.percentiles(priority, ({ slowdown }) => slowdown),
      drops: this.dropsOf(this.allPorts(), priority),
      ...this.sums(priority),
    };
  }

  /** Of all ports. */
  private sums(priority: number): Pick<PortPriorityResult, PrioritySum> {
    const { engine, nowPs } = this;
    const sums = having(PORT_MEASURES, 'summarised').map(([key, measure]) => {
      const values = this.allPorts().map((port) => measure.read({ engine, port, priority, nowPs }));
      return [key, totalOf(measure.total, values)];
    });
    return Object.fromEntries(sums) as Pick<PortPriorityResult, PrioritySum>;
  }

  private percentiles(
    priority: number,
    value: (completion: Completion | Unfinished) => number | null,
  ): Percentiles | null {
    const isOwn = ({ flow }: Completion): boolean => {
      const own = this.fabric.flows[flow]!;
      // A stream has messages, too, but no end.
      return own.priority === priority && hasEnd(own);
    };
    const values = this.completions.filter(isOwn).flatMap((one) => value(one) ?? []);
    const unfinished = this.unfinished
      .filter((one) => one.priority === priority)
      .flatMap((one) => value(one) ?? []);
    return percentilesOf(values, unfinished);
  }

  private portPriority(port: number, priority: number): PortPriorityResult[] {
    const { engine, nowPs } = this;
    const values = read(PORT_MEASURES, { engine, port, priority, nowPs });
    const drops = this.dropsOf([port], priority);
    if (isQuiet(values) && Object.keys(drops).length === 0) return [];
    return [{ priority, ...values, drops }];
  }

  private collectCompletions(): Completion[] {
    const completions: Completion[] = [];
    this.engine.devices.forEach((device, d) => {
      if (device.spec.kind !== 'host') return;
      this.engine.hosting.parts(d).completions.forEach((flow, message, released, delivered) => {
        const completionPs = delivered - released;
        const idealPs = this.idealOfMessage(flow, message);
        const slowdown = idealPs === null ? null : completionPs / idealPs;
        completions.push({ flow, completionPs, deliveredPs: delivered, slowdown });
      });
    });
    return completions;
  }

  /** Messages of flows with a volume arrive in their order. */
  private collectUnfinished(): Unfinished[] {
    const { engine, fabric, nowPs } = this;
    return fabric.flows.flatMap((flow, index) => {
      if (!hasEnd(flow)) return [];
      const { send, receives } = fabric.flowEnds[index]!;
      const sender = engine.devices[send.device]!.rows.send.first + send.connection;
      // Raw frames of a flow are one message.
      const messages = flow.transport.kind === 'raw' ? 1 : flow.messages;
      return receives.flatMap(({ device, connection }) => {
        const receiver = engine.devices[device]!.rows.receive.first + connection;
        const done = Math.min(messages, engine.receivers.get(receiver, MESSAGES));
        return Array.from({ length: messages - done }, (_, i) => {
          const releasedPs = engine.senders.releasedAt(sender, done + i);
          const completionPs = Math.max(0, nowPs - Math.max(flow.startPs, releasedPs));
          const idealPs = this.idealOfMessage(index, done + i);
          const slowdown = idealPs === null ? null : leastSlowdown(completionPs, idealPs);
          return { priority: flow.priority, completionPs, slowdown };
        });
      });
    });
  }

  /** Messages that are released with the first one wait for each other. */
  private idealOfMessage(flow: number, message: number): number | null {
    const { idealPs, idealNextPs } = this.fabric.flowEnds[flow]!;
    if (idealPs === null || this.isPart[flow] === 1) return null;
    const waits = this.fabric.flows[flow]!.after.length > 0;
    return waits ? idealPs : idealPs + message * idealNextPs;
  }

  private idealOfFlow(flow: Flow, index: number): number | null {
    const isOpen = flow.after.length > 0 || flow.messages === Infinity;
    return isOpen ? null : this.idealOfMessage(index, flow.messages - 1);
  }

  /** What links operate by, after fallbacks and negotiation, and not what is configured. */
  private flowControlOf(priority: number): string {
    const all = this.fabric.linkEnds.flatMap((ends) =>
      ends.map((end) => this.methodAt(end, priority)),
    );
    const controls = [...new Set(all)].filter((own) => own !== 'none');
    return controls.length === 0 ? 'none' : controls.sort().join(' + ');
  }

  private methodAt({ device, port }: LinkEnd, priority: number): string {
    const { engine, fabric } = this;
    const built = fabric.methods[device]![port]![priority]!;
    const { enabled, drives } = fabric.scenario.discovery;
    if (!enabled || !drives) return built;
    const state = engine.discovery.ports[engine.devices[device]!.firstPort + port]!;
    return nameOf(state.starts[priority]!, built);
  }

  private dropsOf(ports: readonly number[], priority: number): Record<string, number> {
    const { counters } = this.engine.shared;
    const drops: Record<string, number> = {};
    const dropping = ports.filter((port) => counters.get(port, priority, DROP_FRAMES) > 0);
    if (dropping.length === 0) return drops;
    DROP_REASONS.forEach((name, reason) => {
      const count = dropping.reduce(
        (total, port) => total + counters.drops(port, priority, reason),
        0,
      );
      if (count > 0) drops[name] = count;
    });
    return drops;
  }

  /** Frames that hosts received, but for those that they discarded when they arrived. */
  private deliveredFrames(priority: number): number {
    const { counters } = this.engine.shared;
    let frames = this.ofHosts(priority, RX_FRAMES);
    for (const port of this.hostPorts()) {
      frames -= counters.rejectedFrames(port, priority);
      for (const reason of ON_ARRIVAL) frames -= counters.drops(port, priority, reason);
    }
    return frames;
  }

  private ofHosts(priority: number, word: number): number {
    const { counters } = this.engine.shared;
    return this.hostPorts().reduce((all, port) => all + counters.get(port, priority, word), 0);
  }

  private hostPorts(): number[] {
    return this.engine.devices
      .filter(({ spec }) => spec.kind === 'host')
      .flatMap(({ firstPort, spec }) => spec.ports.map((_, p) => firstPort + p));
  }

  private allPorts(): number[] {
    return Array.from({ length: this.engine.shared.ports.count }, (_, port) => port);
  }

  private nameOf(device: number): string {
    return this.fabric.topology.devices[device]!.name;
  }
}

/** It has a volume; a stream is endless. */
function hasEnd({ messages, messageBytes }: Flow): boolean {
  return Number.isFinite(messages) && Number.isFinite(messageBytes);
}

/** Whether any flow sends on a priority, or has its acknowledgements there. */
function usedBy(flows: readonly Flow[]): (priority: number) => boolean {
  const used = new Set<number>();
  for (const { priority, transport } of flows) {
    used.add(priority);
    if (transport.kind === 'reliable') used.add(transport.ackPriority);
  }
  return (priority) => used.has(priority);
}

function partsOfCollectives({ flows, jobs }: Fabric): Uint8Array {
  const isPart = new Uint8Array(flows.length);
  for (const { job } of jobs) {
    const { graph, flowOf } = job;
    for (let operation = 0; operation < graph.count; operation++) {
      if (flowOf[operation]! >= 0 && graph.step[operation]! >= 0) isPart[flowOf[operation]!] = 1;
    }
  }
  return isPart;
}
