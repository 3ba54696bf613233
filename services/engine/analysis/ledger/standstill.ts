import { PRIORITIES } from '../../units/ethernet.js';
import { pausePsOf } from '../../contract/pausing.js';
import type { Mechanism, PartnerWaits } from '../../contract/flow-control.js';
import type { Engine } from '../../device/engine.js';
import { forEachQueued } from '../../device/queued-frames.js';
import { CLASS, PORT, PRIORITY_MASK } from '../../frame/frame-pool.js';
import { shaperGapPs } from '../../flow-control/credit/credit-invariants.js';

/** A priority of a port (numbered through the service) whose frames no longer move. */
export interface Standstill {
  readonly port: number;
  readonly priority: number;
  readonly sincePs: number;
  readonly why: 'credit' | 'circle';
}

interface Blocked {
  readonly port: number;
  readonly priority: number;
  readonly sincePs: number;
  /** Its account of credit; -1 where something else blocks it. */
  readonly row: number;
  /** What blocks it, where that is neither a pause nor credit exchange. */
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
    if (waitsForNothing(engine, one, now)) return { ...one, why: 'credit' };
  }
  return circleAmong(engine, blocked, now);
}

/** By port and priority: those blocked for longer than any repetition takes. */
function blockedQueues(engine: Engine, now: number): Map<number, Blocked> {
  const { credit, shared, mechanisms, faults } = engine;
  const blocked = new Map<number, Blocked>();
  for (let port = 0; port < shared.ports.count; port++) {
    const peer = shared.ports.peer(port);
    if (peer < 0 || faults.isSilent(port)) continue;
    const patiencePs = patienceOf(engine, port);
    const note = (
      priority: number,
      sincePs: number | null,
      row: number,
      waits: PartnerWaits | null = null,
    ): void => {
      if (sincePs === null || now - sincePs < patiencePs) return;
      if ([port, peer].some((end) => isDisturbed(engine, end, now, patiencePs))) return;
      blocked.set(port * PRIORITIES + priority, { port, priority, sincePs, row, waits });
    };
    for (const mechanism of mechanisms) {
      for (let p = 0; isPartnerWaits(mechanism) && p < PRIORITIES; p++) {
        note(p, mechanism.waitsSincePs(port, p), -1, mechanism);
      }
      for (let priority = 0; priority < PRIORITIES; priority++) {
        note(priority, mechanism.heldSincePs?.(port, priority) ?? null, -1);
      }
    }
    if (credit.accounts.spec(port) === null) continue;
    credit.accounts.forEach(port, (row) => {
      note(credit.accounts.priority(row), credit.sender.blockedSincePs(row), row);
    });
  }
  return blocked;
}

/** The link partner has had nothing of this priority for as long, and yet there is no credit. */
function waitsForNothing(
  engine: Engine,
  { port, priority, row, waits }: Blocked,
  now: number,
): boolean {
  if (row < 0 && waits === null) return false;
  const { credit, shared, mechanisms } = engine;
  const own: object = waits ?? credit;
  if (
    mechanisms.some((gate) => gate !== own && (gate.holdReason?.(port, priority) ?? null) !== null)
  ) {
    return false;
  }
  const peer = shared.ports.peer(port);
  const patiencePs = patienceOf(engine, port);
  if (waits !== null) {
    const sincePs = waits.emptySincePs(peer, priority);
    return sincePs !== null && now - sincePs >= patiencePs;
  }
  let isEmpty = true;
  credit.accounts.forEach(peer, (there) => {
    if (credit.accounts.priority(there) !== priority) return;
    const sincePs = credit.receiver.emptySincePs(there);
    if (sincePs === null || now - sincePs < patiencePs) isEmpty = false;
  });
  return isEmpty;
}

/** Queues that wait for frames which all wait for others of these queues. */
function circleAmong(
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
    : { ...first, sincePs, why: 'circle' };
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
  const { mechanisms } = engine;
  const others = mechanisms.map((mechanism) => mechanism.repeatsPs?.(port) ?? 0);
  return repeatsOfPort(engine, port) + ROUNDS * Math.max(...others);
}

function repeatsOfPort({ devices, shared }: Engine, port: number): number {
  const { spec, firstPort } = devices[shared.ports.owner(port)];
  const own = spec.ports[port - firstPort];
  const { credit, discovery } = own;
  const pausePs = pausePsOf(own);
  const lldpPs =
    discovery === null
      ? 0
      : discovery.timers.msgTxInterval * discovery.timers.msgTxHold * discovery.tickPs;
  if (credit === null) return ROUNDS * (pausePs + lldpPs) + LEAST_PS;
  const { granting, asking, keepAlivePs } = credit;
  const said = granting.refreshPs + asking.reportPs + asking.pollPs + granting.resyncPs;
  const syncs = asking.syncTries * asking.syncPs + shaperGapPs(credit);
  return ROUNDS * (keepAlivePs + said + pausePs + lldpPs) + syncs + LEAST_PS;
}

const LEAST_PS = 1e6;
