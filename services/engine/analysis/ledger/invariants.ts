import { firstBroken } from '../../contract/broken.js';
import type { Device } from '../../device/device.js';
import type { Engine } from '../../device/engine.js';
import * as discoveryInvariants from '../../discovery/discovery-invariants.js';
import { PRIORITY_NUMBERS } from '../../units/ethernet.js';
import type { PortRow } from '../../units/indices.js';

/** An invariant of a mechanism that does not hold; the port is as the device counts it, or -1. */
export interface BrokenInvariant {
  readonly device: number;
  readonly port: number;
  readonly what: string;
}

/** The first among the first devices; null if all hold. Those of counters are in `ledger`. */
export function brokenInvariant(engine: Engine, devices: number): BrokenInvariant | null {
  const rate = engine.rates.broken(devices);
  if (rate !== null) return { ...rate, port: -1 };
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

function ofDevice(engine: Engine, { place, rows: { send, receive } }: Device): string | null {
  for (let c = send.first; c < send.first + send.count; c++) {
    const broken = engine.senders.broken(c);
    if (broken !== null) return broken;
  }
  for (let c = receive.first; c < receive.first + receive.count; c++) {
    const broken = engine.receivers.broken(c);
    if (broken !== null) return broken;
  }
  for (const role of Object.values(engine.rolesOf(place))) {
    const broken = role.broken();
    if (broken !== null) return broken;
  }
  return null;
}

/**
 * Frames of a class start in order: one that needs nobody's permission would wait for that of
 * another. Scenarios that say so are refused, and what is learned during a run must not say it.
 */
function waitsForOthers({ shared: { ports } }: Engine, port: PortRow): boolean {
  const metered = ports.metered(port);
  if (metered === 0) return false;
  return PRIORITY_NUMBERS.some(
    (p) => (metered & (1 << ports.classOf(port, p))) !== 0 && !ports.isCharged(port, p),
  );
}

function ofPort(engine: Engine, port: number): string | null {
  const { discovery, mechanisms } = engine;
  if (waitsForOthers(engine, port)) return 'port.class-of-one-permission';
  const spec = discovery.specs[port];
  const state = discovery.ports[port];
  if (spec && state) {
    const broken = firstBroken('discovery', discoveryInvariants, spec, state);
    if (broken !== null) return broken;
  }
  for (const mechanism of mechanisms) {
    const broken = mechanism.brokenAt?.(port) ?? null;
    if (broken !== null) return broken;
  }
  return null;
}
