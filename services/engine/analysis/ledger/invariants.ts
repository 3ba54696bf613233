import type { SfcPoint } from '../../congestion/sfc/sfc-point.js';
import * as ciInvariants from '../../congestion/ci/ci-invariants.js';
import * as sfcInvariants from '../../congestion/sfc/sfc-invariants.js';
import type { Device } from '../../device/device.js';
import type { Engine } from '../../device/engine.js';
import * as discoveryInvariants from '../../discovery/discovery-invariants.js';
import * as pfcInvariants from '../../flow-control/pfc/pfc-invariants.js';

/** An invariant of a mechanism that does not hold; the port is as the device counts it, or -1. */
export interface BrokenInvariant {
  readonly device: number;
  readonly port: number;
  readonly what: string;
}

/** The first among the first devices; null if all hold. Those of books are in `ledger`. */
export function brokenInvariant(engine: Engine, devices: number): BrokenInvariant | null {
  for (let d = 0; d < devices; d++) {
    const device = engine.devices[d];
    const what = ofDevice(engine, device);
    if (what !== null) return { device: d, port: -1, what };
    for (let port = 0; port < device.spec.ports.length; port++) {
      const atPort = ofPort(engine, device.firstPort + port);
      if (atPort !== null) return { device: d, port, what: atPort };
    }
  }
  return null;
}

function ofDevice(engine: Engine, { place, spec, rows }: Device): string | null {
  const { first, count } = rows.send;
  for (let send = first; send < first + count; send++) {
    const broken = engine.rates.broken(send);
    if (broken !== null) return broken;
  }
  if (spec.kind === 'host') return ofSfc(engine.hosting.parts(place).sfc);
  const { sfc, ci } = engine.switching.parts(place);
  return ofSfc(sfc) ?? (ci === null ? null : firstBroken('ci', ciInvariants, ci));
}

function ofSfc(point: SfcPoint | null): string | null {
  return point === null ? null : firstBroken('sfc', sfcInvariants, point);
}

function ofPort({ discovery, pfc }: Engine, port: number): string | null {
  const spec = discovery.specs[port];
  const state = discovery.ports[port];
  if (spec && state) {
    const broken = firstBroken('discovery', discoveryInvariants, spec, state);
    if (broken !== null) return broken;
  }
  return pfcInvariants.stormHoldsNothing(pfc, port) ? null : 'pfc: stormHoldsNothing';
}

/** The first of a module's predicates that does not hold. */
function firstBroken<Arguments extends unknown[]>(
  mechanism: string,
  invariants: Readonly<Record<string, (...all: Arguments) => boolean>>,
  ...all: Arguments
): string | null {
  for (const [name, holds] of Object.entries(invariants)) {
    if (!holds(...all)) return `${mechanism}: ${name}`;
  }
  return null;
}
