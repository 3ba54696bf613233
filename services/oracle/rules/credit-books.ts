/**
 * Books of credit, rebuilt from octets: of every direction of a link and every priority, what its
 * sender has used and may use, and what its receiver has stored. A frame starts with credit only;
 * reports state what was used, and grants what the receiver's memory backs. Credit exchange counts
 * totals of units (MAC control opcodes 0x0110 and 0x0111); CBFC counts credits freed (CF_Update)
 * and consumed (CC_Update), with cyclic counters of 15 and 20 bits.
 */

import type { Configuration } from '../configuration.js';
import { ETHERTYPE, etherTypeOf, opcodeOf, ORDERED_SET, PRIORITIES, u16 } from '../ethernet.js';
import { hasLinkRetry } from '../model/links.js';
import type { Observer, Start } from '../model/observer.js';
import type { Device, Port, Storage } from '../model/port.js';
import type { WireFrame } from '../record.js';
import type { Verdict } from '../verdict.js';

type Kind = 'credit' | 'cbfc';

/** One priority of one direction of a link, named by the port that sends. */
interface Book {
  readonly kind: Kind;
  /** Octets of a unit, and what a frame takes beyond its own. */
  readonly unit: number;
  readonly overhead: number;
  /** Virtual channel of CBFC. */
  readonly channel: number;
  /** Used by the sender, and its limit as far as it was granted; null: it is not known yet. */
  used: number;
  limit: number | null;
  /** Units that came in at the receiver, and those that it stores. */
  passed: number;
  stored: number;
  /** A message of a station ended in the receiver: where it counted is not on the wire. */
  isBlurred: boolean;
}

const REQUEST = 0x0110;
const GRANT = 0x0111;
const FLAGS_AT = 16;
const VECTOR_AT = 17;
const WORDS_AT = 18;
const UPPER_AT = 36;
const CHANNEL_AT = 34;
const SYN = 0x80;
const ACK = 0x40;
const CF_UPDATE = 0x10;
const CF_BITS = 0x7fff;
const CC_BITS = 0xfffff;
const EXTENSION = 0xfffe;
const CC_MESSAGE_AT = 19;
const CC_COUNTERS_AT = 20;

export class CreditBooks implements Observer {
  /** By the sending port, then by priority. */
  private readonly books = new Map<Port, (Book | null)[]>();
  private readonly charges = new Map<Storage, { readonly book: Book; readonly units: number }>();

  constructor(
    private readonly configuration: Configuration,
    devices: readonly Device[],
    private readonly verdict: Verdict,
  ) {
    for (const { ports } of devices) {
      for (const port of ports) {
        this.books.set(
          port,
          PRIORITIES.map((priority) => this.open(port, priority)),
        );
      }
    }
  }

  starting(port: Port, { frame, atPs }: Start): void {
    const book = this.books.get(port)![frame.priority];
    if (book === null || book === undefined) return;
    const units = costOf(book, frame.octets);
    const place = { device: port.device.index, port: port.index, atPs, priority: frame.priority };
    this.verdict.judge(book.kind);
    if (book.kind === 'credit' && book.used + units > (book.limit ?? 0)) {
      const have = `${units} units are needed, ${(book.limit ?? 0) - book.used} are granted`;
      this.verdict.broken('credit', place, `a frame starts without credit: ${have}`);
    }
    book.used += units;
  }

  arrived(port: Port, frame: WireFrame): void {
    const book = this.bookTo(port, frame.priority);
    if (book === null || !port.device.isHost) {
      // A message for a switch itself leaves no trace of when it was counted.
      if (book !== null && frame.kind === 'notice') book.isBlurred = true;
      return;
    }
    // A host takes at once what it receives: its memory is free again.
    book.passed += costOf(book, frame.octets);
  }

  admitted(storage: Storage, frame: WireFrame, out: Port): void {
    const { ingress } = storage;
    const book = this.bookTo(ingress, frame.priority);
    if (book === null || ingress.device.isHost) return;
    const units = costOf(book, frame.octets);
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
    const book = this.bookTo(port, frame.priority);
    if (book !== null && !port.device.isHost) book.passed += costOf(book, frame.octets);
  }

  controlStarted(port: Port, octets: Uint8Array, atPs: number): void {
    if (octets.length === ORDERED_SET) {
      if (octets[1] === CF_UPDATE) this.checkFreed(port, octets, atPs);
      return;
    }
    if (etherTypeOf(octets) !== ETHERTYPE.macControl) return;
    const opcode = opcodeOf(octets);
    if (opcode === REQUEST) this.checkRequest(port, octets, atPs);
    else if (opcode === GRANT) this.checkGrant(port, octets, atPs);
    else if (opcode === EXTENSION) this.checkConsumed(port, octets, atPs);
  }

  controlEffective(port: Port, octets: Uint8Array): void {
    if (octets.length === ORDERED_SET || etherTypeOf(octets) !== ETHERTYPE.macControl) return;
    const opcode = opcodeOf(octets);
    const isBegin = (octets[FLAGS_AT]! & (SYN | ACK)) !== 0;
    if (opcode === REQUEST && isBegin) {
      // The sender begins an epoch: what it sends from now on counts from zero.
      this.each(port.peer, octets, (book) => {
        book.passed = 0;
      });
    } else if (opcode === GRANT) {
      this.each(port, octets, (book, word) => {
        book.limit = word;
      });
    }
  }

  /** The words of a message of credit exchange, for the books of a sending port. */
  private each(port: Port, octets: Uint8Array, visit: (book: Book, word: number) => void): void {
    const books = this.books.get(port)!;
    if (u16(octets, CHANNEL_AT) !== 0) return;
    for (const priority of PRIORITIES) {
      const book = books[priority];
      if ((octets[VECTOR_AT]! & (1 << priority)) === 0 || book?.kind !== 'credit') continue;
      const low = u16(octets, WORDS_AT + 2 * priority);
      const high = u16(octets, UPPER_AT + 2 * priority);
      // Totals of more than 16 bits have their upper half in the padding.
      const known = book.limit ?? 0;
      visit(book, high > 0 ? high * 0x10000 + low : nearest(low, known, 0x10000));
    }
  }

  /** A sender states what it has used. */
  private checkRequest(port: Port, octets: Uint8Array, atPs: number): void {
    const isBegin = (octets[FLAGS_AT]! & (SYN | ACK)) !== 0;
    this.each(port, octets, (book) => {
      if (isBegin) [book.used, book.limit] = [0, 0];
    });
    if (isBegin) return;
    for (const priority of PRIORITIES) {
      const book = this.books.get(port)![priority];
      if ((octets[VECTOR_AT]! & (1 << priority)) === 0 || book?.kind !== 'credit') continue;
      const stated = u16(octets, WORDS_AT + 2 * priority);
      this.verdict.judge('credit');
      if (stated === (book.used & 0xffff)) continue;
      const place = { device: port.device.index, port: port.index, atPs, priority };
      const what = `a request states ${stated} units used, expected ${book.used & 0xffff}`;
      this.verdict.broken('credit', place, what);
    }
  }

  /** A receiver grants no more than its memory backs: what came in, and what is free. */
  private checkGrant(port: Port, octets: Uint8Array, atPs: number): void {
    this.each(port.peer, octets, (book, word) => {
      const backed = this.backed(port, book);
      this.verdict.judge('credit');
      const most = book.passed + backed - book.stored;
      if (book.isBlurred || word <= most) return;
      const place = { device: port.device.index, port: port.index, atPs };
      const what = `a grant is up to ${word} units, where the memory backs ${most}`;
      this.verdict.broken('credit', place, what);
    });
  }

  /** Units that the memory behind a port has for a priority. */
  private backed({ device, index }: Port, book: Book): number {
    const spec = this.configuration.fabric.specs[device.index]!;
    if (spec.kind === 'host') return Infinity;
    const cell = spec.buffer.cellOctets;
    const octets = spec.buffer.accounts[index]!.reduce((most, account, group) => {
      const has = this.books
        .get(device.ports[index]!.peer)!
        .some((own, priority) => own === book && device.configuration.groupOf[priority] === group);
      return has ? account.reservedOctets : most;
    }, 0);
    return Math.floor(octets / (Math.ceil(book.unit / cell) * cell));
  }

  private checkFreed(port: Port, octets: Uint8Array, atPs: number): void {
    for (const at of [2, 5]) {
      const channel = octets[at]! >> 3;
      const stated = ((octets[at]! & 7) << 12) | (octets[at + 1]! << 4) | (octets[at + 2]! >> 4);
      const own = this.books.get(port.peer)!.filter((book) => isOf(book, channel));
      if (own.length === 0 || own.some((book) => book!.isBlurred)) continue;
      const freed = own.reduce((sum, book) => sum + book!.passed - book!.stored, 0) & CF_BITS;
      this.verdict.judge('cbfc');
      if (freed === stated) continue;
      const place = { device: port.device.index, port: port.index, atPs };
      const what = `CF_Update states ${stated} credits freed of channel ${channel}, expected`;
      this.verdict.broken('cbfc', place, `${what} ${freed}`);
    }
  }

  private checkConsumed(port: Port, octets: Uint8Array, atPs: number): void {
    const first = (octets[CC_MESSAGE_AT]! - 1) * 16;
    for (let i = 0; i < 16; i++) {
      const own = this.books.get(port)!.filter((book) => isOf(book, first + i));
      if (own.length === 0) continue;
      const at = CC_COUNTERS_AT + 5 * (i >> 1);
      const [a = 0, b = 0, c = 0, d = 0, e = 0] = octets.subarray(at, at + 5);
      const even = (a << 12) | (b << 4) | (c >> 4);
      const stated = i % 2 === 0 ? even : ((c & 15) << 16) | (d << 8) | e;
      const used = own.reduce((sum, book) => sum + book!.used, 0) & CC_BITS;
      this.verdict.judge('cbfc');
      if (stated === used) continue;
      const place = { device: port.device.index, port: port.index, atPs };
      const what = `CC_Update states ${stated} credits consumed of channel ${first + i}, expected`;
      this.verdict.broken('cbfc', place, `${what} ${used}`);
    }
  }

  private bookTo(port: Port, priority: number): Book | null {
    return this.books.get(port.peer)![priority] ?? null;
  }

  private open(port: Port, priority: number): Book | null {
    const kind = port.configuration.methods[priority];
    if (kind !== 'credit' && kind !== 'cbfc') return null;
    const terms = kind === 'credit' ? creditTerms(port) : cbfcTerms(port, priority);
    const why = whyUnknown(this.configuration, port) ?? (typeof terms === 'string' ? terms : null);
    if (why !== null || typeof terms === 'string') {
      this.verdict.decline(kind, why ?? '');
      return null;
    }
    return { kind, ...terms, used: 0, limit: null, passed: 0, stored: 0, isBlurred: false };
  }
}

type Terms = Pick<Book, 'unit' | 'overhead' | 'channel'>;

/** Of the receiver at the other end; or why they are not known. */
function creditTerms({ device, peer }: Port): Terms | string {
  const [own, other] = [device, peer.device].map(
    ({ configuration: { settings } }) => settings.mechanisms['credit'] as CreditSection,
  ) as [CreditSection, CreditSection];
  if (own.counts !== 'cumulative' || other.counts !== 'cumulative') return 'incremental counts';
  if (other.unit === 'mtu') return 'units of the longest frame';
  if (own.channels.length > 0 || own.tags) return 'channels, or tags, of credit';
  if (own.age !== 'off' || own.codec !== 'ce') return 'credit that ages, or another codec';
  return { unit: other.unit, overhead: 0, channel: 0 };
}

interface CreditSection {
  readonly unit: number | 'mtu';
  readonly counts: string;
  readonly channels: readonly object[];
  readonly tags: boolean;
  readonly age: number | 'off';
  readonly codec: string;
}

const USUAL_CREDIT = 128;

function cbfcTerms({ device, peer }: Port, priority: number): Terms | string {
  const [own, other] = [device, peer.device].map(
    ({ configuration: { settings } }) => settings.mechanisms['cbfc'] as CbfcSection,
  ) as [CbfcSection, CbfcSection];
  if (other.creditSize === 'auto' && other.buffer !== 'auto') return 'a size of credits by buffer';
  const receivers = other.creditSize === 'auto' ? USUAL_CREDIT : other.creditSize;
  const sizes = own.senderSizes.filter((size) => size <= receivers);
  const channel = own.channels[priority]!;
  return { unit: Math.max(...sizes), overhead: other.overhead, channel };
}

interface CbfcSection {
  readonly creditSize: number | 'auto';
  readonly senderSizes: readonly number[];
  readonly overhead: number;
  readonly channels: readonly number[];
  readonly buffer: number | 'auto';
}

function costOf({ unit, overhead }: Book, octets: number): number {
  return Math.max(1, Math.ceil((octets + overhead) / unit));
}

function isOf(book: Book | null, channel: number): boolean {
  return book?.kind === 'cbfc' && book.channel === channel;
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
