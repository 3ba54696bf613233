import type { LiveSpan } from '../report/page/live-data.js';
import { octetsOf, sharesOctet } from '../report/page/page-series.js';
import type { PortColumns, PortSample } from '../runtime/port-sample.js';
import { blankColumns } from '../runtime/port-sample.js';

/** What all ports did between two samples; shares as octets. */
interface Span {
  readonly fromPs: number;
  readonly timePs: number;
  readonly busy: Uint8Array;
  readonly held: Uint8Array;
  readonly queueOctets: Float32Array;
  readonly drops: number;
}

/** Octets of all spans together: what is kept for a page that comes later. */
const KEPT_OCTETS = 12e6;
const SPANS = { min: 32, max: 512 };
const OCTETS_OF_PORT = 6;

/**
 * What is known of a run so far, from samples of its ports. However long the run is, it takes the
 * same memory: when it is full, two spans next to each other become one.
 */
export class LiveSpans {
  private readonly most: number;
  private spans: Span[] = [];
  private lastPs = 0;
  private last: PortColumns;
  /** What was told before no longer stands. */
  private isAnew = false;

  constructor(private readonly ratesBps: readonly number[]) {
    const ports = ratesBps.length;
    const fitting = Math.floor(KEPT_OCTETS / (OCTETS_OF_PORT * Math.max(1, ports)));
    this.most = Math.min(SPANS.max, Math.max(SPANS.min, fitting));
    this.last = blankColumns(ports);
  }

  /** Takes a sample; null if no time has passed since the last one. */
  take({ timePs, columns }: PortSample): LiveSpan | null {
    if (timePs < this.lastPs) this.goBack(timePs, columns);
    const spanPs = timePs - this.lastPs;
    if (spanPs <= 0) return null;
    const { last } = this;
    const shares = (share: (port: number) => number): Uint8Array =>
      Uint8Array.from(this.ratesBps, (_, port) => sharesOctet(share(port)));
    const span: Span = {
      fromPs: this.lastPs,
      timePs,
      busy: shares((port) => {
        const octets = columns.wireOctets[port]! - last.wireOctets[port]!;
        return (octets * 8e12) / (this.ratesBps[port]! * spanPs);
      }),
      held: shares((port) => (columns.heldPs[port]! - last.heldPs[port]!) / spanPs),
      queueOctets: Float32Array.from(columns.queueOctets),
      drops: columns.drops.reduce((sum, drops) => sum + drops, 0),
    };
    this.last = columns;
    this.lastPs = timePs;
    this.spans.push(span);
    if (this.spans.length > this.most) {
      this.spans = halved(this.spans);
      this.isAnew = true;
    }
    return spoken(span);
  }

  /** Whether everything has to be told again; asked once. */
  takeAnew(): boolean {
    const { isAnew } = this;
    this.isAnew = false;
    return isAnew;
  }

  /** Everything that is kept, the oldest first. */
  all(): LiveSpan[] {
    return this.spans.map(spoken);
  }

  /** A run that lost a service goes on at a checkpoint; what came behind that comes again. */
  private goBack(timePs: number, columns: PortColumns): void {
    this.spans = this.spans.filter((span) => span.timePs <= timePs);
    this.lastPs = timePs;
    this.last = columns;
    this.isAnew = true;
  }
}

function spoken(span: Span): LiveSpan {
  const { fromPs, timePs, busy, held, queueOctets, drops } = span;
  const queueMax = queueOctets.reduce((a, b) => Math.max(a, b), 0);
  const queue = Uint8Array.from(queueOctets, (octets) =>
    queueMax === 0 ? 0 : sharesOctet(octets / queueMax),
  );
  return {
    ...{ fromPs, timePs, queueMax, drops },
    ...{ busy: octetsOf(busy), held: octetsOf(held), queue: octetsOf(queue) },
  };
}

function halved(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (let i = 0; i + 1 < spans.length; i += 2) merged.push(together(spans[i]!, spans[i + 1]!));
  return spans.length % 2 === 0 ? merged : [...merged, spans.at(-1)!];
}

function together(a: Span, b: Span): Span {
  const weight = (a.timePs - a.fromPs) / (b.timePs - a.fromPs);
  const mean = (x: Uint8Array, y: Uint8Array): Uint8Array =>
    x.map((value, port) => Math.ceil(value * weight + y[port]! * (1 - weight)));
  return {
    ...{ fromPs: a.fromPs, timePs: b.timePs, drops: b.drops },
    busy: mean(a.busy, b.busy),
    held: mean(a.held, b.held),
    queueOctets: a.queueOctets.map((octets, port) => Math.max(octets, b.queueOctets[port]!)),
  };
}
