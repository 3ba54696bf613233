/**
 * Minigraphs: the device and its neighbors in XML. Ports have the names of their vendor there
 * (aliases), which a port_config.ini or a PORT table of the same switch knows.
 */

import { SaxesParser } from 'saxes';
import type { FileErrors, FilePlace } from './file-errors.js';
import type { Entry, Field, Tables } from './tables.js';

interface Element {
  readonly name: string;
  readonly line: number;
  readonly children: Element[];
  text: string;
}

/** Nested deeper, no minigraph is meant. */
const DEEPEST = 64;

/** Whether a file is XML, and so a minigraph. */
export function isXml(text: string): boolean {
  return /^\uFEFF?\s*</.test(text);
}

export function minigraphTables(file: string, text: string, errors: FileErrors): Tables {
  const root = elementsOf(file, text, errors);
  if (root === null) return new Map();
  if (root.name !== 'DeviceMiniGraph') {
    const place = { file, line: root.line, key: '' };
    errors.add(place, `<${root.name}> is no minigraph: its element is <DeviceMiniGraph>`);
    return new Map();
  }
  return new Minigraph(file, root, errors).tables();
}

class Minigraph {
  private readonly made = new Map<string, Entry[]>();

  constructor(
    private readonly file: string,
    private readonly root: Element,
    private readonly errors: FileErrors,
  ) {}

  tables(): Tables {
    const hostname = childOf(this.root, 'Hostname');
    if (hostname === null) {
      const place = this.place(this.root, 'DEVICE_METADATA localhost hostname');
      this.errors.add(place, 'no <Hostname> of the device');
      return this.made;
    }
    const devices = all(this.root, ['PngDec', 'Devices', 'Device']);
    const own = devices.find((one) => textIn(one, 'Hostname') === hostname.text);
    this.add('DEVICE_METADATA', 'localhost', hostname, {
      hostname,
      hwsku: childOf(this.root, 'HwSku'),
      type: own === undefined ? null : childOf(own, 'ElementType'),
    });
    for (const device of devices) {
      const name = textIn(device, 'Hostname');
      if (device === own || name === null) continue;
      const type = childOf(device, 'ElementType');
      this.add('DEVICE_NEIGHBOR_METADATA', name, device, { type });
    }
    for (const link of all(this.root, ['PngDec', 'DeviceInterfaceLinks', 'DeviceLinkBase'])) {
      this.addLink(link, hostname.text);
    }
    this.addSpeeds();
    return this.made;
  }

  /** A link of the device; those of others are theirs. */
  private addLink(link: Element, hostname: string): void {
    const [start, end] = ['Start', 'End'].map((side) => ({
      device: childOf(link, `${side}Device`),
      port: childOf(link, `${side}Port`),
    })) as [LinkSide, LinkSide];
    for (const [own, other] of [
      [start, end],
      [end, start],
    ] as const) {
      if (own.device?.text !== hostname) continue;
      if (own.port === null || other.device === null || other.port === null) {
        const place = this.place(link, 'DEVICE_NEIGHBOR');
        this.errors.add(place, 'a link without the device or port of one of its ends');
        return;
      }
      this.add('DEVICE_NEIGHBOR', own.port.text, link, { name: other.device, port: other.port });
      const speed = childOf(link, 'Bandwidth');
      if (speed !== null) this.add('PORT', own.port.text, link, { speed });
    }
  }

  /** Speeds of ports whose links do not say theirs. */
  private addSpeeds(): void {
    const ports = this.made.get('PORT') ?? [];
    const path = ['DeviceInfos', 'DeviceInfo', 'EthernetInterfaces', 'EthernetInterface'];
    for (const one of all(this.root, path)) {
      const name = textIn(one, 'InterfaceName');
      const speed = childOf(one, 'Speed');
      if (name === null || speed === null || ports.some(({ key }) => key === name)) continue;
      this.add('PORT', name, one, { speed });
    }
  }

  private add(
    table: string,
    key: string,
    at: Element,
    values: Readonly<Record<string, Element | null>>,
  ): void {
    const place = this.place(at, `${table} ${key}`);
    const fields = new Map<string, Field>();
    for (const [name, element] of Object.entries(values)) {
      if (element === null) continue;
      const own = this.place(element, `${place.key} ${name}`);
      fields.set(name, { text: element.text, place: own });
    }
    const entries = this.made.get(table) ?? [];
    this.made.set(table, entries);
    entries.push({ key, place, fields });
  }

  private place({ line }: Element, key: string): FilePlace {
    return { file: this.file, line, key };
  }
}

interface LinkSide {
  readonly device: Element | null;
  readonly port: Element | null;
}

/** The root of a file; null if it cannot be read, which is an error then. */
function elementsOf(file: string, text: string, errors: FileErrors): Element | null {
  const parser = new SaxesParser();
  const open: Element[] = [];
  let root: Element | null = null;
  const problems: string[] = [];
  parser.on('error', ({ message }) => {
    problems.push(message.replace(/^\d+:\d+: /, ''));
    if (problems.length > 1) return;
    errors.add({ file, line: parser.line, key: '' }, `no XML: ${problems[0]!}`);
  });
  parser.on('opentag', ({ name }) => {
    const element = { name: plainName(name), line: parser.line, children: [], text: '' };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
    if (open.length === DEEPEST) parser.fail(`elements deeper than ${DEEPEST} levels`);
  });
  parser.on('text', (written) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += written;
  });
  parser.on('closetag', () => {
    const element = open.pop();
    if (element !== undefined) element.text = element.text.trim();
  });
  parser.write(text).close();
  return problems.length === 0 ? root : null;
}

/** Without the prefix of its namespace. */
function plainName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function childOf({ children }: Element, name: string): Element | null {
  return children.find((child) => child.name === name && child.text !== '') ?? null;
}

function textIn(element: Element, name: string): string | null {
  return childOf(element, name)?.text ?? null;
}

function all(from: Element, path: readonly string[]): Element[] {
  return path.reduce<Element[]>(
    (found, name) => found.flatMap(({ children }) => children.filter((one) => one.name === name)),
    [from],
  );
}
