import { MECHANISMS } from '../../mechanisms/registry.js';
import { brokenInvariant } from '../../engine/analysis/ledger/invariants.js';
import { lateDevice, wrongContents } from '../../engine/analysis/ledger/contents.js';
import type { Imbalance } from '../../engine/analysis/ledger/ledger.js';
import { brokenLink } from '../../engine/analysis/ledger/link-books.js';
import { overdelivered } from '../../engine/analysis/ledger/deliveries.js';
import { disagreeingPort } from '../../engine/analysis/ledger/disagreeing-links.js';
import { checkLedger, checkOwnLedgers } from '../../engine/analysis/ledger/ledger.js';
import { misbookedPort } from '../../engine/analysis/ledger/stored-charges.js';
import { overtimePort } from '../../engine/analysis/ledger/port-times.js';
import { sleepingPort } from '../../engine/analysis/ledger/sleeping-ports.js';
import { lapsedStop } from '../../engine/analysis/ledger/standing-stops.js';
import type { Engine } from '../../engine/device/engine.js';
import type { Breach } from './breach.js';

/**
 * The first imbalance in the ledgers of all devices, which have executed the same time; or null.
 */
export function unbalancedWhole(engine: Engine, timePs: number): Breach | null {
  const wrong = ofImbalance(checkLedger(engine)[0] ?? overdelivered(engine) ?? undefined, timePs);
  return (
    wrong ??
    ofSlices(engine, timePs) ??
    ofLinks(engine, timePs) ??
    ofTimes(engine, timePs) ??
    ofPorts(engine, engine.shared.ports.count, timePs) ??
    ofContents(engine, engine.devices.length, timePs) ??
    ofMechanisms(engine, engine.devices.length, timePs)
  );
}

/** The same of the first devices, for ledgers that involve no other device. */
export function unbalancedOwn(engine: Engine, devices: number, timePs: number): Breach | null {
  const ports = engine.devices[devices]?.firstPort ?? engine.shared.ports.count;
  const wrong = ofImbalance(checkOwnLedgers(engine, devices)[0], timePs);
  return (
    wrong ??
    ofPorts(engine, ports, timePs) ??
    ofContents(engine, devices, timePs) ??
    ofMechanisms(engine, devices, timePs)
  );
}

function ofImbalance(imbalance: Imbalance | undefined, timePs: number): Breach | null {
  if (imbalance === undefined) return null;
  const { what, expected, actual, device, port, priority } = imbalance;
  const reason = `${what}: ${expected} against ${actual}`;
  return { reason, timePs, device, port, priority: priority < 0 ? null : priority };
}

/** Invariants of every mechanism of the first devices. */
function ofMechanisms(engine: Engine, devices: number, timePs: number): Breach | null {
  const broken = brokenInvariant(engine, devices);
  if (broken === null) return null;
  const { device, port, what } = broken;
  return { reason: `an invariant is broken: ${what}`, timePs, device, port, priority: null };
}

/** Books of mechanisms over both ends of links. */
function ofSlices(engine: Engine, timePs: number): Breach | null {
  for (const { checks } of MECHANISMS) {
    if (checks === undefined) continue;
    const { books } = checks;
    const breach = atPort(engine, books.wrongPort(engine, timePs), timePs, books.what);
    if (breach !== null) return breach;
  }
  return null;
}

/** What must hold of both ends of a link. */
function ofLinks(engine: Engine, timePs: number): Breach | null {
  const port = disagreeingPort(engine, timePs);
  const differ = atPort(engine, port, timePs, 'the ends of a link negotiated different grants');
  if (differ !== null) return differ;
  const broken = brokenLink(engine);
  return broken && atPort(engine, broken.port, timePs, `a link is out of balance: ${broken.what}`);
}

/** Counters and times of ports against the time of the run. */
function ofTimes(engine: Engine, timePs: number): Breach | null {
  const found = overtimePort(engine, timePs);
  if (found === null) return null;
  const breach = atPort(engine, found.port, timePs, found.what);
  return breach && { ...breach, priority: found.priority };
}

/** Stops that are not repeated, charges that are not stored, and frames that are not started. */
function ofPorts(engine: Engine, among: number, timePs: number): Breach | null {
  return (
    atPort(engine, lapsedStop(engine, among), timePs, 'a pause is not refreshed') ??
    atPort(
      engine,
      misbookedPort(engine),
      timePs,
      'units of frames stored = units that receivers count',
    ) ??
    atPort(
      engine,
      sleepingPort(engine, among),
      timePs,
      'a frame is eligible for transmission, and its port does not start it',
    )
  );
}

/** Counts of queues, lines and links against their frames, and times of events. */
function ofContents(engine: Engine, devices: number, timePs: number): Breach | null {
  const ports = engine.devices[devices]?.firstPort ?? engine.shared.ports.count;
  const wrong = wrongContents(engine, ports);
  const counted =
    wrong && atPort(engine, wrong.port, timePs, `counted is not there: ${wrong.what}`);
  const late = 'the next event of a device is not that of its ports and timers';
  return counted ?? atPort(engine, lateDevice(engine, devices), timePs, late);
}

/** `port` is numbered through the service, and -1 if nothing is wrong. */
function atPort(engine: Engine, port: number, timePs: number, reason: string): Breach | null {
  if (port < 0) return null;
  const { place, firstPort } = engine.devices[engine.shared.ports.owner(port)]!;
  return { reason, timePs, device: place, port: port - firstPort, priority: null };
}
