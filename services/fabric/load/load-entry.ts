import { WIRE_OVERHEAD_OCTETS } from '../../engine/units/ethernet.js';
import type { GroupSection, HostSelector, LoadSection } from '../scenario/scenario.js';
import type { PluginSource } from '../../plugins/source.js';
import type { Fail, Path } from '../topology/cabling.js';
import { selectDevices } from '../topology/select-devices.js';
import type { Topology } from '../topology/topology.js';
import { hostCount } from '../topology/topology.js';
import type {
  Flow,
  Prerequisite,
  RawTransport,
  Release,
  ReliableTransport,
  VlanTags,
} from './flow.js';
import { RAW_OVERHEAD_BYTES } from './flow.js';
import { OCTET_BITS_PS } from '../../engine/units/rates.js';
import type { Job } from './job.js';

/** More flows than this are a mistake, or need more memory than a machine has. */
const FLOWS_MAX = 2_000_000;

const FRAME_BYTES_MIN = 64;
const FRAME_BYTES_MAX = 9216;
const TAG_BYTES = 4;
/** An endless reliable stream is cut into messages of so many full packets. */
const STREAM_MESSAGE_PACKETS = 256;

const BACKLOG: Release = { kind: 'backlog' };
const NO_PREREQUISITES: readonly Prerequisite[] = [];

export interface LoadContext {
  readonly topology: Topology;
  /** By host: VID of the tags of its untagged loads, 0 for a priority only; null: no tags. */
  readonly tags: readonly (number | null)[];
  readonly groups: readonly GroupSection[];
  readonly plugins: readonly PluginSource[];
  readonly seed: number;
  /** Null: the run has no end of its own. */
  readonly durationPs: number | null;
  readonly fail: Fail;
  /** Text of a file that the scenario names; throws where it cannot be read. */
  readonly readFile: (path: string) => string;
  /** The same of a file that is no text. */
  readonly readOctets: (path: string) => Uint8Array;
}

/** How the flows of one load differ; absent keys are those of the load. */
interface FlowShape {
  readonly messages: number;
  readonly messageBytes: number;
  readonly group?: boolean;
  readonly priority?: number;
  readonly release?: Release;
  readonly startPs?: number;
  readonly endPs?: number;
  readonly after?: readonly Prerequisite[];
  readonly byOperation?: boolean;
}

/** The flows of all loads so far, with a name for each. */
export class FlowTable {
  readonly flows: Flow[] = [];
  readonly jobs: Job[] = [];
  /** Number of flows with a name. */
  private readonly named = new Map<string, number>();

  /** The first flow of a name has the plain name, the next ones get a number: `h2->h1#2`. */
  uniqueName(name: string): string {
    let unique = name;
    let count = this.named.get(name) ?? 0;
    while (this.named.has(unique)) unique = `${name}#${++count}`;
    this.named.set(name, Math.max(count, 1));
    if (unique !== name) this.named.set(unique, 1);
    return unique;
  }
}

/** One load of the scenario while it is expanded to flows. */
export class LoadEntry {
  /** Octets of a full frame, without tags. */
  private readonly plainFrameBytes: number;
  /** Octets of payload in it. */
  readonly fullPayloadBytes: number;
  private readonly transports = new Map<number, RawTransport | ReliableTransport>();
  private readonly linkRatesBps: Float64Array;
  /** Host whose address its frames have, if not that of their sender. */
  private readonly address: number | null;

  constructor(
    readonly section: LoadSection,
    private readonly index: number,
    readonly context: LoadContext,
    private readonly table: FlowTable,
  ) {
    const { transport } = section;
    const overhead = transport.kind === 'raw' ? RAW_OVERHEAD_BYTES : transport.overheadBytes;
    const frame = transport.kind === 'raw' ? transport.frameBytes : transport.mtuBytes + overhead;
    this.fullPayloadBytes = frame - overhead;
    this.plainFrameBytes = frame;
    this.linkRatesBps = linkRates(context.topology);
    this.address = section.spoof === null ? null : this.hosts('spoof', [section.spoof])[0]!;
    this.checkFrame(frame);
    if (section.endPs !== null && section.endPs <= section.startPs) {
      throw this.fail(['endPs'], 'the load ends before it starts');
    }
  }

  fail(path: Path, message: string): Error {
    return this.context.fail(['load', this.index, ...path], message);
  }

  /** The load's own name, or its index in the file: names its random streams. */
  get label(): string {
    return this.section.name === '' ? `load${this.index + 1}` : this.section.name;
  }

  hosts(key: string, selector: HostSelector): number[] {
    const path = key === 'spoof' ? [key] : [this.section.kind, key];
    const fail = (message: string): Error => this.fail(path, message);
    return selectDevices(this.context.topology, selector, 'host', fail);
  }

  /** At least two hosts, for loads that run among them. */
  hostsAmong(selector: HostSelector): number[] {
    const hosts = this.hosts('hosts', selector);
    if (hosts.length < 2)
      throw this.fail(
        ['hosts'],
        'one host; at least two are needed, so that each has a destination',
      );
    return hosts;
  }

  /** Index of the next flow in the list of all flows. */
  get nextPlace(): number {
    return this.table.flows.length;
  }

  nameOf(host: number): string {
    return this.context.topology.devices[host]!.name;
  }

  linkRateBps(host: number): number {
    return this.linkRatesBps[host]!;
  }

  /** Octets of a full frame of a host on the wire, tags included. */
  fullFrameBytes(host: number): number {
    const { inner, outer } = this.tagsOf(host);
    const tags = [inner, outer].filter((id) => id !== null).length;
    return this.plainFrameBytes + tags * TAG_BYTES;
  }

  /** As the load says, or else as its port does. */
  private tagsOf(host: number): VlanTags {
    const { vlan } = this.section;
    const inner = this.isTagged ? vlan.inner : this.portTag(host);
    return { ...vlan, inner };
  }

  private portTag(host: number): number | null {
    return this.context.tags[host] ?? null;
  }

  private get isTagged(): boolean {
    const { inner, outer } = this.section.vlan;
    return inner !== null || outer !== null;
  }

  /** Those of answers, where ports have their own; else they are as the data arrives. */
  private answerTags(source: number, destination: number): { readonly answerVlan?: VlanTags } {
    const inner = this.portTag(destination);
    if (this.isTagged || (inner === null && this.portTag(source) === null)) return {};
    return { answerVlan: { ...this.section.vlan, inner } };
  }

  /** Time that a full frame takes on a host's link, overhead included. */
  fullFramePs(host: number): number {
    return (
      ((this.fullFrameBytes(host) + WIRE_OVERHEAD_OCTETS) * OCTET_BITS_PS) / this.linkRateBps(host)
    );
  }

  /** Octets that so many packets of a message take on the wire beyond its payload. */
  overheadBytes(host: number, packets: number): number {
    return packets * (this.fullFrameBytes(host) - this.fullPayloadBytes + WIRE_OVERHEAD_OCTETS);
  }

  readFile(path: Path, file: string): string {
    return this.read(path, file, this.context.readFile);
  }

  readOctets(path: Path, file: string): Uint8Array {
    return this.read(path, file, this.context.readOctets);
  }

  private read<Content>(path: Path, file: string, reader: (file: string) => Content): Content {
    try {
      return reader(file);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw this.fail(path, `cannot read ${file}: ${reason}`);
    }
  }

  checkBytes(path: Path, bytes: number): void {
    if (!Number.isSafeInteger(bytes) || bytes < 1) {
      throw this.fail(path, `${bytes} is no volume; it must be at least one byte`);
    }
  }

  /** To be called before so many flows are added. */
  announce(count: number): void {
    const total = this.table.flows.length + count;
    if (total <= FLOWS_MAX) return;
    const many = Math.round(total).toLocaleString('en-US');
    const most = FLOWS_MAX.toLocaleString('en-US');
    throw this.fail([], `the load would come to ${many} flows; at most ${most} are possible`);
  }

  /** One message of so many octets, or (null) a stream without end. */
  volume(bytes: number | null): { messages: number; messageBytes: number } {
    if (bytes !== null) return { messages: 1, messageBytes: bytes };
    if (this.section.transport.kind === 'raw') return { messages: 1, messageBytes: Infinity };
    return { messages: Infinity, messageBytes: this.fullPayloadBytes * STREAM_MESSAGE_PACKETS };
  }

  add(source: number, destination: number, shape: FlowShape): void {
    const { section, table, context } = this;
    if (shape.group !== true && source === destination) this.checkLocal(source);
    const priority = shape.priority ?? section.priority;
    const to = shape.group === true ? context.groups[destination]!.name : this.nameOf(destination);
    const prefix = section.name === '' ? '' : `${section.name}/`;
    table.flows.push({
      name: table.uniqueName(`${prefix}${this.nameOf(source)}->${to}`),
      load: this.index,
      source,
      destination,
      group: shape.group ?? false,
      priority,
      dscp: section.dscp,
      ect: section.ect,
      congestion: section.congestion,
      vlan: this.tagsOf(source),
      ...(shape.group !== true && this.answerTags(source, destination)),
      vm: section.vm,
      toVm: section.toVm,
      address: this.address,
      transport: this.transportFor(priority),
      release: shape.release ?? BACKLOG,
      startPs: shape.startPs ?? section.startPs,
      endPs: shape.endPs ?? section.endPs ?? Infinity,
      messages: shape.messages,
      messageBytes: shape.messageBytes,
      after: shape.after ?? NO_PREREQUISITES,
      byOperation: shape.byOperation ?? false,
    });
  }

  addJob(job: Job): void {
    this.table.jobs.push(job);
  }

  /** A host sends to itself from one of its virtual machines to another. */
  private checkLocal(host: number): void {
    const { kind, vm, toVm, congestion } = this.section;
    if (kind !== 'stream' || vm === toVm) {
      const remedy = kind === 'stream' ? '; name two of its virtual machines: vm and toVm' : '';
      throw this.fail([], `${this.nameOf(host)} would send to itself${remedy}`);
    }
    if (congestion === 'none') return;
    const message = `nothing on the way reacts to congestion within ${this.nameOf(host)}`;
    throw this.fail(['congestion'], `${message}; write congestion: none`);
  }

  private checkFrame(bytes: number): void {
    const { transport } = this.section;
    const raw = transport.kind === 'raw';
    const overhead = transport.kind === 'raw' ? 0 : transport.overheadBytes;
    const least = raw ? FRAME_BYTES_MIN : overhead + 1;
    if (Number.isInteger(bytes) && bytes >= least && bytes <= FRAME_BYTES_MAX) return;
    const key = raw ? 'frameBytes' : 'mtuBytes';
    const range = `${least - overhead} to ${FRAME_BYTES_MAX - overhead} bytes`;
    const what = raw ? 'a frame has' : 'the payload of a packet has';
    throw this.fail(['transport', key], `${what} ${range}, not ${bytes - overhead}`);
  }

  /** Flows of one priority share their description. */
  private transportFor(priority: number): RawTransport | ReliableTransport {
    const known = this.transports.get(priority);
    if (known !== undefined) return known;
    const { transport } = this.section;
    const made: RawTransport | ReliableTransport =
      transport.kind === 'raw'
        ? transport
        : {
            ...transport,
            rateBps: transport.rateBps ?? Infinity,
            ackPriority: transport.ackPriority ?? priority,
          };
    this.transports.set(priority, made);
    return made;
  }
}

function linkRates(topology: Topology): Float64Array {
  const rates = new Float64Array(hostCount(topology));
  for (const { a, b, rateBps } of topology.links) {
    for (const { device } of [a, b]) if (device < rates.length) rates[device] = rateBps;
  }
  return rates;
}
