/**
 * A test bench in virtual time: flows of a traffic generator become loads and forged frames of
 * the hosts of a fabric. Time goes on only when a client starts or stops flows, or asks for metrics
 * while they transmit. What was executed is never changed: when flows change, the run is repeated
 * from its beginning to the present, with the same result, and goes on from there.
 */

import { WIRE_OVERHEAD_OCTETS } from '../engine/units/ethernet.js';
import { PS_PER_S, PS_PER_US } from '../engine/units/time.js';
import { RAW_OVERHEAD_BYTES } from '../fabric/load/flow.js';
import { Session } from '../runtime/session.js';
import type { RunResults } from '../runtime/results/results.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import { CaptureTimes, fileOf, observed } from './capture.js';
import type { BenchFabric, HostPlace } from './bench-fabric.js';
import type { TesterConfig, TesterFlow, TesterPort } from './config.js';
import type { Json } from './part.js';

/** What clients ask for while flows without an end transmit advances time by so much. */
const STEP_PS = 1000 * PS_PER_US;
/** When flows have ended, time goes on by so much again as long as their frames still arrive. */
const SETTLE_PS = 200 * PS_PER_US;
/** A bench stands for so long at most. */
const LONGEST = '1000s';

/** A flow that was started. */
interface Transmission {
  readonly flow: TesterFlow;
  readonly fromPs: number;
  /** Infinity: until it is stopped. */
  untilPs: number;
}

export interface FlowMetrics {
  readonly name: string;
  readonly portTx: string;
  readonly portRx: string;
  readonly isTransmitting: boolean;
  readonly framesTx: number;
  readonly framesRx: number;
  readonly bytesTx: number;
  readonly bytesRx: number;
  /** While it transmitted, per second. */
  readonly rateTx: number;
  readonly rateRx: number;
}

export interface PortMetrics {
  readonly name: string;
  readonly location: string;
  readonly isCapturing: boolean;
  readonly framesTx: number;
  readonly framesRx: number;
  readonly bytesTx: number;
  readonly bytesRx: number;
}

/** A request that cannot be met, in the words of the client. */
export class RefusedError extends Error {
  constructor(readonly reasons: readonly string[]) {
    super(reasons.join('\n'));
  }
}

export class Lab {
  private config: TesterConfig = { ports: [], flows: [], captures: [], neighbors: [] };
  private captures = new CaptureTimes();
  private built: Fabric | null = null;
  private transmissions: Transmission[] = [];
  private nowPs = 0;
  private session: Session | null = null;
  private results: RunResults | null = null;

  constructor(private readonly fabric: BenchFabric) {}

  /** A new configuration is a new bench, whose time begins at 0. */
  configure(config: TesterConfig): void {
    const problems = [...this.problemsOf(config)];
    if (problems.length > 0) throw new RefusedError(problems);
    this.config = config;
    this.transmissions = [];
    this.captures = new CaptureTimes();
    this.nowPs = 0;
    this.change();
    // What no run would accept is refused now, and not when it starts.
    for (const flow of config.flows) this.entriesOf([this.transmissionOf(flow)]);
  }

  start(names: readonly string[]): void {
    const flows = this.named(names);
    const isOn = (flow: TesterFlow): boolean =>
      this.transmissions.some((own) => own.flow === flow && own.untilPs > this.nowPs);
    const started = flows.filter((flow) => !isOn(flow)).map((flow) => this.transmissionOf(flow));
    if (started.length === 0) return;
    this.transmissions.push(...started);
    this.change();
    const ends = started.map(({ untilPs }) => untilPs).filter(Number.isFinite);
    if (ends.length === 0) this.advance(this.nowPs + STEP_PS);
    else this.settle(Math.max(...ends));
  }

  stop(names: readonly string[]): void {
    const flows = this.named(names);
    const stopped = this.transmissions.filter(
      ({ flow, untilPs }) => flows.includes(flow) && untilPs > this.nowPs,
    );
    if (stopped.length === 0) return;
    for (const own of stopped) own.untilPs = Math.max(own.fromPs + 1, this.nowPs);
    this.change();
    this.settle(this.nowPs);
  }

  /** Captures of these ports, or of all that have one, begin or end. */
  setCaptures(names: readonly string[], isOn: boolean): void {
    for (const port of this.capturing(names)) {
      if (isOn) this.captures.start(port, this.nowPs);
      else this.captures.stop(port, this.nowPs);
    }
  }

  /** The file of a port, in the format that its capture has. */
  captureOf(port: string): Uint8Array {
    const [name] = this.capturing([port]) as [string];
    const times = this.captures.at(name);
    if (times === null) throw new RefusedError([`port_name: the capture of ${name} never was on`]);
    const own = this.config.captures.find(({ ports }) => ports.includes(name))!;
    // Before anything was sent there is a file, too.
    if (this.session === null) this.advance(this.nowPs);
    return fileOf(this.built!, this.session!, { host: this.placeOf(name).host, ...times }, own);
  }

  /** MAC addresses that interfaces of these names, or all, have learnt. */
  neighborsOf(names: readonly string[]): { ethernet: string; gateway: string; mac: string }[] {
    const all = this.config.neighbors;
    const wrong = names.filter((name) => !all.some(({ ethernet }) => ethernet === name));
    if (wrong.length > 0) throw new RefusedError(wrong.map((name) => `ethernet_names: no ${name}`));
    return all
      .filter(({ ethernet }) => names.length === 0 || names.includes(ethernet))
      .map(({ ethernet, gateway, port }) => ({
        ethernet,
        gateway,
        mac: this.placeOf(port).peerMac,
      }));
  }

  private capturing(names: readonly string[]): readonly string[] {
    const known = this.config.captures.flatMap(({ ports }) => ports);
    const wrong = names.filter((name) => !known.includes(name));
    if (wrong.length > 0) {
      throw new RefusedError(wrong.map((name) => `port_names: ${name} has no capture`));
    }
    return names.length === 0 ? known : names;
  }

  flowMetrics(names: readonly string[]): FlowMetrics[] {
    const flows = this.named(names);
    this.pass();
    const { flows: counted, faults } = this.measured();
    return flows.map((flow) => {
      const ordinal = this.config.flows.indexOf(flow);
      const own = this.transmissions.flatMap((one, i) => (one.flow === flow ? [i] : []));
      const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
      const loads = counted.filter(({ load }) => own.some((i) => load.startsWith(`t${i}x`)));
      const forged = faults.filter(({ fault }) => own.some((i) => fault.startsWith(`t${i}x`)));
      const framesTx = sum([
        ...loads.map(({ sentFrames }) => sentFrames),
        ...forged.map(({ hits }) => hits),
      ]);
      const framesRx = sum(loads.map(({ frames }) => frames));
      const spanS =
        Math.max(1, sum(own.map((i) => this.spanOf(this.transmissions[i]!)))) / PS_PER_S;
      const [{ tx, rx } = { tx: '', rx: null }] = this.config.flows[ordinal]!.pairs;
      return {
        ...{ name: flow.name, portTx: tx, portRx: rx ?? '', framesTx, framesRx },
        isTransmitting: own.some((i) => this.isOn(this.transmissions[i]!)),
        ...{ bytesTx: framesTx * flow.frameBytes, bytesRx: framesRx * flow.frameBytes },
        ...{ rateTx: framesTx / spanS, rateRx: framesRx / spanS },
      };
    });
  }

  portMetrics(names: readonly string[]): PortMetrics[] {
    const wrong = names.filter((name) => !this.config.ports.some((port) => port.name === name));
    if (wrong.length > 0) throw new RefusedError(wrong.map((name) => `port_names: no ${name}`));
    this.pass();
    const { ports: counted } = this.measured();
    const asked = this.config.ports.filter(
      ({ name }) => names.length === 0 || names.includes(name),
    );
    return asked.map(({ name, location }) => {
      const { host } = this.fabric.place(location)!;
      const rows = counted
        .filter(({ device }) => device === host)
        .flatMap(({ priorities }) => priorities);
      const sum = (of: (row: (typeof rows)[number]) => number): number =>
        rows.reduce((all, row) => all + of(row), 0);
      return {
        ...{ name, location, isCapturing: this.captures.isOn(name) },
        ...{ framesTx: sum((row) => row.txFrames), framesRx: sum((row) => row.rxFrames) },
        ...{ bytesTx: sum((row) => row.txOctets), bytesRx: sum((row) => row.rxOctets) },
      };
    });
  }

  /** What does not fit the fabric. */
  private *problemsOf({ ports, flows }: TesterConfig): Generator<string> {
    const taken = new Map<string, TesterPort>();
    for (const [i, port] of ports.entries()) {
      const place = this.fabric.place(port.location);
      if (place === null) {
        const known = this.fabric.hosts.map(({ host, peer }) => `${host} (${peer})`).join(', ');
        yield `ports[${i}].location: no host at ${port.location}; there are ${known}`;
        continue;
      }
      const before = taken.get(place.host);
      if (before !== undefined) yield `ports[${i}].location: ${before.name} is there, too`;
      taken.set(place.host, port);
      const unheard = place.paused.filter((priority) => port.pfc?.[priority] === false);
      if (unheard.length > 0) {
        const key = `pfc_class_${unheard[0]!}`;
        yield `layer1.flow_control: ${port.name} has no ${key}, and its link pauses that priority`;
      }
      const speed = port.speed === null ? null : bitsOf(port.speed);
      if (speed !== null && speed !== place.rateBps) {
        const has = `${place.rateBps / 1e9}G`;
        yield `layer1.speed: ${port.speed!} at ${port.name}, whose link has ${has}`;
      }
    }
    for (const { name, pairs } of flows) {
      const loops = pairs.filter(({ tx, rx }) => tx === rx);
      if (loops.length > 0) yield `flows: ${name} would send from ${loops[0]!.tx} to itself`;
    }
  }

  private named(names: readonly string[]): readonly TesterFlow[] {
    const { flows } = this.config;
    const wrong = names.filter((name) => !flows.some((flow) => flow.name === name));
    if (wrong.length > 0)
      throw new RefusedError(wrong.map((name) => `flow_names: no flow ${name}`));
    return names.length === 0 ? flows : flows.filter(({ name }) => names.includes(name));
  }

  private transmissionOf(flow: TesterFlow): Transmission {
    const fromPs = this.nowPs + flow.delayPs;
    const lastsPs =
      flow.packets === null ? (flow.forPs ?? Infinity) : flow.packets * this.spacingPs(flow);
    return { flow, fromPs, untilPs: fromPs + Math.ceil(lastsPs) };
  }

  private isOn({ untilPs }: Transmission): boolean {
    return untilPs > this.nowPs;
  }

  private spanOf({ fromPs, untilPs }: Transmission): number {
    return Math.max(0, Math.min(untilPs, this.nowPs) - fromPs);
  }

  /** Time goes on while somebody looks at flows that have no end. */
  private pass(): void {
    if (this.transmissions.some((own) => this.isOn(own))) this.advance(this.nowPs + STEP_PS);
  }

  private change(): void {
    this.session = null;
    this.results = null;
  }

  private advance(timePs: number): void {
    if (this.session === null) {
      this.built = this.fabric.with(this.entriesOf(this.transmissions));
      this.session = new Session(this.built, { check: false });
    }
    this.session.runTo(timePs);
    this.nowPs = timePs;
    this.results = null;
  }

  /** To a time, and on until what was sent has arrived, or does not any more. */
  private settle(timePs: number): void {
    const arrived = (): number =>
      this.measured().flows.reduce((sum, { frames }) => sum + frames, 0);
    this.advance(timePs);
    for (let before = -1; before !== arrived();) {
      before = arrived();
      this.advance(this.nowPs + SETTLE_PS);
    }
  }

  private measured(): Pick<RunResults, 'flows' | 'faults' | 'ports'> {
    if (this.session === null) return { flows: [], faults: [], ports: [] };
    this.results ??= this.session.results('interrupted');
    return this.results;
  }

  /** Time from a frame of a flow to the next of one sender. */
  private spacingPs({ rate, frameBytes, pairs }: TesterFlow): number {
    const { rateBps } = this.placeOf(pairs[0]!.tx);
    const bits = (frameBytes + WIRE_OVERHEAD_OCTETS) * 8;
    const linePs = (bits * PS_PER_S) / rateBps;
    if (rate.unit === 'share') return linePs / rate.value;
    const perSecond = rate.unit === 'pps' ? rate.value : rate.value / (frameBytes * 8);
    return Math.max(linePs, PS_PER_S / perSecond);
  }

  private placeOf(port: string): HostPlace {
    return this.fabric.place(this.config.ports.find(({ name }) => name === port)!.location)!;
  }

  /** Loads and faults of a scenario: those of a transmission have its number in their names. */
  private entriesOf(transmissions: readonly Transmission[]): Json {
    const load: Json[] = [];
    const faults: Json[] = [...this.deafPorts()];
    transmissions.forEach((transmission, number) => {
      const { flow } = transmission;
      const named = (i: number): string => `t${number}x${i}`;
      if (flow.packet.kind === 'control') {
        faults.push(...flow.pairs.map(({ tx }, i) => this.forgery(named(i), transmission, tx)));
      } else load.push(...this.streams(named, transmission));
    });
    const ports = this.config.captures.flatMap((own) => own.ports);
    const observe = observed(ports.map((port) => this.placeOf(port).host));
    return { load, faults, duration: LONGEST, ...(observe !== null && { observe }) };
  }

  private forgery(name: string, { flow, fromPs, untilPs }: Transmission, tx: string): Json {
    const { packet } = flow;
    const everyPs = Math.max(1, Math.round(this.spacingPs(flow)));
    const end = Number.isFinite(untilPs) ? { until: `${untilPs}ps` } : {};
    return {
      ...{ kind: 'forge', name, where: { device: this.placeOf(tx).host }, at: `${fromPs}ps` },
      ...{ ...end, octets: packet.kind === 'control' ? packet.octets : '' },
      interval: `${everyPs}ps`,
    };
  }

  /** One for each receiver and code point, which share the rate. */
  private streams(named: (i: number) => string, transmission: Transmission): Json[] {
    const { flow, fromPs, untilPs } = transmission;
    const { packet, pairs, frameBytes, packets } = flow;
    if (packet.kind !== 'data') return [];
    const dscps = packet.dscps ?? [null];
    const parts = dscps.length * (pairs.length / new Set(pairs.map(({ tx }) => tx)).size);
    const bps = Math.round((frameBytes * 8 * PS_PER_S) / this.spacingPs(flow) / parts);
    const isWhole = parts === 1 && flow.rate.unit === 'share' && flow.rate.value === 1;
    const combined = pairs.flatMap((pair) => dscps.map((dscp) => ({ ...pair, dscp })));
    return combined.map(({ tx, rx, dscp }, i) => {
      const place = this.placeOf(tx);
      const { vlan } = packet;
      const priority = dscp === null ? (vlan?.priority ?? 0) : this.fabric.priorityOf(place, dscp);
      const share = Math.round((packets ?? 0) / parts);
      return {
        ...{ name: named(i), transport: 'raw', frame: frameBytes, priority, ect: packet.ect },
        stream: { from: place.host, to: this.placeOf(rx!).host },
        ...(dscp !== null && { dscp }),
        ...(vlan !== null && { vlan: vlan.id }),
        ...{ rate: isWhole ? 'line' : `${bps}b/s`, arrivals: 'paced' },
        start: `${fromPs}ps`,
        ...(packets !== null && { bytes: `${share * (frameBytes - RAW_OVERHEAD_BYTES)}B` }),
        ...(Number.isFinite(untilPs) && packets === null && { end: `${untilPs}ps` }),
      };
    });
  }

  /** Ports without flow control do not respond to PFC. */
  private *deafPorts(): Generator<Json> {
    for (const { location, pfc } of this.config.ports) {
      const { host, paused } = this.fabric.place(location)!;
      if (pfc !== null || paused.length === 0) continue;
      yield {
        ...{ kind: 'control', name: `deaf-${host}`, where: { device: host } },
        ...{ frames: 'pfc', action: 'lose' },
      };
    }
  }
}

function bitsOf(speed: string): number {
  return Number(speed.slice(0, -1)) * (speed.endsWith('G') ? 1e9 : 1e6);
}
