import { PRIORITIES } from '../../units/ethernet.js';
import { pausePsOf } from '../../contract/pausing.js';
import type { Mechanism, PartnerWaits } from '../../contract/flow-control.js';
import type { Engine } from '../../device/engine.js';
import { forEachQueued } from '../../device/queued-frames.js';
import { CLASS, PORT, PRIORITY_MASK } from '../../frame/frame-pool.js';

/** A priority of a port (numbered through the service) whose frames no longer move. */
interface Standstill {
  readonly port: number;
  readonly priority: number;
  readonly sincePs: number;
  readonly why: 'grants' | 'cycle';
}

interface Blocked {
  readonly port: number;
  readonly priority: number;
  readonly sincePs: number;
  /** What it waits for; null where the link partner has paused it. */
  readonly waits: PartnerWaits | null;
}

/** Rounds of all repetitions of both ends, before what is missing will never come. */
const ROUNDS = 2;

/**
 * The first queue that has not moved for a long time although nothing blocks it by design, at a
 * moment when every actor has executed the same time; null if there is none. A queue may wait for
 * its link partner's buffer as long as frames stored there wait for a queue that moves, or for
 * something that ends by itself: a pause that is not refreshed, a fault, a slow receiver.
 */
export function findStandstill(engine: Engine, now: number): Standstill | null {
  const blocked = blockedQueues(engine, now);
  if (blocked.size === 0) return null;
  for (const one of blocked.values()) {
    if (waitsForNothing(engine, one, now)) return { ...one, why: 'grants' };
  }
  return cycleAmong(engine, blocked, now);
}

/** By port and priority: those blocked for longer than any repetition takes. */
function blockedQueues(engine: Engine, now: number): Map<number, Blocked> {
  const blocked = new Map<number, Blocked>();
  for (let port = 0; port < engine.shared.ports.count; port++) {
    for (const one of blockedAt(engine, port, now))
      blocked.set(port * PRIORITIES + one.priority, one);
  }
  return blocked;
}

/** Of one port. */
function blockedAt(engine: Engine, port: number, now: number): Blocked[] {
  const { shared, mechanisms, faults } = engine;
  const peer = shared.ports.peer(port);
  if (peer < 0 || faults.isSilent(port)) return [];
  const blocked: Blocked[] = [];
  const patiencePs = patienceOf(engine, port);
  const note = (priority: number, sincePs: number | null, waits: PartnerWaits | null): void => {
    if (sincePs === null || now - sincePs < patiencePs) return;
    // A link partner that does not advertise it is none that forgot what it owes.
    if (mechanisms.some((own) => own.awaitsAgreement?.(port, priority) === true)) return;
    if ([port, peer].some((end) => isDisturbed(engine, end, now, patiencePs))) return;
    blocked.push({ port, priority, sincePs, waits });
  };
  for (const mechanism of mechanisms) {
    for (let p = 0; isPartnerWaits(mechanism) && p < PRIORITIES; p++) {
      note(p, mechanism.waitsSincePs(port, p), mechanism);
    }
    for (let priority = 0; priority < PRIORITIES; priority++) {
      note(priority, mechanism.blockedSincePs?.(port, priority) ?? null, null);
    }
  }
  return blocked;
}

/**
 * A priority of a port waits for messages of its link partner although that stores nothing which
 * would keep them back, nothing else holds the port, and both have repeated what they have to say
 * since. For a verdict about flows: a failure takes longer, as `findStandstill` does.
 */
export function waitsInVain(engine: Engine, port: number, priority: number, now: number): boolean {
  const { mechanisms, shared, faults } = engine;
  const peer = shared.ports.peer(port);
  if (peer < 0 || faults.isSilent(port)) return false;
  return mechanisms.some((waits) => {
    if (!isPartnerWaits(waits)) return false;
    const sincePs = waits.waitsSincePs(port, priority);
    if (sincePs === null) return false;
    const ofEnd = (end: number): number => waits.repeatsPs(end) + (waits.retriesPs?.(end) ?? 0);
    const patiencePs = Math.max(ofEnd(port), ofEnd(peer)) + LEAST_PS;
    const one = { port, priority, sincePs, waits };
    return now - sincePs >= patiencePs && waitsForNothing(engine, one, now, patiencePs);
  });
}

/** The link partner has had nothing of this priority for as long, and yet grants nothing. */
function waitsForNothing(
  engine: Engine,
  { port, priority, waits }: Blocked,
  now: number,
  patiencePs = patienceOf(engine, port),
): boolean {
  if (waits === null) return false;
  const { shared, mechanisms } = engine;
  const own: object = waits;
  if (
    mechanisms.some((gate) => gate !== own && (gate.holdReason?.(port, priority) ?? null) !== null)
  ) {
    return false;
  }
  const sincePs = waits.emptySincePs(shared.ports.peer(port), priority);
  return sincePs !== null && now - sincePs >= patiencePs;
}

/** Queues that wait for frames which all wait for others of these queues. */
function cycleAmong(
  engine: Engine,
  blocked: ReadonlyMap<number, Blocked>,
  now: number,
): Standstill | null {
  const standing = new Map(blocked);
  const waits = new Map([...blocked].map(([key, one]) => [key, waitedFor(engine, one)]));
  for (let changed = true; changed;) {
    changed = false;
    for (const key of standing.keys()) {
      const behind = waits.get(key)!;
      if (behind.size > 0 && [...behind].every((other) => standing.has(other))) continue;
      standing.delete(key);
      changed = true;
    }
  }
  const [first] = standing.values();
  if (first === undefined) return null;
  const sincePs = Math.max(...[...standing.values()].map((one) => one.sincePs));
  return now - sincePs < patienceOf(engine, first.port)
    ? null
    : { ...first, sincePs, why: 'cycle' };
}

/** Queues, by port and priority, in which the link partner has frames of this one. */
function waitedFor(engine: Engine, { port, priority }: Blocked): Set<number> {
  const { shared, devices } = engine;
  const peer = shared.ports.peer(port);
  const device = devices[shared.ports.owner(peer)];
  const queues = new Set<number>();
  if (device.spec.kind === 'host') return queues;
  const { words } = shared.pool;
  forEachQueued(shared, device, (frame, egress) => {
    const own = words[frame + CLASS] & PRIORITY_MASK;
    if (words[frame + PORT] !== peer || own !== priority) return;
    queues.add(egress * PRIORITIES + own);
  });
  return queues;
}

/** A fault at a port may explain its behaviour, and for as long again. */
function isDisturbed({ faults }: Engine, port: number, now: number, patiencePs: number): boolean {
  return faults.counts(port, now).some(({ begun, overSincePs }) => {
    if (begun === 0) return false;
    return overSincePs === null || now - overSincePs < patiencePs;
  });
}

/**
 * After this time both ends of a link have sent and repeated all messages that they send
 * unprompted.
 */
function patienceOf(engine: Engine, port: number): number {
  const { shared } = engine;
  return Math.max(repeatsPs(engine, port), repeatsPs(engine, shared.ports.peer(port)));
}

function isPartnerWaits(mechanism: Mechanism): mechanism is Mechanism & PartnerWaits {
  return mechanism.waitsSincePs !== undefined;
}

function repeatsPs(engine: Engine, port: number): number {
  let [repeats, retries] = [repeatsOfPort(engine, port), 0];
  for (const mechanism of engine.mechanisms) {
    repeats += mechanism.repeatsPs?.(port) ?? 0;
    retries += mechanism.retriesPs?.(port) ?? 0;
  }
  return ROUNDS * repeats + retries + LEAST_PS;
}

function repeatsOfPort({ devices, shared }: Engine, port: number): number {
  const { spec, firstPort } = devices[shared.ports.owner(port)];
  const own = spec.ports[port - firstPort];
  const { discovery } = own;
  const lldpPs =
    discovery === null
      ? 0
      : discovery.timers.msgTxInterval * discovery.timers.msgTxHold * discovery.tickPs;
  return pausePsOf(own) + lldpPs;
}

const LEAST_PS = 1e6;
