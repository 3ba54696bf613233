import type { ExplicitLink } from '../scenario/scenario.js';
import { didYouMean } from '../../settings/errors.js';
import { SWITCH_PORTS_MAX } from './port-limit.js';
import type { Topology, TopologyDevice, TopologyEnd, TopologyLink } from './topology.js';

/** Place of a value in the scenario file. */
export type Path = readonly (string | number)[];
/** Creates the error to throw, at a location in the scenario file. */
export type Fail = (path: Path, message: string) => Error;

const HOST_PORTS_MAX = 1;

interface CabledDevice extends TopologyDevice {
  /** Its path in the scenario. */
  readonly path: Path;
  /** Path of the link at each port; undefined where there is none. */
  readonly links: (Path | undefined)[];
}

interface CabledEnd {
  readonly device: CabledDevice;
  readonly port: number;
}

/** A link's end as it is written: `h1`, or `leaf3:p5` to name the port. */
interface WrittenEnd {
  readonly device: CabledDevice;
  /** Null: the next free one. */
  readonly port: number | null;
  readonly path: Path;
}

interface CabledLink {
  readonly a: CabledEnd;
  readonly b: CabledEnd;
  readonly link: ExplicitLink['link'];
}

/** Devices and links under construction, by name; checks everything on the way. */
export class Cabling {
  private readonly devices = new Map<string, CabledDevice>();
  private readonly links: CabledLink[] = [];

  constructor(private readonly fail: Fail) {}

  place({ name, kind, tier }: TopologyDevice, path: Path): void {
    if (this.devices.has(name)) throw this.fail(path, `there are two devices named ${name}`);
    this.devices.set(name, { name, kind, tier, path, links: [] });
  }

  /** Named ports are taken first; the other ends take the next free port in the order given. */
  connect(links: readonly ExplicitLink[], pathOf: (index: number) => Path): void {
    const written = links.map(({ ends }, i) => {
      const [a, b] = [this.find(ends[0], pathOf(i)), this.find(ends[1], pathOf(i))];
      if (a.device === b.device) throw this.fail(pathOf(i), `${a.device.name} is linked to itself`);
      return { a, b };
    });
    const named = new Map<WrittenEnd, CabledEnd>();
    for (const end of written.flatMap(({ a, b }) => [a, b])) {
      if (end.port !== null) named.set(end, this.plug(end, end.port));
    }
    const plug = (end: WrittenEnd): CabledEnd =>
      named.get(end) ?? this.plug(end, firstFree(end.device.links));
    written.forEach(({ a, b }, i) => {
      this.links.push({ a: plug(a), b: plug(b), link: links[i]!.link });
    });
  }

  finish(): Topology {
    const all = [...this.devices.values()];
    const ordered = ['host', 'switch'].flatMap((kind) => all.filter((d) => d.kind === kind));
    for (const device of ordered) this.checkPorts(device);
    const index = new Map(ordered.map((device, i) => [device, i]));
    const endOf = ({ device, port }: CabledEnd): TopologyEnd => {
      return { device: index.get(device)!, port };
    };
    return {
      devices: ordered.map(({ name, kind, tier }) => ({ name, kind, tier })),
      links: this.links.map(({ a, b, link }): TopologyLink => {
        return { a: endOf(a), b: endOf(b), ...link };
      }),
    };
  }

  private find(text: string, path: Path): WrittenEnd {
    const [, name, port] = /^(.*?)(?::p(\d+))?$/s.exec(text)!;
    const device = this.devices.get(name!);
    if (device === undefined) {
      const hint = didYouMean(name!, this.devices.keys());
      throw this.fail(path, `there is no device ${name!}${hint}`);
    }
    if (Number(port) === 0) throw this.fail(path, `${text}: ports are counted from 1`);
    return { device, port: port === undefined ? null : Number(port) - 1, path };
  }

  private plug({ device, path }: WrittenEnd, port: number): CabledEnd {
    const { name, kind, links } = device;
    const most = kind === 'host' ? HOST_PORTS_MAX : SWITCH_PORTS_MAX;
    if (port >= most) {
      const limit = kind === 'host' ? 'a host has one port' : `a switch has at most ${most} ports`;
      throw this.fail(path, `there is no port ${name}:p${port + 1}: ${limit}`);
    }
    if (links[port] !== undefined) {
      throw this.fail(path, `port ${name}:p${port + 1} is used twice`);
    }
    links[port] = path;
    return { device, port };
  }

  /** Ports are numbered without gaps, so that every port of a device has a link. */
  private checkPorts({ name, kind, links, path }: CabledDevice): void {
    if (kind === 'host' && links.length === 0) throw this.fail(path, `host ${name} has no link`);
    const free = firstFree(links);
    if (free === links.length) return;
    const message =
      `${name} has a link on p${links.length} but none on p${free + 1}: ` +
      'ports are numbered without gaps';
    throw this.fail(links[links.length - 1]!, message);
  }
}

function firstFree(links: readonly (Path | undefined)[]): number {
  const free = links.findIndex((link) => link === undefined);
  return free < 0 ? links.length : free;
}
