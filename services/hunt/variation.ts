import { stealGrants, stuckGrants } from '../fabric/faults/grants.js';
import { GRANTING } from '../mechanisms/registry.js';
import { QUANTUM_OCTETS } from '../engine/units/ethernet.js';
import { hasSharedBuffer, type PortSpec } from '../engine/contract/spec.js';
import type { DeviceSpec } from '../engine/device/engine.js';
import { RandomStream } from '../engine/kernel/random.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { Document, FaultEntry } from './document.js';
import { entriesOf } from './document.js';
import { withWatchdogs } from './watchdogs.js';

export interface VariationOptions {
  readonly seed: number;
  /** At most so many faults are added. */
  readonly faults: number;
}

/** Faults begin in the first part of a run, so that their effects show in the rest. */
const BEGINS_WITHIN = 0.5;
const LASTS_AT_MOST = 0.25;
const LEAST_PS = 1e6;
/** Assumed length of a run that ends with its load. */
const USUAL_PS = 200e6;
/** Messages of grants that may be lost in a row before a keep-alive is needed. */
const KEEP_ALIVES = 3;

/** One run in so many has a watchdog besides its faults. */
const WATCHED_ONCE_IN = 3;

type Draw = (random: RandomStream) => Record<string, unknown>;

const isSwitch = (spec: DeviceSpec): boolean => spec.kind === 'switch';
const isPlainHost = (spec: DeviceSpec): boolean => spec.kind === 'host' && spec.nic === null;

/** Its NIC has a table of the classes that it stops for a paused priority. */
const stopsByTable = (spec: DeviceSpec): boolean =>
  spec.kind === 'host' && spec.nic?.dcb === true && spec.ports[0]!.pausing?.wholePort === false;

/** Which devices can have a fault, where not all can. */
const BEFALLS: Readonly<Record<string, (spec: DeviceSpec) => boolean>> = {
  reboot: isSwitch,
  'shrink-buffer': hasSharedBuffer,
  'slow-receiver': isPlainHost,
  'host-pause': isPlainHost,
  'wrong-map': stopsByTable,
};

/** Creates the runs of a hunt: run n of a seed is always the same, on every machine. */
export class Variations {
  private readonly usual: Readonly<Record<string, Draw>>;
  private readonly lengthPs: number;
  private readonly recoverPs: number;

  constructor(
    private readonly document: Document,
    private readonly fabric: Fabric,
    private readonly options: VariationOptions,
  ) {
    const ports = fabric.specs.flatMap((spec) => spec.ports);
    this.usual = this.possible({ ...paletteOf(ports), ...OF_HOSTS });
    this.lengthPs = fabric.scenario.durationPs ?? USUAL_PS;
    this.recoverPs = Math.max(...ports.map(recoveryOf));
  }

  make(run: number): Document {
    const random = new RandomStream(this.options.seed, `hunt ${run}`);
    const seed = random.uint32();
    const count = this.options.faults === 0 ? 0 : 1 + random.below(this.options.faults);
    const sampled = Array.from({ length: count }, (_, i) => this.fault(random, i));
    const faults = [...entriesOf(this.document, 'faults'), ...sampled];
    const isWatched = count > 0 && random.below(WATCHED_ONCE_IN) === 0;
    const document = isWatched ? withWatchdogs(this.document, random) : this.document;
    return { ...document, seed, faults };
  }

  private fault(random: RandomStream, index: number): FaultEntry {
    const kinds = Object.keys(this.usual);
    const kind = kinds[random.below(kinds.length)]!;
    const own = this.usual[kind]!(random);
    const candidates = this.befallenBy(own['kind'] as string);
    const { name } = candidates[random.below(candidates.length)]!;
    const lasts = this.drawLength(random);
    const at = Math.floor(random.uniform() * BEGINS_WITHIN * this.lengthPs);
    const again = random.below(3) === 0;
    // Until recovery is complete, no other fault may begin: recovery is checked for single faults.
    const quiet = at + lasts + this.recoverPs < this.lengthPs && this.options.faults === 1;
    return {
      ...own,
      name: `hunted${index + 1}`,
      where: { device: name },
      at: `${at}ps`,
      for: `${lasts}ps`,
      ...(again && !quiet && { every: `${3 * lasts}ps`, random: random.below(2) === 0 }),
      ...(quiet && { recover: `${this.recoverPs}ps` }),
    };
  }

  /** Faults of a palette that some port here can have. */
  private possible(palette: Readonly<Record<string, Draw>>): Readonly<Record<string, Draw>> {
    const any = new RandomStream(0, 'hunt');
    const entries = Object.entries(palette).filter(
      ([, draw]) => this.befallenBy(draw(any)['kind'] as string).length > 0,
    );
    return Object.fromEntries(entries);
  }

  private befallenBy(kind: string): readonly DeviceSpec[] {
    return this.fabric.specs.filter(BEFALLS[kind] ?? ((): boolean => true));
  }

  /** Short ones are as likely as long ones. */
  private drawLength(random: RandomStream): number {
    const most = Math.max(LEAST_PS, LASTS_AT_MOST * this.lengthPs);
    return Math.round(LEAST_PS * (most / LEAST_PS) ** random.uniform());
  }
}

const OF_HOSTS: Readonly<Record<string, Draw>> = {
  reader: (random) => ({ kind: 'slow-receiver', rate: `${1 + random.below(9)}G` }),
  pause: () => ({ kind: 'host-pause' }),
  // Every such NIC has the first four classes.
  map: (random) => ({
    kind: 'wrong-map',
    classes: Array.from({ length: 8 }, () => random.below(4)),
  }),
};

/** Faults that are possible in a fabric like this. */
function paletteOf(ports: readonly PortSpec[]): Readonly<Record<string, Draw>> {
  const share = (random: RandomStream): string => `${[0.1, 1, 10, 50][random.below(4)]}%`;
  const control =
    (frames: string): Draw =>
    (random) => {
      const action = ['lose', 'duplicate', 'delay'][random.below(3)]!;
      const delay = action === 'delay' ? { delay: `${1 + random.below(20)}us` } : {};
      return { kind: 'control', frames, action, ...delay, probability: share(random) };
    };
  // A broken NIC that asks for no longer stops than others, so that what follows is soon over.
  const quanta = Math.max(...ports.map(quantaOf));
  const pausers = [...new Set(ports.flatMap(({ pausing }) => pausing?.mechanism ?? []))];
  return {
    down: () => ({ kind: 'link-down' }),
    loss: (random) => ({ kind: 'loss', probability: share(random) }),
    errors: (random) => ({ kind: 'bit-errors', errorRate: 10 ** -(4 + random.below(4)) }),
    delay: (random) => ({ kind: 'delay', delay: `${1 + random.below(5)}us`, jitter: '1us' }),
    slow: () => ({ kind: 'slow-link', rate: '1G' }),
    freeze: () => ({ kind: 'freeze' }),
    control: control('any'),
    shrink: () => ({ kind: 'shrink-buffer', size: '10MB' }),
    reboot: () => ({ kind: 'reboot' }),
    ...(ports.every((port) => quantaOf(port) > 0) && {
      storm: () => ({ kind: 'storm', quanta }),
    }),
    ...Object.fromEntries(pausers.map((name) => [name, control(name)])),
    ...(ports.every(({ grants }) => grants !== null) && {
      grant: control('ce-grant'),
      request: control('ce-request'),
      stuck: () => ({ kind: stuckGrants.name }),
      steal: () => ({ kind: stealGrants.name, size: '4KB', interval: '5us' }),
    }),
  };
}

function quantaOf({ pausing }: PortSpec): number {
  return pausing?.quanta ?? 0;
}

/** Recovery time of the ports of a link after a fault. */
function recoveryOf(port: PortSpec): number {
  const stop = quantaOf(port) * QUANTUM_OCTETS * port.octetPs;
  const recoveryPs = GRANTING?.recoveryPs(port, KEEP_ALIVES) ?? 0;
  return 2 * stop + recoveryPs + LEAST_PS;
}
