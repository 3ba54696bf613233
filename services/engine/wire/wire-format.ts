/**
 * Where the fields of a format are: octets are encoded without a field and with all of its bits,
 * and compared.
 */

type Encode<R> = (octets: Uint8Array, at: number, record: R) => unknown;

interface WireField {
  readonly name: string;
  readonly meaning: string;
  /** All bits that are of this field are set. */
  readonly mask: Uint8Array;
}

/** Octets that are the same in all of a format: name, place and count. */
type Fixed = readonly [string, number, number];

export interface WireFormat {
  readonly title: string;
  /** Where it is defined, what carries it. */
  readonly about: string;
  readonly fields: readonly WireField[];
  readonly fixed: readonly Fixed[];
  readonly example: Uint8Array;
}

/** A field, its meaning, what sets all of its bits, and what the record is without it. */
export type Described<R> = readonly [string, string, Partial<R>, Partial<R>?];

interface Codec<R> {
  readonly length: number;
  readonly encode: Encode<R>;
  readonly blank: R;
  readonly fixed?: readonly Fixed[];
}

export function format<R extends object>(
  [title, about]: readonly [string, string],
  codec: Codec<R>,
  fields: readonly Described<R>[],
  example: Partial<R>,
): WireFormat {
  const encoded = (...changes: Partial<R>[]): Uint8Array => {
    const octets = new Uint8Array(codec.length);
    codec.encode(octets, 0, Object.assign({}, codec.blank, ...changes) as R);
    return octets;
  };
  return {
    ...{ title, about, fixed: codec.fixed ?? [] },
    fields: fields.map(([name, meaning, set, without = {}]) => {
      const [zeros, ones] = [encoded(without), encoded(without, set)];
      return { name, meaning, mask: zeros.map((octet, i) => octet ^ ones[i]) };
    }),
    example: encoded(example),
  };
}
