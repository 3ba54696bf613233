/**
 * Books of credit, rebuilt from octets: of every direction of a link and every priority, what its
 * sender has used and may use, and what its receiver has stored. A frame starts with credit only;
 * reports state what was used, and grants what the receiver's memory backs. Credit exchange counts
 * totals of units (MAC control opcodes 0x0110 and 0x0111); CBFC counts credits freed (CF_Update)
 * and consumed (CC_Update), with cyclic counters of 15 and 20 bits.
 */

import {
  bitsOf,
  ETHERTYPE,
  lineOctets,
  etherTypeOf,
  opcodeOf,
  ORDERED_SET,
  PRIORITIES,
  u16,
} from '../ethernet.js';
import { type ChannelTerms, channelTerms, costOf, exchangeTerms } from '../model/credit-terms.js';
import { hasLinkRetry } from '../model/links.js';
import type { Model, Observer, Port, Queued, Start, Storage, WireFrame } from '../model/model.js';
import { reasonOf, restarts } from '../model/port.js';

type Kind = 'credit' | 'cbfc';

const BLANK = {
  /** Of CBFC. */
  terms: null as ChannelTerms | null,
  /** What a frame takes beyond its own octets. */
  overhead: 0,
  /** Used by the sender, its limit, and what the receiver has granted so far. */
  ...{ used: 0, limit: 0, granted: 0 },
  /** Of credit exchange: the epoch that its sender began, and whether the receiver agreed to it. */
  ...{ epoch: -1, isOpen: false },
  /** The receiver has asked for a new epoch since. */
  isWithdrawn: false,
  /** Of CBFC: freed as far as the sender knows. */
  freed: 0,
  /** Units that came in at the receiver, and those that it stores. */
  ...{ passed: 0, stored: 0 },
  /** A message of a station ended in the receiver: where it counted is not on the wire. */
  isBlurred: false,
};

/** One priority of one direction of a link, named by the port that sends. */
type Book = typeof BLANK & {
  readonly kind: Kind;
  readonly unit: number;
  /** Channel of credit exchange, or virtual channel of CBFC. */
  readonly channel: number;
  /** Its weight among the channels of its priority. */
  readonly share: number;
  readonly isIncremental: boolean;
};

interface Ledger {
  /** By channel of credit exchange, then by priority; priorities of one channel of CBFC share. */
  readonly books: readonly (Book | null)[][];
  /** By VLAN: the channel. */
  readonly slices: ReadonlyMap<number, number>;
  /** Each channel has a part of the memory to itself; of all shares together. */
  readonly isDivided: boolean;
  readonly shares: number;
  readonly why: string | null;
}

interface Charge {
  readonly book: Book;
  readonly units: number;
}

interface Message {
  readonly isGrant: boolean;
  readonly flags: number;
  readonly isTag: boolean;
  readonly channel: number;
  readonly words: readonly (readonly [priority: number, low: number, high: number])[];
}

/** MAC control opcodes, and types of CE-Tags. */
const [REQUEST, GRANT, EXTENSION] = [0x0110, 0x0111, 0xfffe];
const [TAG_REQUEST, TAG_GRANT] = [0x88b5, 0x88b6];
/** Where a frame has flags, priorities, words, their upper halves and a channel; a tag begins. */
const AT = { flags: 16, vector: 17, words: 18, upper: 36, channel: 34, tag: 14 };
/** Where a CC_Update has its number and its counters. */
const [CC_MESSAGE_AT, CC_COUNTERS_AT] = [19, 20];
const [SYN, ACK, EPOCH] = [0x80, 0x40, 0x1f];
const CF_UPDATE = 0x10;
const [VLAN_BITS, CF_BITS, CC_BITS] = [0xfff, 0x7fff, 0xfffff];
/** Of the low words of totals. */
const TURN = 0x10000;

export class CreditBooks implements Observer {
  private readonly ledgers: ReadonlyMap<Port, Ledger>;
  private readonly charges = new Map<Storage, Charge>();
  /** By port: what the frame that has just started used: its tag was composed before. */
  private readonly justUsed = new Map<Port, Charge>();

  constructor(private readonly model: Model) {
    this.ledgers = new Map(model.ports.map((port) => [port, this.open(port)]));
  }

  /** Why it is not known what a port may send; null: it is, or needs no credit. */
  whyUnknown(port: Port): string | null {
    return this.ledgers.get(port)!.why;
  }

  /** The book that a frame leaving by a port is charged to; null: it needs no credit. */
  bookOf(port: Port, { priority, vlan }: Pick<WireFrame, 'priority' | 'vlan'>): Book | null {
    const { books, slices } = this.ledgers.get(port)!;
    const service = (vlan >>> 16) & VLAN_BITS;
    const slice = slices.get(service === 0 ? vlan & VLAN_BITS : service) ?? 0;
    return books[slice]?.[priority] ?? null;
  }

  /** Books of credit exchange whose frames wait in a traffic class, channel by channel. */
  booksOfClass(port: Port, trafficClass: number): readonly Book[] {
    const { classOf } = port.device.configuration;
    const own = this.ledgers
      .get(port)!
      .books.flatMap((books) =>
        books.filter((book, priority) => book !== null && classOf[priority] === trafficClass),
      ) as Book[];
    return own.filter(({ kind }) => kind === 'credit');
  }

  /** Its sender has credit for a frame of so many octets. */
  mayStart(port: Port, book: Book, octets: number): boolean {
    const units = costOf(octets, book.unit, book.overhead);
    if (book.terms === null) return book.used + units <= book.limit;
    const { limit, profile } = book.terms;
    const inUse = book.used - book.freed + units;
    if (inUse > limit) return false;
    const beyond = profile === null ? 0 : inUse - profile.reserved;
    if (profile === null || beyond <= 0) return true;
    const { sharing, threshold } = profile;
    const free = profile.poolCredits - this.drawn(port, profile.pool);
    if (sharing === 'none' || Math.min(beyond, units) > free) return false;
    if (sharing === 'static') return threshold === 0 || beyond <= threshold;
    return beyond <= free * 2 ** threshold;
  }

  starting(port: Port, { frame, atPs }: Start): void {
    this.justUsed.delete(port);
    const charge = this.chargeOf(port, frame);
    if (charge === null) return;
    const { book, units } = charge;
    this.model.verdict.judge(book.kind);
    if (!this.mayStart(port, book, frame.octets)) {
      const has = book.terms === null ? book.limit : book.terms.limit + book.freed;
      const have = `${units} units are needed, ${has - book.used} are granted`;
      this.broken(book, port.at(atPs, frame.priority), `a frame starts without credit: ${have}`);
    }
    book.used += units;
    this.justUsed.set(port, charge);
  }

  arrived(port: Port, frame: WireFrame): void {
    const charge = this.chargeOf(port.peer, frame);
    if (charge === null) return;
    const { book, units } = charge;
    // A host takes at once what it receives: its memory is free again.
    if (port.device.isHost) book.passed += units;
    // A message for a switch itself leaves no trace of when it was counted.
    else if (frame.kind === 'notice') book.isBlurred = true;
  }

  admitted(storage: Storage, frame: WireFrame, out: Port): void {
    const { ingress } = storage;
    const charge = ingress.device.isHost ? null : this.chargeOf(ingress.peer, frame);
    if (charge === null) return;
    const { book, units } = charge;
    // A message of the switch itself is stored as if it had come in.
    const isOwn = ingress === out && frame.kind === 'notice';
    if (!isOwn) book.passed += units;
    book.stored += units;
    this.charges.set(storage, charge);
  }

  released(storage: Storage): void {
    const charge = this.charges.get(storage);
    if (charge !== undefined) charge.book.stored -= charge.units;
    this.charges.delete(storage);
  }

  refused(port: Port, frame: WireFrame): void {
    const charge = port.device.isHost ? null : this.chargeOf(port.peer, frame);
    if (charge !== null) charge.book.passed += charge.units;
  }

  controlStarted(port: Port, octets: Uint8Array, atPs: number): void {
    const message = messageOf(octets);
    if (isUpdate(octets)) this.checkFreed(port, octets, atPs);
    else if (message?.isGrant === true) this.checkGrant(port, message, atPs);
    else if (message !== null) this.checkRequest(port, message, atPs);
    else if (octets.length !== ORDERED_SET && isExtension(octets)) {
      this.checkConsumed(port, octets, atPs);
    }
  }

  /** A tag on a frame that has just started. */
  tagged(port: Port, octets: Uint8Array, atPs: number): void {
    this.controlStarted(port, octets, atPs);
  }

  controlEffective(port: Port, octets: Uint8Array): void {
    for (const [book, count] of isUpdate(octets) ? this.countsOf(port, octets) : []) {
      book.freed = book.used - ((book.used - count) & CF_BITS);
    }
    const message = messageOf(octets);
    if (message === null) return;
    if (message.isGrant) {
      for (const [book, , low, high] of this.booksOf(port, message)) {
        takeGrant(book, message.flags, low, high);
      }
    } else if ((message.flags & SYN) !== 0) {
      // The sender begins an epoch: what it sends from now on counts from zero.
      for (const [book] of this.booksOf(port.peer, message)) [book.passed, book.granted] = [0, 0];
    }
  }

  /** What a message of credit exchange states about the books of a sending port. */
  private booksOf(port: Port, { channel, words }: Message) {
    return this.ledgers.get(port)!.books.flatMap((own) =>
      words.flatMap(([priority, low, high]) => {
        const book = own[priority] ?? null;
        const isMeant = book?.kind === 'credit' && book.channel === channel;
        return isMeant ? [[book, priority, low, high] as const] : [];
      }),
    );
  }

  private checkRequest(port: Port, message: Message, atPs: number): void {
    const used = message.isTag ? this.justUsed.get(port) : undefined;
    for (const [book, priority, low] of this.booksOf(port, message)) {
      if ((message.flags & SYN) !== 0) {
        [book.used, book.limit, book.isOpen] = [0, 0, false];
        book.epoch = message.flags & EPOCH;
        continue;
      }
      const before = used?.book === book ? used.units : 0;
      const expected = book.isIncremental ? 0 : (book.used - before) % TURN;
      this.model.verdict.judge('credit');
      if (low === expected) continue;
      const what = `a request states ${low} units used, expected ${expected}`;
      this.broken(book, port.at(atPs, priority), what);
    }
  }

  /** A receiver grants no more than its memory backs: what came in, and what is free. */
  private checkGrant(port: Port, message: Message, atPs: number): void {
    const { books, isDivided, shares } = this.ledgers.get(port.peer)!;
    for (const [book, priority, low, high] of this.booksOf(port.peer, message)) {
      const all = this.backed(port, priority, book.unit);
      const backed = isDivided ? Math.floor((all * book.share) / shares) : all;
      this.model.verdict.judge('credit');
      if (book.isIncremental) book.granted += low;
      const most = book.passed + backed - book.stored;
      // That wants a new epoch grants nothing.
      if ((message.flags & SYN) !== 0) continue;
      if (!book.isIncremental) book.granted = totalOf(low, high, book.granted);
      if (books.some((own) => own[priority]?.isBlurred === true) || book.granted <= most) continue;
      const what = `a grant is up to ${book.granted} units, where the memory backs ${most}`;
      this.broken(book, port.at(atPs), what);
    }
  }

  private backed({ device, index, configuration }: Port, priority: number, unit: number): number {
    const spec = this.model.configuration.fabric.specs[device.index]!;
    if (spec.kind === 'host') return Infinity;
    const group = configuration.groupOf[priority]!;
    const octets = spec.buffer.accounts[index]![group]!.reservedOctets;
    return Math.floor(octets / device.stored(unit));
  }

  private drawn(port: Port, pool: number): number {
    return this.channels(port).reduce((sum, { used, freed, terms }) => {
      const { profile } = terms!;
      return profile?.pool === pool ? sum + Math.max(0, used - freed - profile.reserved) : sum;
    }, 0);
  }

  private channels(port: Port): readonly Book[] {
    const own = this.ledgers.get(port)!.books[0]!.filter((book) => book?.kind === 'cbfc');
    return [...new Set(own as Book[])];
  }

  /** The counts of a CF_Update for a sending port: of two channels, or twice of one. */
  private countsOf(port: Port, octets: Uint8Array): (readonly [Book, number])[] {
    return [2, 5].flatMap((at) => {
      const book = this.channels(port).find(({ channel }) => channel === octets[at]! >> 3);
      return book === undefined ? [] : [[book, (u24(octets, at) >> 4) & CF_BITS] as const];
    });
  }

  private checkFreed(port: Port, octets: Uint8Array, atPs: number): void {
    for (const [book, count] of this.countsOf(port.peer, octets)) {
      if (book.isBlurred) continue;
      const freed = (book.passed - book.stored) & CF_BITS;
      this.model.verdict.judge('cbfc');
      if (freed === count) continue;
      const what = `CF_Update states ${count} credits freed of channel ${book.channel}, expected`;
      this.broken(book, port.at(atPs), `${what} ${freed}`);
    }
  }

  private checkConsumed(port: Port, octets: Uint8Array, atPs: number): void {
    const first = (octets[CC_MESSAGE_AT]! - 1) * 16;
    for (const book of this.channels(port)) {
      const i = book.channel - first;
      if (i < 0 || i > 15) continue;
      // Of 20 bits: an odd one begins within an octet.
      const at = CC_COUNTERS_AT + 5 * (i >> 1) + 2 * (i % 2);
      const stated = i % 2 === 0 ? u24(octets, at) >> 4 : u24(octets, at) & CC_BITS;
      const expected = book.used & CC_BITS;
      this.model.verdict.judge('cbfc');
      if (stated === expected) continue;
      const what = `CC_Update states ${stated} credits consumed of channel ${book.channel}`;
      this.broken(book, port.at(atPs), `${what}, expected ${expected}`);
    }
  }

  private chargeOf(port: Port, frame: WireFrame): Charge | null {
    const book = this.bookOf(port, frame);
    return book && { book, units: costOf(frame.octets, book.unit, book.overhead) };
  }

  private broken({ kind }: Book, place: ReturnType<Port['at']>, what: string): void {
    this.model.verdict.broken(kind, place, what);
  }

  private open(port: Port): Ledger {
    const { verdict } = this.model;
    const { methods } = port;
    const kinds = (['credit', 'cbfc'] as const).filter((kind) => methods.includes(kind));
    const none = { books: [[]], slices: new Map(), isDivided: true, shares: 1 };
    if (kinds.length === 0) return { ...none, why: null };
    const terms = exchangeTerms(port);
    const ages = methods.includes('credit') && terms.ages;
    const why = whyUnknown(this.model, port) ?? (ages ? 'credit that ages at its sender' : null);
    for (const kind of kinds) verdict.knows(kind, why);
    if (why !== null) return { ...none, why };
    const { slices, unit, isIncremental, isDivided } = terms;
    const books = slices.map(({ channel, share }) =>
      PRIORITIES.map((p): Book | null => {
        if (methods[p] !== 'credit') return null;
        // Amounts need no epoch, and begin with what is granted first.
        const epoch = { isIncremental, isOpen: isIncremental };
        return { ...BLANK, kind: 'credit', unit, channel, share, ...epoch };
      }),
    );
    const channels = new Map<number, Book>();
    for (const p of PRIORITIES.filter((one) => methods[one] === 'cbfc')) {
      const own = channelTerms(port, p);
      const { unit: size, overhead, channel } = own;
      const plain = { share: 1, isIncremental: false, terms: own };
      const blank: Book = { ...BLANK, kind: 'cbfc', unit: size, overhead, channel, ...plain };
      const book = channels.get(channel) ?? blank;
      channels.set(channel, book);
      for (const slice of books) slice[p] = book;
    }
    return {
      ...{ books, isDivided, why: null },
      slices: new Map(slices.flatMap(({ vlans }, i) => vlans.map((vlan) => [vlan, i] as const))),
      shares: slices.reduce((sum, { share }) => sum + share, 0),
    };
  }
}

interface Lines {
  readonly trafficClass: number;
  readonly books: readonly Book[];
  /** By line: where its last frame ends in virtual time. */
  readonly ends: Map<Book, number>;
  /** Virtual time: the start of the frame that was served last. */
  nowAt: number;
  place: Queued | null;
}

/**
 * Lines of frames that need credit: where several channels or priorities share a traffic class,
 * one frame at a time takes its place there, and others have a line each. Of the lines whose first
 * frame has credit the one is served that is furthest behind its share (start-time fair queueing,
 * Goyal et al. 1996, by octets of the link).
 */
export class CreditLines implements Observer {
  private readonly lines: ReadonlyMap<Port, readonly Lines[]>;

  constructor(
    { ports }: Model,
    private readonly books: CreditBooks,
  ) {
    const linesOf = (port: Port): Lines[] =>
      PRIORITIES.flatMap((trafficClass) => {
        const own = books.booksOfClass(port, trafficClass);
        const ends = new Map(own.map((book) => [book, 0]));
        return own.length > 1 ? [{ trafficClass, books: own, ends, nowAt: 0, place: null }] : [];
      });
    this.lines = new Map(ports.map((port) => [port, linesOf(port)]));
  }

  /** The frame of a class that is next; undefined: none is. */
  head(port: Port, trafficClass: number): Queued | undefined {
    const own = this.lines.get(port)!.find((lines) => lines.trafficClass === trafficClass);
    if (own !== undefined) return own.place ?? undefined;
    const [first] = port.queues[trafficClass]!;
    const book = first && this.books.bookOf(port, first.frame);
    return !book || this.books.mayStart(port, book, first.frame.octets) ? first : undefined;
  }

  joined(out: Port): void {
    this.fill(out);
  }

  started(port: Port, { queued }: Start): void {
    this.discarded(port, queued);
  }

  discarded(port: Port, queued: Queued): void {
    for (const own of this.lines.get(port)!) if (own.place === queued) own.place = null;
    this.fill(port);
  }

  controlEffective(port: Port, octets: Uint8Array): void {
    if (octets.length === ORDERED_SET) return;
    const own = this.lines.get(port)!;
    // A new epoch is asked for: places are given back, and given once more.
    const isWithdrawn = own.some(({ books }) => books.some((book) => book.isWithdrawn));
    if (isWithdrawn) for (const lines of own) this.giveBack(port, lines);
    this.fill(port);
  }

  private giveBack(port: Port, own: Lines): void {
    for (const book of own.books) book.isWithdrawn = false;
    if (own.place === null) return;
    const { frame } = own.place;
    const book = this.books.bookOf(port, frame)!;
    own.ends.set(book, own.ends.get(book)! - lineOctets(frame.octets) / book.share);
    own.place = null;
  }

  private fill(port: Port): void {
    for (const own of this.lines.get(port)!) {
      const queue = own.place === null ? port.queues[own.trafficClass]! : [];
      const ready = own.books.flatMap((book) => {
        const first = queue.find(({ frame }) => this.books.bookOf(port, frame) === book);
        const isReady = first !== undefined && this.books.mayStart(port, book, first.frame.octets);
        return isReady ? [{ book, first, startAt: Math.max(own.nowAt, own.ends.get(book)!) }] : [];
      });
      if (ready.length === 0) continue;
      const next = ready.reduce((best, one) => (one.startAt < best.startAt ? one : best));
      own.place = next.first;
      own.nowAt = next.startAt;
      const octets = lineOctets(next.first.frame.octets);
      own.ends.set(next.book, next.startAt + octets / next.book.share);
    }
  }
}

function takeGrant(book: Book, flags: number, low: number, high: number): void {
  if (book.isIncremental) {
    book.limit += low;
  } else if ((flags & SYN) !== 0) {
    // The receiver wants a new epoch: nothing starts until there is one.
    if (book.isOpen) book.isWithdrawn = true;
    [book.isOpen, book.limit] = [false, book.used];
  } else if ((flags & EPOCH) === book.epoch) {
    const isNew = !book.isOpen && (flags & ACK) !== 0;
    if (isNew) [book.isOpen, book.limit] = [true, 0];
    if (book.isOpen) book.limit = Math.max(book.limit, totalOf(low, high, book.limit));
  }
}

const isUpdate = (octets: Uint8Array): boolean =>
  octets.length === ORDERED_SET && octets[1] === CF_UPDATE;

const isExtension = (octets: Uint8Array): boolean =>
  etherTypeOf(octets) === ETHERTYPE.macControl && opcodeOf(octets) === EXTENSION;

/** Of a message of credit exchange, in a frame or in a tag; null: it is none. */
function messageOf(octets: Uint8Array): Message | null {
  if (octets.length === ORDERED_SET) return null;
  const type = etherTypeOf(octets);
  if (type === TAG_REQUEST || type === TAG_GRANT) {
    const [flags = 0, vector = 0] = octets.subarray(AT.tag);
    const word = u16(octets, AT.tag + 2);
    const tag = { isGrant: type === TAG_GRANT, flags, isTag: true };
    return { ...tag, channel: u16(octets, AT.tag + 4), words: [[bitsOf(vector)[0]!, word, 0]] };
  }
  const opcode = opcodeOf(octets);
  if (type !== ETHERTYPE.macControl || (opcode !== REQUEST && opcode !== GRANT)) return null;
  return {
    ...{ isGrant: opcode === GRANT, flags: octets[AT.flags]!, isTag: false },
    channel: u16(octets, AT.channel),
    words: bitsOf(octets[AT.vector]!).map((priority) => {
      const at = 2 * priority;
      return [priority, u16(octets, AT.words + at), u16(octets, AT.upper + at)];
    }),
  };
}

const u24 = (octets: Uint8Array, at: number): number => (u16(octets, at) << 8) | octets[at + 2]!;

/** Totals of over 16 bits have their upper half in the padding; others are near a known one. */
function totalOf(low: number, high: number, known: number): number {
  if (high > 0 || (known < TURN && low >= known)) return high * TURN + low;
  const base = known - (known % TURN) + low;
  const near = [base - TURN, base, base + TURN].filter((value) => value >= 0);
  return near.reduce((a, b) => (Math.abs(b - known) < Math.abs(a - known) ? b : a));
}

function whyUnknown({ configuration }: Model, port: Port): string | null {
  const ends = port.ends.map(({ device }) => device.configuration);
  return reasonOf({
    'flow control is negotiated during the run': configuration.negotiates,
    'a fault at the link': port.ends.some((end) => end.configuration.faults.size > 0),
    'a memory of its own': ends.some(({ ownMemory }) => ownMemory !== null),
    'floods and tags of bridges': ends.some(({ isBridge }) => isBridge),
    'frames that link-level retry may send again': hasLinkRetry(port),
    'a device that restarts': restarts(port),
  });
}
