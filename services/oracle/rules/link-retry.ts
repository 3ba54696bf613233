/**
 * Link-level retry (Ultra Ethernet link layer): frames bear consecutive numbers of 20 bits from the
 * one that INIT states, once its echo has come. A receiver accepts the number that it expects and
 * no other, and its ACK and NACK state the last good one. What is sent again is what was sent, from
 * the oldest that is not acknowledged on, and no new frame starts before the end of a replay.
 */

import { ORDERED_SET } from '../ethernet.js';
import { hasLinkRetry } from '../model/links.js';
import type { Flight, Model, Observer, Port, Start, WireFrame } from '../model/model.js';
import { isSameFrame, reasonOf, restarts } from '../model/port.js';

interface Kept {
  readonly number: number;
  readonly frame: WireFrame;
}

interface Set {
  readonly number: number;
  readonly data: number;
}

/** The direction out of a port. */
const BLANK = {
  /** It numbers frames: the echo of its INIT has come. */
  isRunning: false,
  next: 0,
  init: null as Set | null,
  /** Sent and not acknowledged, oldest first. */
  kept: [] as Kept[],
  /** Numbers below it are to be sent again from here on; null: no replay runs. */
  again: null as number | null,
  /** At the link partner: the number that it expects, after an INIT; and that INIT. */
  expected: null as number | null,
  received: null as Set | null,
};

type Direction = typeof BLANK;

const [ACK, NACK, INIT, ECHO] = [1, 2, 3, 4];
const NUMBERS = 1 << 20;

export class LinkRetry implements Observer {
  private readonly directions = new Map<Port, Direction>();

  constructor(private readonly model: Model) {
    const { ports, verdict } = model;
    for (const port of ports.filter(hasLinkRetry)) {
      if (!verdict.knows('link-retry', whyUnknown(model, port))) continue;
      this.directions.set(port, { ...BLANK, kept: [] });
    }
  }

  started(port: Port, { frame, atPs }: Start): void {
    const own = this.directions.get(port);
    if (own === undefined || !own.isRunning || !isNumbered(port, frame)) return;
    this.model.verdict.judge('link-retry');
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
    this.model.verdict.judge('link-retry');
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
    this.model.verdict.judge('link-retry');
    if (number === own.expected) own.expected = (number + 1) % NUMBERS;
    else if (!frame.isPoisoned) {
      this.broken(port, atPs, `frame ${number} is accepted, expected ${own.expected}`);
    }
  }

  rejected(port: Port, reason: string, atPs: number, flight: Flight | null): void {
    const own = this.directions.get(port.peer);
    const expected = own?.expected ?? null;
    if (expected === null || reason !== 'out-of-sequence') return;
    if (flight?.number !== expected) return;
    this.broken(port, atPs, `frame ${expected} is discarded, and is the one that is expected`);
  }

  /** A frame that was kept is given up, unlike one that finds it not ready: the sender flushes. */
  refused(port: Port, frame: WireFrame): void {
    const own = this.directions.get(port);
    if (own?.kept.some((one) => isSameFrame(one.frame, frame)) === true) stop(own);
  }

  controlStarted(port: Port, octets: Uint8Array, atPs: number): void {
    const own = this.directions.get(port);
    const set = setOf(octets);
    if (own === undefined || set === null) return;
    const { type, number, data } = set;
    if (type === INIT) {
      stop(own);
      own.init = { number, data };
      return;
    }
    const expected = this.directions.get(port.peer)?.expected ?? null;
    if (type === ECHO || expected === null) return;
    const good = (expected + NUMBERS - 1) % NUMBERS;
    this.model.verdict.judge('link-retry');
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

  private broken(port: Port, atPs: number, what: string): void {
    this.model.verdict.broken('link-retry', port.at(atPs), what);
  }
}

/** An echo of an earlier INIT that is still under way begins nothing. */
function stop(own: Direction): void {
  [own.isRunning, own.kept, own.again, own.init] = [false, [], null, null];
}

function isNumbered({ device }: Port, { priority }: WireFrame): boolean {
  const { priorities } = device.keysOf('llr') as { readonly priorities: 'all' | readonly number[] };
  return priorities === 'all' || priorities.includes(priority);
}

function setOf(octets: Uint8Array): { type: number; number: number; data: number } | null {
  if (octets.length !== ORDERED_SET) return null;
  const [, type = 0, high = 0, middle = 0, low = 0, data = 0, upper = 0] = octets;
  if (type < ACK || type > ECHO) return null;
  return { type, number: (high << 12) | (middle << 4) | (low >> 4), data: data | (upper << 8) };
}

function whyUnknown({ configuration }: Model, port: Port): string | null {
  const { ends } = port;
  return reasonOf({
    'whether it runs is negotiated during the run': configuration.negotiates,
    'a link that goes down flushes': ends.some((end) => end.hasFault('down')),
    'a fault changes its messages': ends.some((end) => end.hasFault('control', 'send')),
    'a device that restarts': restarts(port),
  });
}
