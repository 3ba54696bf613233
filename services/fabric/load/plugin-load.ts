import { RandomStream } from '../../engine/kernel/random.js';
import type { LoadFlow } from '../../plugins/api.js';
import { withinLimit } from '../../plugins/evaluate.js';
import { placeIn, reasonOf } from '../../plugins/thrown.js';
import { loadNamed } from '../../plugins/plugins.js';
import { didYouMean, show } from '../../settings/errors.js';
import type { LoadSection } from '../scenario/scenario.js';
import type { LoadEntry } from './load-entry.js';

/** The flows of a load of a plugin, each of which is checked. */
export function expandPlugin(
  entry: LoadEntry,
  section: Extract<LoadSection, { readonly kind: 'plugin' }>,
): void {
  const { plugin: name, settings } = section;
  const { plugins, seed, durationPs } = entry.context;
  const { load, file } = loadNamed(name, plugins);
  const places = entry.hosts('hosts', section.hosts);
  const hosts = places.map((host) => ({
    name: entry.nameOf(host),
    lineBps: entry.linkRateBps(host),
  }));
  const random = new RandomStream(seed, entry.label);
  const request = { settings, hosts, durationPs, random: () => random.uniform() };
  const adder = new FlowAdder(
    entry,
    name,
    new Map(hosts.map((host, i) => [host.name, places[i]!])),
  );
  try {
    withinLimit(() => {
      for (const flow of load.flows(request)) adder.add(flow);
    });
  } catch (error) {
    if (error === adder.refusal) throw error;
    throw entry.fail([name], `${name} threw: ${reasonOf(error)} (${placeIn(file, error)})`);
  }
}

class FlowAdder {
  /** Why a flow was refused; null: none was. */
  refusal: Error | null = null;
  private readonly first: number;
  /** By position among the load's flows: the receiver. */
  private readonly receivers: number[] = [];

  constructor(
    private readonly entry: LoadEntry,
    private readonly name: string,
    private readonly placeOf: ReadonlyMap<string, number>,
  ) {
    this.first = entry.nextPlace;
  }

  add(flow: unknown): void {
    if (typeof flow !== 'object' || flow === null) throw this.refuse(`is ${show(flow)}`);
    const { from, to, bytes, atPs = 0, after = [] } = flow as Partial<LoadFlow>;
    const [source, destination] = [this.host('from', from), this.host('to', to)];
    if (source === destination) throw this.refuse(`goes from ${show(from)} to itself`);
    this.whole('bytes', bytes, 1);
    this.whole('atPs', atPs, 0);
    const { section } = this.entry;
    this.entry.announce(1);
    this.entry.add(source, destination, {
      messages: 1,
      messageBytes: bytes!,
      startPs: section.startPs + atPs,
      after: after.map((position) => this.prerequisite(position, source)),
    });
    this.receivers.push(destination);
  }

  private prerequisite(position: number, source: number): { flow: number; lead: number } {
    const receiver = this.receivers[position];
    if (receiver === undefined)
      throw this.refuse(`waits for flow ${show(position)}, no earlier one`);
    if (receiver !== source) {
      throw this.refuse(`waits for flow ${position}, whose receiver is not its sender`);
    }
    return { flow: this.first + position, lead: 0 };
  }

  private host(key: string, name: unknown): number {
    const place = this.placeOf.get(name as string);
    if (place !== undefined) return place;
    const hint = typeof name === 'string' ? didYouMean(name, this.placeOf.keys()) : '';
    throw this.refuse(`has ${key}: ${show(name)}, none of its hosts${hint}`);
  }

  private whole(key: string, value: unknown, least: number): void {
    if (Number.isSafeInteger(value) && (value as number) >= least) return;
    throw this.refuse(`has ${key}: ${show(value)}; a whole number from ${least}`);
  }

  private refuse(what: string): Error {
    const message = `flow ${this.receivers.length} of ${this.name} ${what}`;
    this.refusal = this.entry.fail([this.name], message);
    return this.refusal;
  }
}
