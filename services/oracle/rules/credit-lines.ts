/**
 * Lines of frames that need credit: where several channels or priorities share a traffic class,
 * one frame at a time takes its place there, and others have a line each. Of the lines whose first
 * frame has credit the one is served that is furthest behind its share (start-time fair queueing,
 * Goyal et al. 1996, by octets of the link).
 */

import { lineOctets, ORDERED_SET, PRIORITIES } from '../ethernet.js';
import type { Observer, Start } from '../model/observer.js';
import type { Device, Port, Queued } from '../model/port.js';
import type { Book, CreditBooks } from './credit-books.js';

/** A traffic class with several lines. */
interface Lines {
  readonly trafficClass: number;
  readonly books: readonly Book[];
  /** By line: where its last frame ends in virtual time. */
  readonly ends: Map<Book, number>;
  /** Virtual time: the start of the frame that was served last. */
  nowAt: number;
  place: Queued | null;
}

export class CreditLines implements Observer {
  private readonly lines = new Map<Port, readonly Lines[]>();

  constructor(
    devices: readonly Device[],
    private readonly books: CreditBooks,
  ) {
    for (const port of devices.flatMap(({ ports }) => [...ports])) {
      const own = PRIORITIES.map((trafficClass) => ({
        trafficClass,
        books: this.books.booksOfClass(port, trafficClass).filter(({ kind }) => kind === 'credit'),
      })).filter(({ books: some }) => some.length > 1);
      if (own.length === 0) continue;
      const blank = { nowAt: 0, place: null };
      this.lines.set(
        port,
        own.map((line) => ({ ...line, ...blank, ends: new Map(line.books.map((b) => [b, 0])) })),
      );
    }
  }

  /** Why it is not known what a port may send; null: it is, or needs no credit. */
  whyUnknown(port: Port): string | null {
    return this.books.whyUnknown(port);
  }

  /** The frame of a class that is next; undefined: none is. */
  head(port: Port, trafficClass: number): Queued | undefined {
    const own = this.at(port, trafficClass);
    if (own !== undefined) return own.place ?? undefined;
    const [first] = port.queues[trafficClass]!;
    if (first === undefined) return undefined;
    const book = this.books.bookOf(port, first.frame);
    return book === null || this.books.mayStart(port, book, first.frame.octets) ? first : undefined;
  }

  joined(out: Port): void {
    this.fill(out);
  }

  started(port: Port, { queued }: Start): void {
    const own = this.at(port, queued.trafficClass);
    if (own?.place === queued) own.place = null;
    this.fill(port);
  }

  discarded(port: Port, queued: Queued): void {
    const own = this.at(port, queued.trafficClass);
    if (own?.place === queued) own.place = null;
    this.fill(port);
  }

  controlEffective(port: Port, octets: Uint8Array): void {
    if (octets.length === ORDERED_SET) return;
    const own = this.lines.get(port) ?? [];
    // A new epoch is asked for: places are given back, and given once more.
    const isWithdrawn = own.some(({ books }) => books.some((b) => b.isWithdrawn));
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
    for (const own of this.lines.get(port) ?? []) {
      if (own.place === null) this.choose(port, own);
    }
  }

  private choose(port: Port, own: Lines): void {
    const queue = port.queues[own.trafficClass]!;
    const ready = own.books.flatMap((book) => {
      const first = queue.find(({ frame }) => this.books.bookOf(port, frame) === book);
      const isReady = first !== undefined && this.books.mayStart(port, book, first.frame.octets);
      return isReady ? [{ book, first, startAt: Math.max(own.nowAt, own.ends.get(book)!) }] : [];
    });
    if (ready.length === 0) return;
    const next = ready.reduce((best, one) => (one.startAt < best.startAt ? one : best));
    own.place = next.first;
    own.nowAt = next.startAt;
    const octets = lineOctets(next.first.frame.octets);
    own.ends.set(next.book, next.startAt + octets / next.book.share);
  }

  private at(port: Port, trafficClass: number): Lines | undefined {
    return this.lines.get(port)?.find((own) => own.trafficClass === trafficClass);
  }
}
