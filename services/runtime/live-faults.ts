import type { Engine } from '../engine/device/engine.js';
import type { DeviceSpec } from '../engine/device/engine.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { PlacedFault } from '../fabric/assembly/fault-plan.js';
import { placeFaults, withFaults } from '../fabric/assembly/fault-plan.js';
import { packPlain, unpackPlain } from './checkpoints/plain-octets.js';
import { ScenarioError } from '../settings/errors.js';
import { FAULT_KINDS } from '../fabric/faults/registry.js';
import type { FaultSection } from '../fabric/scenario/fault-section.js';
import { faultEndPs } from '../fabric/scenario/fault-section.js';
import type { LoadedScenario } from '../fabric/scenario/load-scenario.js';

/** A fault in the notation of a scenario file. */
export type FaultWords = Readonly<Record<string, unknown>>;

/** A request to change the faults of a running fabric. */
export type FaultRequest =
  | { readonly kind: 'inject'; readonly fault: FaultWords }
  | { readonly kind: 'clear'; readonly name: string };

/** The same, at a time from which on nothing had been executed: so it can be repeated. */
export type FaultStep = FaultRequest & { readonly atPs: number };

/** Effect of a step on devices. */
export type FaultChange =
  | { readonly kind: 'plant'; readonly atPs: number; readonly placed: readonly PlacedFault[] }
  | { readonly kind: 'end'; readonly atPs: number; readonly number: number };

/** A fault of a run, as requests refer to it. */
export interface LiveFault {
  readonly name: string;
  readonly kind: string;
  readonly startPs: number;
  /** When it is over; Infinity: it lasts to the end of the run, unless it is ended. */
  readonly untilPs: number;
  readonly injected: boolean;
  readonly words: FaultWords;
}

const SOURCE = 'injected fault';

/**
 * Faults that are injected and ended during a run. Each becomes part of the scenario, with the
 * virtual time of its injection: declared like that from the start, it gives the same digest.
 */
export class LiveFaults {
  readonly steps: FaultStep[] = [];
  private readonly declared: number;

  constructor(
    /** The scenario with all changes so far. */
    public loaded: LoadedScenario,
    public fabric: Fabric,
  ) {
    this.declared = fabric.scenario.faults.length;
  }

  /** Throws a ScenarioError if the scenario cannot have that. */
  check(request: FaultRequest): void {
    if (request.kind === 'clear') this.numberOf(request.name);
    else this.place(request.fault);
  }

  /** Makes a request part of the scenario, where nothing from `boundPs` on has been executed. */
  take(
    request: FaultRequest,
    boundPs: number,
  ): { readonly step: FaultStep; readonly change: FaultChange } {
    const taken =
      request.kind === 'clear'
        ? this.clear(request.name, boundPs)
        : this.inject(request.fault, boundPs);
    this.steps.push(taken.step);
    return taken;
  }

  /** Repeats steps that were made in another process. */
  repeat(steps: readonly FaultStep[]): FaultChange[] {
    return steps.map((step) => this.take(step, step.atPs).change);
  }

  list(): LiveFault[] {
    const words = this.words();
    return this.fabric.scenario.faults.map((fault, number) => {
      const { name, kind, startPs } = fault;
      const injected = number >= this.declared;
      const untilPs = faultEndPs(fault);
      return { name, kind, startPs, untilPs, injected, words: words[number]! };
    });
  }

  private inject(fault: FaultWords, boundPs: number): { step: FaultStep; change: FaultChange } {
    const atPs = Math.max(this.place(fault).section.startPs, boundPs);
    const name = fault['name'] ?? `fault${this.fabric.scenario.faults.length + 1}`;
    const words = { ...fault, name, at: psText(atPs) };
    const { loaded, placed } = this.place(words);
    this.loaded = loaded;
    const specs = withFaults(this.fabric.specs, placed);
    this.fabric = { ...this.fabric, scenario: loaded.scenario, specs };
    const step: FaultStep = { kind: 'inject', fault: words, atPs };
    return { step, change: { kind: 'plant', atPs, placed } };
  }

  private clear(name: string, boundPs: number): { step: FaultStep; change: FaultChange } {
    const number = this.numberOf(name);
    const atPs = Math.min(boundPs, this.fabric.scenario.faults[number]!.untilPs);
    const changed = this.words().with(number, { ...this.words()[number], until: psText(atPs) });
    this.loaded = this.loaded.with(['faults'], changed, SOURCE);
    const specs = this.fabric.specs.map((spec) => endedIn(spec, number, atPs));
    this.fabric = { ...this.fabric, scenario: this.loaded.scenario, specs };
    return { step: { kind: 'clear', name, atPs }, change: { kind: 'end', atPs, number } };
  }

  private place(fault: FaultWords): {
    loaded: LoadedScenario;
    section: FaultSection;
    placed: readonly PlacedFault[];
  } {
    const { fabric } = this;
    const number = fabric.scenario.faults.length;
    const loaded = this.loaded.with(['faults'], [...this.words(), fault], SOURCE);
    const section = loaded.scenario.faults[number]!;
    if (FAULT_KINDS.get(section.kind)!.beforeRun) {
      const path = ['faults', number, 'kind'];
      throw loaded.errorAt(
        path,
        `links are connected before a run begins: declare ${section.kind}`,
      );
    }
    const placed = placeFaults(fabric, [section], number, (path, message) =>
      loaded.errorAt(path, message),
    );
    return { loaded, section, placed };
  }

  private numberOf(name: string): number {
    const { faults } = this.fabric.scenario;
    const number = faults.findIndex((fault) => fault.name === name);
    if (number >= 0) return number;
    const names = faults.map((fault) => fault.name).join(', ');
    const message = `no fault is called ${name}; there are: ${names === '' ? 'none' : names}`;
    throw new ScenarioError({ file: SOURCE, line: 0, column: 0 }, [], message);
  }

  private words(): FaultWords[] {
    const { faults } = this.loaded.document as { readonly faults?: readonly FaultWords[] };
    return [...(faults ?? [])];
  }
}

/**
 * Applies a change to an engine, unless that has been done. `devices` are those of the fabric that
 * it has, by index.
 */
export function applyFaultChange(
  engine: Engine,
  change: FaultChange,
  devices: readonly number[],
): void {
  if (change.kind === 'end') {
    devices.forEach((_, place) => {
      engine.endFault(place, change.number, change.atPs);
    });
    return;
  }
  if (change.placed.some(({ spec }) => spec.effect.kind === 'down')) {
    engine.failover.mayReorder = true;
  }
  const missing = change.placed
    .map(({ device, ...fault }) => ({ place: devices.indexOf(device), ...fault }))
    .filter(({ place, port, spec }) => place >= 0 && !engine.hasFault(place, port, spec.fault));
  for (const { place, port, spec } of missing) engine.plantFault(place, port, spec, change.atPs);
}

export function packChange(change: FaultChange): Uint8Array {
  return packPlain(change);
}

export function unpackChange(octets: Uint8Array): FaultChange {
  return unpackPlain(octets) as FaultChange;
}

function endedIn(spec: DeviceSpec, number: number, untilPs: number): DeviceSpec {
  const ports = spec.ports.map((port) => ({
    ...port,
    faults: port.faults.map((fault) =>
      fault.fault === number ? { ...fault, when: { ...fault.when, untilPs } } : fault,
    ),
  }));
  return { ...spec, ports };
}

function psText(ps: number): string {
  return `${ps}ps`;
}
