/**
 * Books of credit, rebuilt from octets: of every direction of a link and every priority, what its
 * sender has used and may use, and what its receiver has stored. A frame starts with credit only;
 * reports state what was used, and grants what the receiver's memory backs. Credit exchange counts
 * totals of units (MAC control opcodes 0x0110 and 0x0111); CBFC counts credits freed (CF_Update)
 * and consumed (CC_Update), with cyclic counters of 15 and 20 bits.
 */

import type { Configuration } from '../configuration.js';
import { ETHERTYPE, etherTypeOf, opcodeOf, ORDERED_SET, PRIORITIES, u16 } from '../ethernet.js';
import { type ChannelTerms, channelTerms, costOf, exchangeTerms } from '../model/credit-terms.js';
import { hasLinkRetry } from '../model/links.js';
import type { Observer, Start } from '../model/observer.js';
import type { Device, Port, Storage } from '../model/port.js';
import type { WireFrame } from '../record.js';
import type { Verdict } from '../verdict.js';

type Kind = 'credit' | 'cbfc';

/** One priority of one direction of a link, named by the port that sends. */
export interface Book {
  readonly kind: Kind;
  readonly terms: ChannelTerms | null;
  /** Octets of a unit, and what a frame takes beyond its own. */
  readonly unit: number;
  readonly overhead: number;
  /** Channel of credit exchange, or virtual channel of CBFC. */
  readonly channel: number;
  /** Its weight among the channels of its priority. */
  readonly share: number;
  readonly isIncremental: boolean;
  /** Used by the sender, and its limit as far as it was granted, in this epoch. */
  used: number;
  limit: number;
  /** Of credit exchange: the epoch that its sender began, and whether the receiver agreed to it. */
  epoch: number;
  isOpen: boolean;
  /** The receiver has asked for a new epoch since. */
  isWithdrawn: boolean;
  /** What the receiver has granted, in this epoch. */
  granted: number;
  /** Of CBFC: freed as far as the sender knows. */
  freed: number;
  /** Units that came in at the receiver, and those that it stores. */
  passed: number;
  stored: number;
  /** A message of a station ended in the receiver: where it counted is not on the wire. */
  isBlurred: boolean;
}

/** Books of a sending port. */
interface Ledger {
  /** By channel of credit exchange, then by priority; priorities of one channel of CBFC share. */
  readonly books: (Book | null)[][];
  /** By VLAN: the channel. */
  readonly slices: ReadonlyMap<number, number>;
  /** Each channel has a part of the memory to itself; of all shares together. */
  readonly isDivided: boolean;
  readonly shares: number;
  why: string | null;
}

const REQUEST = 0x0110;
const GRANT = 0x0111;
const FLAGS_AT = 16;
const VECTOR_AT = 17;
const WORDS_AT = 18;
const UPPER_AT = 36;
const TAG_REQUEST = 0x88b5;
const TAG_GRANT = 0x88b6;
/** Behind the EtherType of a CE-Tag: flags, priority, word, channel. */
const TAG_AT = 14;
const EPOCH = 0x1f;
const CHANNEL_AT = 34;
const SYN = 0x80;
const ACK = 0x40;
const CF_UPDATE = 0x10;
const VLAN_BITS = 0xfff;
const CF_BITS = 0x7fff;
const CC_BITS = 0xfffff;
const EXTENSION = 0xfffe;
const CC_MESSAGE_AT = 19;
const CC_COUNTERS_AT = 20;

/** A request or a grant of one channel. */
interface Message {
  readonly isGrant: boolean;
  readonly flags: number;
  readonly isTag: boolean;
  readonly channel: number;
  readonly words: readonly {
    readonly priority: number;
    readonly low: number;
    readonly high: number;
  }[];
}

export class CreditBooks implements Observer {
  private readonly ledgers = new Map<Port, Ledger>();
  private readonly charges = new Map<Storage, { readonly book: Book; readonly units: number }>();
  /** By port: what the frame that has just started used: its tag was composed before. */
  private readonly justUsed = new Map<Port, { readonly book: Book; readonly units: number }>();

  constructor(
    private readonly configuration: Configuration,
    devices: readonly Device[],
    private readonly verdict: Verdict,
  ) {
    for (const port of devices.flatMap(({ ports }) => [...ports])) {
      this.ledgers.set(port, this.open(port));
    }
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

  /** Books whose frames wait in a traffic class, channel by channel. */
  booksOfClass(port: Port, trafficClass: number): readonly Book[] {
    const { classOf } = port.device.configuration;
    const { books } = this.ledgers.get(port)!;
    return books.flatMap((own) =>
      own
        .filter((book): book is Book => book !== null)
        .filter((book) =>
          own.some((one, priority) => one === book && classOf[priority] === trafficClass),
        ),
    );
  }

  /** Its sender has credit for a frame of so many octets. */
  mayStart(port: Port, book: Book, octets: number): boolean {
    const units = costOf(octets, book.unit, book.overhead);
    if (book.terms === null) return book.used + units <= book.limit;
    const inUse = book.used - book.freed;
    if (inUse + units > book.terms.limit) return false;
    const { profile } = book.terms;
    if (profile === null) return true;
    const beyond = inUse + units - profile.reserved;
    if (beyond <= 0) return true;
    if (profile.sharing === 'none') return false;
    const free = profile.poolCredits - this.drawn(port, profile.pool);
    if (Math.min(beyond, units) > free) return false;
    if (profile.sharing === 'static') return profile.threshold === 0 || beyond <= profile.threshold;
    return beyond <= free * 2 ** profile.threshold;
  }

  starting(port: Port, { frame, atPs }: Start): void {
    this.justUsed.delete(port);
    const book = this.bookOf(port, frame);
    if (book === null) return;
    const units = costOf(frame.octets, book.unit, book.overhead);
    this.verdict.judge(book.kind);
    if (!this.mayStart(port, book, frame.octets)) {
      const has = book.terms === null ? book.limit : book.terms.limit + book.freed;
      const have = `${units} units are needed, ${has - book.used} are granted`;
      const place = { device: port.device.index, port: port.index, atPs };
      const what = `a frame starts without credit: ${have}`;
      this.verdict.broken(book.kind, { ...place, priority: frame.priority }, what);
    }
    book.used += units;
    this.justUsed.set(port, { book, units });
  }

  arrived(port: Port, frame: WireFrame): void {
    const book = this.bookOf(port.peer, frame);
    if (book === null || !port.device.isHost) {
      // A message for a switch itself leaves no trace of when it was counted.
      if (book !== null && frame.kind === 'notice') book.isBlurred = true;
      return;
    }
    // A host takes at once what it receives: its memory is free again.
    book.passed += costOf(frame.octets, book.unit, book.overhead);
  }

  admitted(storage: Storage, frame: WireFrame, out: Port): void {
    const { ingress } = storage;
    const book = this.bookOf(ingress.peer, frame);
    if (book === null || ingress.device.isHost) return;
    const units = costOf(frame.octets, book.unit, book.overhead);
    // A message of the switch itself is stored as if it had come in.
    const isOwn = ingress === out && frame.kind === 'notice';
    if (!isOwn) book.passed += units;
    book.stored += units;
    this.charges.set(storage, { book, units });
  }

  released(storage: Storage): void {
    const charge = this.charges.get(storage);
    if (charge === undefined) return;
    charge.book.stored -= charge.units;
    this.charges.delete(storage);
  }

  refused(port: Port, frame: WireFrame): void {
    const book = this.bookOf(port.peer, frame);
    if (book === null || port.device.isHost) return;
    book.passed += costOf(frame.octets, book.unit, book.overhead);
  }

  controlStarted(port: Port, octets: Uint8Array, atPs: number): void {
    if (octets.length === ORDERED_SET) {
      if (octets[1] === CF_UPDATE) this.checkFreed(port, octets, atPs);
      return;
    }
    const message = messageOf(octets);
    if (message?.isGrant === true) this.checkGrant(port, message, atPs);
    else if (message !== null) this.checkRequest(port, message, atPs);
    else if (etherTypeOf(octets) === ETHERTYPE.macControl && opcodeOf(octets) === EXTENSION) {
      this.checkConsumed(port, octets, atPs);
    }
  }

  /** A tag on a frame that has just started. */
  tagged(port: Port, octets: Uint8Array, atPs: number): void {
    this.controlStarted(port, octets, atPs);
  }

  controlEffective(port: Port, octets: Uint8Array): void {
    if (octets.length === ORDERED_SET) {
      if (octets[1] === CF_UPDATE) this.takeFreed(port, octets);
      return;
    }
    const message = messageOf(octets);
    if (message === null) return;
    const isBegin = (message.flags & SYN) !== 0;
    if (message.isGrant) {
      this.each(port, message, (book, low, high) => {
        this.takeGrant(book, message.flags, low, high);
      });
    } else if (isBegin) {
      // The sender begins an epoch: what it sends from now on counts from zero.
      this.each(port.peer, message, (book) => {
        [book.passed, book.granted] = [0, 0];
      });
    }
  }

  private takeGrant(book: Book, flags: number, low: number, high: number): void {
    if (book.isIncremental) {
      book.limit += low;
      return;
    }
    if ((flags & SYN) !== 0) {
      // The receiver wants a new epoch: nothing starts until there is one.
      if (book.isOpen) book.isWithdrawn = true;
      [book.isOpen, book.limit] = [false, book.used];
      return;
    }
    if ((flags & EPOCH) !== book.epoch) return;
    const isNew = !book.isOpen && (flags & ACK) !== 0;
    if (isNew) [book.isOpen, book.limit] = [true, 0];
    if (!book.isOpen) return;
    book.limit = Math.max(book.limit, totalOf(low, high, book.limit));
  }

  /** What a message of credit exchange states about the books of a sending port. */
  private each(
    port: Port,
    { channel, words }: Message,
    visit: (book: Book, low: number, high: number, priority: number) => void,
  ): void {
    for (const own of this.ledgers.get(port)!.books) {
      for (const { priority, low, high } of words) {
        const book = own[priority] ?? null;
        if (book?.kind === 'credit' && book.channel === channel) visit(book, low, high, priority);
      }
    }
  }

  /** A sender states what it has used. */
  private checkRequest(port: Port, message: Message, atPs: number): void {
    const used = this.justUsed.get(port);
    this.each(port, message, (book, low, _high, priority) => {
      if ((message.flags & SYN) !== 0) {
        [book.used, book.limit, book.isOpen] = [0, 0, false];
        book.epoch = message.flags & EPOCH;
        return;
      }
      const isTag = message.isTag && used?.book === book;
      const expected = book.isIncremental ? 0 : (book.used - (isTag ? used.units : 0)) & 0xffff;
      this.verdict.judge('credit');
      if (low === expected) return;
      const place = { device: port.device.index, port: port.index, atPs, priority };
      const what = `a request states ${low} units used, expected ${expected}`;
      this.verdict.broken('credit', place, what);
    });
  }

  /** A receiver grants no more than its memory backs: what came in, and what is free. */
  private checkGrant(port: Port, message: Message, atPs: number): void {
    const { books, isDivided, shares } = this.ledgers.get(port.peer)!;
    this.each(port.peer, message, (book, low, high, priority) => {
      const all = this.backed(port, priority, book.unit);
      const backed = isDivided ? Math.floor((all * book.share) / shares) : all;
      this.verdict.judge('credit');
      if (book.isIncremental) book.granted += low;
      const most = book.passed + backed - book.stored;
      // That wants a new epoch grants nothing.
      if ((message.flags & SYN) !== 0) return;
      if (!book.isIncremental) book.granted = totalOf(low, high, book.granted);
      if (books.some((own) => own[priority]?.isBlurred === true) || book.granted <= most) return;
      const place = { device: port.device.index, port: port.index, atPs };
      const what = `a grant is up to ${book.granted} units, where the memory backs ${most}`;
      this.verdict.broken('credit', place, what);
    });
  }

  /** Units that the memory behind a port has for a priority. */
  private backed({ device, index, configuration }: Port, priority: number, unit: number): number {
    const spec = this.configuration.fabric.specs[device.index]!;
    if (spec.kind === 'host') return Infinity;
    const cell = spec.buffer.cellOctets;
    const group = configuration.groupOf[priority]!;
    const octets = spec.buffer.accounts[index]![group]!.reservedOctets;
    return Math.floor(octets / (Math.ceil(unit / cell) * cell));
  }

  /** Credits of a pool that are in use beyond what is reserved. */
  private drawn(port: Port, pool: number): number {
    return this.channels(port).reduce((sum, { used, freed, terms }) => {
      const { profile } = terms!;
      return profile?.pool === pool ? sum + Math.max(0, used - freed - profile.reserved) : sum;
    }, 0);
  }

  /** Channels of CBFC of a sending port. */
  private channels(port: Port): readonly Book[] {
    const own = this.ledgers.get(port)!.books[0]!.filter((book) => book?.kind === 'cbfc');
    return [...new Set(own as Book[])];
  }

  private takeFreed(port: Port, octets: Uint8Array): void {
    for (const { channel, count } of countsOf(octets)) {
      const book = this.channels(port).find((own) => own.channel === channel);
      if (book !== undefined) book.freed = book.used - ((book.used - count) & CF_BITS);
    }
  }

  private checkFreed(port: Port, octets: Uint8Array, atPs: number): void {
    for (const { channel, count } of countsOf(octets)) {
      const book = this.channels(port.peer).find((own) => own.channel === channel);
      if (book === undefined || book.isBlurred) continue;
      const freed = (book.passed - book.stored) & CF_BITS;
      this.verdict.judge('cbfc');
      if (freed === count) continue;
      const place = { device: port.device.index, port: port.index, atPs };
      const what = `CF_Update states ${count} credits freed of channel ${channel}, expected`;
      this.verdict.broken('cbfc', place, `${what} ${freed}`);
    }
  }

  private checkConsumed(port: Port, octets: Uint8Array, atPs: number): void {
    const first = (octets[CC_MESSAGE_AT]! - 1) * 16;
    for (const { channel, used } of this.channels(port)) {
      const i = channel - first;
      if (i < 0 || i > 15) continue;
      const at = CC_COUNTERS_AT + 5 * (i >> 1);
      const [a = 0, b = 0, c = 0, d = 0, e = 0] = octets.subarray(at, at + 5);
      const even = (a << 12) | (b << 4) | (c >> 4);
      const stated = i % 2 === 0 ? even : ((c & 15) << 16) | (d << 8) | e;
      const expected = used & CC_BITS;
      this.verdict.judge('cbfc');
      if (stated === expected) continue;
      const place = { device: port.device.index, port: port.index, atPs };
      const what = `CC_Update states ${stated} credits consumed of channel ${channel}, expected`;
      this.verdict.broken('cbfc', place, `${what} ${expected}`);
    }
  }

  private open(port: Port): Ledger {
    const { methods } = port.configuration;
    const kinds = (['credit', 'cbfc'] as const).filter((kind) => methods.includes(kind));
    const none = { books: [[]], slices: new Map(), isDivided: true, shares: 1 };
    if (kinds.length === 0) return { ...none, why: null };
    const terms = exchangeTerms(port);
    const why =
      whyUnknown(this.configuration, port) ??
      (methods.includes('credit') && terms.ages ? 'credit that ages at its sender' : null);
    if (why !== null) {
      for (const kind of kinds) this.verdict.decline(kind, why);
      return { ...none, why };
    }
    const { slices, unit, isIncremental, isDivided } = terms;
    const books = slices.map(({ channel, share }) =>
      PRIORITIES.map((p) =>
        methods[p] === 'credit'
          ? blank('credit', { unit, overhead: 0, channel, share, isIncremental, terms: null })
          : null,
      ),
    );
    const channels = new Map<number, Book>();
    for (const p of PRIORITIES.filter((one) => methods[one] === 'cbfc')) {
      const own = channelTerms(port, p);
      const plain = { ...own, share: 1, isIncremental: false, terms: own };
      const book = channels.get(own.channel) ?? blank('cbfc', plain);
      channels.set(own.channel, book);
      for (const slice of books) slice[p] = book;
    }
    return {
      ...{ books, isDivided, why: null },
      slices: new Map(slices.flatMap(({ vlans }, i) => vlans.map((vlan) => [vlan, i] as const))),
      shares: slices.reduce((sum, { share }) => sum + share, 0),
    };
  }
}

type Fixed = 'unit' | 'overhead' | 'channel' | 'share' | 'isIncremental' | 'terms';

function blank(
  kind: Kind,
  { unit, overhead, channel, share, isIncremental, terms }: Pick<Book, Fixed>,
): Book {
  return {
    ...{ kind, unit, overhead, channel, share, isIncremental, terms, epoch: -1 },
    // Amounts need no epoch, and begin with what is granted first.
    ...{ isOpen: isIncremental, used: 0, limit: 0, granted: 0, freed: 0 },
    ...{ passed: 0, stored: 0, isBlurred: false, isWithdrawn: false },
  };
}

/** Of a message of credit exchange, in a frame or in a tag; null: it is none. */
function messageOf(octets: Uint8Array): Message | null {
  const type = etherTypeOf(octets);
  if (type === TAG_REQUEST || type === TAG_GRANT) {
    const [flags = 0, vector = 0] = octets.subarray(TAG_AT);
    const priority = 31 - Math.clz32(vector);
    return {
      ...{ isGrant: type === TAG_GRANT, flags, channel: u16(octets, TAG_AT + 4), isTag: true },
      words: [{ priority, low: u16(octets, TAG_AT + 2), high: 0 }],
    };
  }
  if (type !== ETHERTYPE.macControl) return null;
  const opcode = opcodeOf(octets);
  if (opcode !== REQUEST && opcode !== GRANT) return null;
  const vector = octets[VECTOR_AT]!;
  return {
    ...{ isGrant: opcode === GRANT, flags: octets[FLAGS_AT]!, isTag: false },
    channel: u16(octets, CHANNEL_AT),
    words: PRIORITIES.filter((priority) => (vector & (1 << priority)) !== 0).map((priority) => ({
      priority,
      low: u16(octets, WORDS_AT + 2 * priority),
      high: u16(octets, UPPER_AT + 2 * priority),
    })),
  };
}

/** The counts of a CF_Update: of two channels, or twice of one. */
function countsOf(
  octets: Uint8Array,
): readonly { readonly channel: number; readonly count: number }[] {
  return [2, 5].map((at) => ({
    channel: octets[at]! >> 3,
    count: ((octets[at]! & 7) << 12) | (octets[at + 1]! << 4) | (octets[at + 2]! >> 4),
  }));
}

/** Totals of over 16 bits have their upper half in the padding; others are near a known one. */
function totalOf(low: number, high: number, known: number): number {
  return high > 0 || (known < 0x10000 && low >= known)
    ? high * 0x10000 + low
    : nearest(low, known, 0x10000);
}

/** The number with these low bits that is closest to a known one. */
function nearest(low: number, known: number, turn: number): number {
  const base = known - (known % turn) + low;
  return [base - turn, base, base + turn]
    .filter((value) => value >= 0)
    .reduce((a, b) => (Math.abs(b - known) < Math.abs(a - known) ? b : a));
}

function whyUnknown({ negotiates }: Configuration, port: Port): string | null {
  const ends = [port, port.peer];
  if (negotiates) return 'flow control is negotiated during the run';
  if (ends.some(({ configuration }) => configuration.faults.size > 0)) return 'a fault at the link';
  if (ends.some(({ device }) => device.configuration.ownMemory !== null)) {
    return 'a memory of its own';
  }
  if (ends.some(({ device }) => device.configuration.isBridge)) return 'floods and tags of bridges';
  if (hasLinkRetry(port)) return 'frames that link-level retry may send again';
  const isReset = ends.some(({ device }) =>
    device.ports.some(({ configuration }) => configuration.faults.has('flush')),
  );
  return isReset ? 'a device that restarts' : null;
}
