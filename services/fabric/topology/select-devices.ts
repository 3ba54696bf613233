import { didYouMean } from '../../settings/errors.js';
import type { DeviceKind, Topology } from './topology.js';

/**
 * Devices by name, glob (`leaf*`, `h?`), range (`h2..h9`) or `all`, in the order of the selector
 * and each once, as indices in the topology. Globs and `all` take devices of the kind only.
 */
export function selectDevices(
  topology: Topology,
  selector: readonly string[],
  kind: DeviceKind | 'device',
  fail: (message: string) => Error,
): number[] {
  const names = new NameTable(topology, kind, fail);
  const selected = new Set(selector.flatMap((item) => names.select(item)));
  if (selected.size === 0) throw fail(`no ${kind} is selected`);
  return [...selected];
}

/** Of a fabric's names, so many fit into an error. */
const NAMES_SHOWN = 8;

/** Devices of one kind, found by name. */
export class NameTable {
  private readonly indexOf = new Map<string, number>();

  constructor(
    private readonly topology: Topology,
    private readonly kind: DeviceKind | 'device',
    private readonly fail: (message: string) => Error,
  ) {
    topology.devices.forEach((device, i) => {
      if (kind === 'device' || device.kind === kind) this.indexOf.set(device.name, i);
    });
  }

  select(item: string): number[] {
    if (this.indexOf.has(item)) return [this.find(item)];
    if (item === 'all') return [...this.indexOf.values()];
    if (/[*?]/.test(item)) return this.glob(item);
    const range = /^(.*?)(\d+)\.\.(.*?)(\d+)$/.exec(item);
    if (range === null) return [this.find(item)];
    const [, prefix, first, endPrefix, last] = range as unknown as string[];
    if (prefix !== endPrefix || Number(first) > Number(last)) {
      throw this.fail(`${item} is not a range; write it like h2..h9`);
    }
    return this.range(prefix!, first!, Number(last));
  }

  find(name: string): number {
    const index = this.indexOf.get(name);
    if (index !== undefined) return index;
    const other = this.topology.devices.find((device) => device.name === name);
    if (other !== undefined) throw this.fail(`${name} is a ${other.kind}, not a ${this.kind}`);
    throw this.fail(`there is no ${this.kind} ${name}${this.hint(name)}`);
  }

  /** The name that was probably meant, or names that there are. */
  private hint(name: string): string {
    const names = [...this.indexOf.keys()];
    const meant = didYouMean(name, names);
    if (meant !== '' || names.length === 0) return meant;
    const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : '';
    return `; there are ${names.slice(0, NAMES_SHOWN).join(', ')}${more}`;
  }

  private range(prefix: string, first: string, last: number): number[] {
    const selected: number[] = [];
    for (let number = Number(first); number <= last; number++) {
      selected.push(this.find(prefix + String(number).padStart(first.length, '0')));
    }
    return selected;
  }

  private glob(pattern: string): number[] {
    const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&');
    const source = escaped.replaceAll('*', '.*').replaceAll('?', '.');
    const expression = new RegExp(`^${source}$`);
    const selected = [...this.indexOf].filter(([name]) => expression.test(name));
    if (selected.length === 0) throw this.fail(`no ${this.kind} has a name like ${pattern}`);
    return selected.map(([, index]) => index);
  }
}
