/**
 * Link-level retry (Ultra Ethernet link layer): frames bear consecutive numbers of 20 bits from the
 * one that INIT states, once its echo has come. A receiver accepts the number that it expects and
 * no other, and its ACK and NACK state the last good one. What is sent again is what was sent, from
 * the oldest that is not acknowledged on, and no new frame starts before the end of a replay.
 */

import type { Configuration } from '../configuration.js';
import { ORDERED_SET } from '../ethernet.js';
import { hasLinkRetry } from '../model/links.js';
import type { Observer, Start } from '../model/observer.js';
import { type Device, type Flight, isSameFrame, type Port } from '../model/port.js';
import type { WireFrame } from '../record.js';
import type { Verdict } from '../verdict.js';

interface Kept {
  readonly number: number;
  readonly frame: WireFrame;
}

/** The direction out of a port. */
interface Direction {
  /** It numbers frames: the echo of its INIT has come. */
  isRunning: boolean;
  /** The INIT under way: its number and data. */
  init: { readonly number: number; readonly data: number } | null;
  next: number;
  /** Sent and not acknowledged, oldest first. */
  kept: Kept[];
  /** Numbers below it are to be sent again from `again` on; null: no replay runs. */
  again: number | null;
  /** At the link partner: the number that it expects; null before an INIT. */
  expected: number | null;
  received: { readonly number: number; readonly data: number } | null;
}

const ACK = 1;
const NACK = 2;
const INIT = 3;
const ECHO = 4;
const NUMBERS = 1 << 20;

export class LinkRetry implements Observer {
  private readonly directions = new Map<Port, Direction>();
  /** By port: priorities whose frames are numbered. */
  private readonly priorities = new Map<Port, ReadonlySet<number> | 'all'>();

  constructor(
    configuration: Configuration,
    devices: readonly Device[],
    private readonly verdict: Verdict,
  ) {
    for (const port of devices.flatMap(({ ports }) => [...ports])) {
      if (!hasLinkRetry(port)) continue;
      const why = whyUnknown(configuration, port);
      if (why !== null) {
        verdict.decline('link-retry', why);
        continue;
      }
      const { settings } = port.device.configuration;
      const { priorities } = settings.mechanisms['llr'] as {
        readonly priorities: 'all' | readonly number[];
      };
      this.priorities.set(port, priorities === 'all' ? 'all' : new Set(priorities));
      this.directions.set(port, {
        ...{ isRunning: false, init: null, next: 0, kept: [], again: null },
        ...{ expected: null, received: null },
      });
    }
  }

  started(port: Port, { frame, atPs }: Start): void {
    const own = this.directions.get(port);
    if (own === undefined || !own.isRunning || !this.isNumbered(port, frame.priority)) return;
    this.verdict.judge('link-retry');
    if (own.again !== null) this.broken(port, atPs, 'a new frame starts during a replay');
    const number = own.next;
    own.next = (number + 1) % NUMBERS;
    own.kept.push({ number, frame });
    const flight = port.peer.flights.at(-1);
    if (flight !== undefined) flight.number = number;
  }

  repeated(port: Port, frame: WireFrame, number: number, atPs: number): void {
    const own = this.directions.get(port);
    const flight = port.peer.flights.at(-1);
    if (flight !== undefined) flight.number = number;
    if (own === undefined || !own.isRunning) return;
    this.verdict.judge('link-retry');
    const expected = own.again ?? own.kept[0]?.number;
    const kept = own.kept.find((one) => one.number === number);
    if (number !== expected) {
      this.broken(port, atPs, `frame ${number} is sent again, expected ${expected ?? 'none'}`);
    } else if (kept !== undefined && !isSameFrame(kept.frame, frame)) {
      this.broken(port, atPs, `number ${number} is sent again with another frame`);
    }
    const after = (number + 1) % NUMBERS;
    own.again = after === own.next ? null : after;
  }

  arrived(port: Port, frame: WireFrame, atPs: number, flight: Flight | null): void {
    const own = this.directions.get(port.peer);
    const number = flight?.number ?? null;
    if (own === undefined || number === null || own.expected === null) return;
    this.verdict.judge('link-retry');
    if (number === own.expected) own.expected = (number + 1) % NUMBERS;
    else if (!frame.isPoisoned) {
      this.broken(port, atPs, `frame ${number} is accepted, expected ${own.expected}`);
    }
  }

  rejected(
    port: Port,
    _frame: WireFrame,
    reason: string,
    atPs: number,
    flight: Flight | null,
  ): void {
    const own = this.directions.get(port.peer);
    const expected = own?.expected ?? null;
    if (expected === null || reason !== 'out-of-sequence') return;
    if (flight?.number !== expected) return;
    this.broken(port, atPs, `frame ${expected} is discarded, and is the one that is expected`);
  }

  /** A frame that was kept is given up: the sender has flushed. */
  refused(port: Port, _frame: WireFrame, reason: string): void {
    const own = this.directions.get(port);
    if (own === undefined || reason !== 'link-not-ready') return;
    own.isRunning = false;
    own.kept = [];
    own.again = null;
  }

  controlStarted(port: Port, octets: Uint8Array, atPs: number): void {
    const own = this.directions.get(port);
    const set = setOf(octets);
    if (own === undefined || set === null) return;
    const { type, number, data } = set;
    if (type === INIT) {
      own.isRunning = false;
      own.kept = [];
      own.again = null;
      own.init = { number, data };
      return;
    }
    const expected = this.directions.get(port.peer)?.expected ?? null;
    if (type === ECHO || expected === null) return;
    const good = (expected + NUMBERS - 1) % NUMBERS;
    this.verdict.judge('link-retry');
    if (good === number) return;
    const name = type === ACK ? 'ACK' : 'NACK';
    this.broken(port, atPs, `${name} states ${number} as the last good frame, expected ${good}`);
  }

  controlEffective(port: Port, octets: Uint8Array): void {
    const own = this.directions.get(port);
    const set = setOf(octets);
    if (own === undefined || set === null) return;
    const { type, number, data } = set;
    if (type === INIT) this.initialised(port, number, data);
    else if (type === ECHO) {
      if (own.init === null || own.init.number !== number || own.init.data !== data) return;
      if (own.isRunning) return;
      [own.isRunning, own.next, own.kept] = [true, number, []];
    } else this.acknowledged(own, number, type === NACK);
  }

  /** The same INIT once more changes nothing. */
  private initialised(port: Port, number: number, data: number): void {
    const back = this.directions.get(port.peer);
    if (back === undefined) return;
    const { received } = back;
    if (received?.number === number && received.data === data) return;
    back.received = { number, data };
    back.expected = number;
  }

  private acknowledged(own: Direction, number: number, isNack: boolean): void {
    const at = own.kept.findIndex((one) => one.number === number);
    if (at >= 0) {
      own.kept.splice(0, at + 1);
      const isBehind = own.again !== null && !own.kept.some((one) => one.number === own.again);
      if (isBehind) own.again = own.kept[0]?.number ?? null;
    }
    if (isNack && own.kept.length > 0) own.again = own.kept[0]!.number;
  }

  private isNumbered(port: Port, priority: number): boolean {
    const which = this.priorities.get(port)!;
    return which === 'all' || which.has(priority);
  }

  private broken({ device, index }: Port, atPs: number, what: string): void {
    this.verdict.broken('link-retry', { device: device.index, port: index, atPs }, what);
  }
}

function setOf(octets: Uint8Array): { type: number; number: number; data: number } | null {
  if (octets.length !== ORDERED_SET) return null;
  const [, type = 0, high = 0, middle = 0, low = 0, data = 0, upper = 0] = octets;
  if (type < ACK || type > ECHO) return null;
  return { type, number: (high << 12) | (middle << 4) | (low >> 4), data: data | (upper << 8) };
}

function whyUnknown({ negotiates }: Configuration, port: Port): string | null {
  const ends = [port, port.peer];
  const faults = ends.flatMap(({ configuration }) => [...configuration.faults]);
  if (negotiates) return 'whether it runs is negotiated during the run';
  if (faults.includes('down')) return 'a link that goes down flushes';
  if (faults.includes('control') || faults.includes('send')) return 'a fault changes its messages';
  const isReset = ends.some(({ device }) =>
    device.ports.some(({ configuration }) => configuration.faults.has('flush')),
  );
  return isReset ? 'a device that restarts' : null;
}
