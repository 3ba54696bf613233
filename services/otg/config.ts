/** A configuration of the Open Traffic Generator, as far as it can be emulated. */

import { PRIORITIES, PRIORITY_NUMBERS } from '../engine/units/ethernet.js';
import { PS_PER_S } from '../engine/units/time.js';
import type { TesterCapture } from './capture.js';
import { Part } from './part.js';
import { controlFrameOf, dataHeaderOf, type DataHeader } from './packet.js';

/** A port of the tester. */
export interface TesterPort {
  readonly name: string;
  readonly location: string;
  /** By priority: whether it responds to PFC; null: it has no flow control. */
  readonly pfc: readonly boolean[] | null;
  readonly speed: string | null;
}

/** What a flow sends: frames to other ports, or control frames to its link partner. */
type Packet =
  | ({ readonly kind: 'data' } & DataHeader)
  | { readonly kind: 'control'; readonly octets: string };

type FlowRate =
  | { readonly unit: 'share'; readonly value: number }
  | { readonly unit: 'pps' | 'bps'; readonly value: number };

export interface TesterFlow {
  readonly name: string;
  /** Names of ports: frames go from each to the one at its place. */
  readonly pairs: readonly { readonly tx: string; readonly rx: string | null }[];
  readonly packet: Packet;
  readonly frameBytes: number;
  readonly rate: FlowRate;
  readonly delayPs: number;
  /** Null: until it is stopped. */
  readonly forPs: number | null;
  readonly packets: number | null;
}

export interface TesterConfig {
  readonly ports: readonly TesterPort[];
  readonly flows: readonly TesterFlow[];
  readonly captures: readonly TesterCapture[];
  /** Of interfaces of devices with an IPv4 address. */
  readonly neighbors: readonly TesterNeighbor[];
}

/** Whom an interface sends by: it is known as soon as the device is there. */
interface TesterNeighbor {
  readonly ethernet: string;
  readonly gateway: string;
  readonly port: string;
}

/** Errors are texts that name what is wrong, each with its path. */
export function configFrom(body: unknown): { config: TesterConfig; errors: readonly string[] } {
  const errors: string[] = [];
  const config = new ConfigReader(Part.of(body, '', errors)).read();
  return { config, errors };
}

const SPEED = /^speed_(\d+)_(gbps|mbps)(?:_(?:fd|hd))?$/;
const FRAME_MOST = 9216;
const FRAME_LEAST = 64;

class ConfigReader {
  /** Of a device or one of its interfaces: its port. */
  private readonly portOf = new Map<string, string>();
  private ports: TesterPort[] = [];
  private readonly neighbors: TesterNeighbor[] = [];

  constructor(private readonly root: Part) {}

  read(): TesterConfig {
    const layers = this.root.parts('layer1');
    const controls = new Map<string, Pick<TesterPort, 'pfc' | 'speed'>>();
    for (const layer of layers) {
      const own = layerOf(layer);
      for (const name of layer.texts('port_names')) controls.set(name, own);
      layer.end();
    }
    this.ports = this.root.parts('ports').map((port) => {
      const name = port.text('name');
      const location = port.text('location');
      if (name === '') port.error('name', 'a port needs a name');
      if (location === '') port.error('location', 'a port needs the place of a host');
      port.end();
      return { name, location, ...(controls.get(name) ?? { pfc: null, speed: null }) };
    });
    for (const name of controls.keys()) {
      if (this.hasPort(name)) continue;
      this.root.error('layer1', `no port ${JSON.stringify(name)} in ports`);
    }
    for (const device of this.root.parts('devices')) this.readDevice(device);
    const flows = this.root.parts('flows').map((flow) => this.flowOf(flow));
    const names = new Set<string>();
    for (const { name } of flows) {
      if (names.has(name)) this.root.error('flows', `two flows are called ${JSON.stringify(name)}`);
      names.add(name);
    }
    const captures = this.root.parts('captures').map((capture) => this.captureOf(capture));
    this.root.accept('options');
    this.root.end();
    return { ports: this.ports, flows, captures, neighbors: this.neighbors };
  }

  private captureOf(capture: Part): TesterCapture {
    const name = capture.text('name');
    const ports = capture.texts('port_names');
    const stray = ports.find((port) => !this.hasPort(port));
    if (stray !== undefined) capture.error('port_names', `no port ${JSON.stringify(stray)}`);
    const format = capture.text('format', 'pcap');
    if (format !== 'pcap' && format !== 'pcapng') {
      capture.error('format', `${format} is not supported: pcap, pcapng`);
    }
    const size = capture.number('packet_size', 0);
    capture.accept('overwrite');
    if (capture.parts('filters').length > 0) capture.error('filters', 'is not supported');
    capture.end();
    return {
      ...{ name, ports, format: format === 'pcapng' ? 'pcapng' : 'pcap' },
      snapOctets: size > 0 ? size : null,
    };
  }

  private hasPort(name: string): boolean {
    return this.ports.some((port) => port.name === name);
  }

  /** Addresses are names here: frames go to the ports that flows have as receivers. */
  private readDevice(device: Part): void {
    const names = [device.text('name')];
    let port = '';
    for (const ethernet of device.parts('ethernets')) {
      const connection = ethernet.part('connection');
      connection.chosen('port_name', ['port_name']);
      port = connection.text('port_name', ethernet.text('port_name'));
      connection.end();
      if (!this.hasPort(port)) ethernet.error('connection', `no port ${JSON.stringify(port)}`);
      names.push(ethernet.text('name'));
      ethernet.accept('mac', 'mtu');
      for (const key of ['ipv4_addresses', 'ipv6_addresses']) {
        for (const address of ethernet.parts(key)) {
          names.push(address.text('name'));
          address.accept('address', 'gateway', 'prefix', 'gateway_mac');
          const gateway = address.text('gateway');
          if (key === 'ipv4_addresses') {
            this.neighbors.push({ ethernet: ethernet.text('name'), gateway, port });
          }
          address.end();
        }
      }
      ethernet.end();
    }
    device.end();
    for (const name of names) this.portOf.set(name, port);
  }

  private flowOf(flow: Part): TesterFlow {
    const name = flow.text('name');
    if (name === '') flow.error('name', 'a flow needs a name');
    const packets = flow.parts('packet');
    const control = controlFrameOf(packets);
    const packet: Packet =
      control !== null
        ? { kind: 'control', octets: control }
        : { kind: 'data', ...dataHeaderOf(packets) };
    const pairs = this.pairsOf(flow.part('tx_rx'), control !== null);
    const size = flow.part('size');
    size.chosen('fixed', ['fixed']);
    const frameBytes = size.number('fixed', FRAME_LEAST);
    if (frameBytes < FRAME_LEAST || frameBytes > FRAME_MOST) {
      size.error('fixed', `${frameBytes} is outside ${FRAME_LEAST} to ${FRAME_MOST}`);
    }
    size.end();
    const metrics = flow.part('metrics');
    metrics.accept('enable', 'loss', 'tx_rx_ratio', 'rx_tx_ratio', 'predefined_metrics');
    const latency = metrics.part('latency');
    latency.accept('mode');
    latency.end();
    metrics.end();
    const rate = rateOf(flow.part('rate'));
    const times = durationOf(flow.part('duration'));
    flow.end();
    return { name, pairs, packet, frameBytes, rate, ...times };
  }

  private pairsOf(ends: Part, isControl: boolean): TesterFlow['pairs'] {
    const choice = ends.chosen('port', ['port', 'device']);
    const part = ends.part(choice);
    const mode = choice === 'device' ? part.text('mode', 'mesh') : 'one_to_one';
    const senders = choice === 'device' ? part.texts('tx_names') : [part.text('tx_name')];
    const one = part.text('rx_name');
    const receivers = one === '' ? part.texts('rx_names') : [one];
    const placed = (key: string, names: readonly string[]): string[] =>
      names.map((name) => {
        const port = choice === 'device' ? this.portOf.get(name) : name;
        if (port !== undefined && this.hasPort(port)) return port;
        part.error(key, `no ${choice} ${JSON.stringify(name)}`);
        return '';
      });
    const [txs, rxs] = [placed('tx_names', senders), placed('rx_names', receivers)];
    part.end();
    ends.end();
    // A control frame goes no further than the link partner.
    if (isControl) return txs.map((tx) => ({ tx, rx: null }));
    if (rxs.length === 0) part.error('rx_names', 'a flow of data needs a receiver');
    if (mode === 'mesh') return txs.flatMap((tx) => rxs.map((rx) => ({ tx, rx })));
    if (mode !== 'one_to_one') part.error('mode', `${mode} is not supported: mesh, one_to_one`);
    if (choice === 'device' && txs.length !== rxs.length) {
      part.error('rx_names', `${rxs.length} receivers of ${txs.length} senders, one to one`);
    }
    const [sender = ''] = txs;
    if (choice === 'port') return rxs.map((rx) => ({ tx: sender, rx }));
    return txs.map((tx, i) => ({ tx, rx: rxs[i] ?? '' }));
  }
}

function layerOf(layer: Part): Pick<TesterPort, 'pfc' | 'speed'> {
  layer.accept('name', 'mtu', 'media', 'promiscuous', 'ieee_media_defaults', 'auto_negotiate');
  layer.accept('auto_negotiation');
  const written = layer.text('speed');
  const [, number, unit] = SPEED.exec(written) ?? [];
  if (written !== '' && number === undefined) layer.error('speed', `unknown: ${written}`);
  const speed = number === undefined ? null : `${number}${unit === 'gbps' ? 'G' : 'M'}`;
  if (!layer.has('flow_control')) return { pfc: null, speed };
  const control = layer.part('flow_control');
  control.accept('directed_address');
  control.chosen('ieee_802_1qbb', ['ieee_802_1qbb']);
  const classes = control.part('ieee_802_1qbb');
  classes.accept('pfc_delay');
  const pfc = PRIORITY_NUMBERS.map((priority) => {
    const key = `pfc_class_${priority}`;
    if (!classes.has(key)) return false;
    const queue = classes.number(key);
    if (queue < 0 || queue >= PRIORITIES) classes.error(key, `${queue} is no queue 0 to 7`);
    return true;
  });
  classes.end();
  control.end();
  return { pfc, speed };
}

function rateOf(rate: Part): FlowRate {
  const units = { bps: 1, kbps: 1e3, mbps: 1e6, gbps: 1e9 } as const;
  const choice = rate.chosen('pps', ['pps', 'percentage', ...Object.keys(units)]);
  const value = rate.number(choice, choice === 'percentage' ? 100 : 1000);
  if (value <= 0) rate.error(choice, `${value} is no rate`);
  rate.end();
  if (choice === 'percentage') {
    if (value > 100) rate.error(choice, `${value} is more than the link`);
    return { unit: 'share', value: value / 100 };
  }
  if (choice === 'pps') return { unit: 'pps', value };
  return { unit: 'bps', value: value * units[choice as keyof typeof units] };
}

function durationOf(duration: Part): Pick<TesterFlow, 'delayPs' | 'forPs' | 'packets'> {
  const choice = duration.chosen('continuous', ['continuous', 'fixed_seconds', 'fixed_packets']);
  const part = duration.part(choice);
  const delay = part.part('delay');
  const unit = delay.chosen('nanoseconds', ['nanoseconds', 'microseconds']);
  const delayPs = delay.number(unit) * (unit === 'nanoseconds' ? 1e3 : 1e6);
  delay.end();
  // The gap between packets follows from the rate.
  part.accept('gap');
  const seconds = choice === 'fixed_seconds' ? part.number('seconds', 1) : null;
  const packets = choice === 'fixed_packets' ? part.number('packets', 1) : null;
  if (seconds !== null && seconds <= 0) part.error('seconds', `${seconds} is no time`);
  if (packets !== null && (packets < 1 || packets % 1 !== 0)) {
    part.error('packets', `${packets} is no number of packets`);
  }
  part.end();
  duration.end();
  return { delayPs, forPs: seconds === null ? null : Math.round(seconds * PS_PER_S), packets };
}
