type Numbers = Int32Array | Float64Array | Uint8Array;

/** Numbers without zeros: most of the rows of a device are never written. */
export interface SparseNumbers<Kind extends Numbers> {
  readonly length: number;
  /** Pairs: where numbers begin that are not zero, and how many. */
  readonly stretches: Int32Array;
  readonly values: Kind;
}

export function sparseOf<Kind extends Numbers>(numbers: Kind): SparseNumbers<Kind> {
  const writer = new SparseWriter(numbers.slice(0, 0) as Kind);
  writer.add(numbers, 0, numbers.length);
  return writer.take();
}

export function denseOf<Kind extends Numbers>(sparse: SparseNumbers<Kind>): Kind {
  const { length, stretches, values } = sparse;
  const dense = new (values.constructor as new (length: number) => Kind)(length);
  let from = 0;
  for (let i = 0; i < stretches.length; i += 2) {
    const to = from + stretches[i + 1];
    dense.set(values.subarray(from, to), stretches[i]);
    from = to;
  }
  return dense;
}

/** Collects numbers from several arrays, one behind the other. */
export class SparseWriter<Kind extends Numbers> {
  private length = 0;
  private count = 0;
  private stretches = new Int32Array(64);
  private stretchWords = 0;
  /** Where the last stretch ends. */
  private end = -1;

  /** `values`: of the kind to be written; it is replaced as it gets full. */
  constructor(private values: Kind) {}

  add(numbers: Kind, from: number, to: number): void {
    const shift = this.length - from;
    for (let i = from; i < to; i++) {
      const value = numbers[i];
      // Negative zero is no zero here.
      if (!Object.is(value, 0)) this.push(shift + i, value);
    }
    this.length += to - from;
  }

  /** What was added since the last time. */
  take(): SparseNumbers<Kind> {
    const { length, count, stretchWords } = this;
    this.length = this.count = this.stretchWords = 0;
    this.end = -1;
    return {
      length,
      stretches: this.stretches.slice(0, stretchWords),
      values: this.values.slice(0, count) as Kind,
    };
  }

  private push(at: number, value: number): void {
    if (at === this.end) this.stretches[this.stretchWords - 1]++;
    else this.begin(at);
    this.end = at + 1;
    if (this.count === this.values.length) this.values = doubled(this.values);
    this.values[this.count++] = value;
  }

  private begin(at: number): void {
    if (this.stretchWords === this.stretches.length) this.stretches = doubled(this.stretches);
    this.stretches[this.stretchWords++] = at;
    this.stretches[this.stretchWords++] = 1;
  }
}

/** Puts numbers back into several arrays, in the order in which they were collected. */
export class SparseReader<Kind extends Numbers> {
  private at = 0;
  private stretch = 0;
  private next = 0;

  constructor(private readonly sparse: SparseNumbers<Kind>) {}

  /** As many numbers were read as there are. */
  get isAtEnd(): boolean {
    return this.at === this.sparse.length;
  }

  /** Memory that has these numbers already is only read: what was never written takes none. */
  read(into: Kind, from: number, to: number): void {
    const { stretches, values } = this.sparse;
    const shift = this.at - from;
    for (let i = from; i < to;) {
      const first = this.stretch < stretches.length ? stretches[this.stretch] - shift : to;
      for (const end = Math.min(first, to); i < end; i++) {
        if (!Object.is(into[i], 0)) into[i] = 0;
      }
      if (i === to) break;
      const end = Math.min(first + stretches[this.stretch + 1], to);
      const offset = this.next - first;
      for (; i < end; i++) into[i] = values[offset + i];
      if (end === first + stretches[this.stretch + 1]) {
        this.next += stretches[this.stretch + 1];
        this.stretch += 2;
      }
    }
    this.at += to - from;
  }
}

function doubled<Kind extends Numbers>(values: Kind): Kind {
  const Kind = values.constructor as new (length: number) => Kind;
  const larger = new Kind(Math.max(64, 2 * values.length));
  larger.set(values);
  return larger;
}
