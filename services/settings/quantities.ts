/** Quantities with units (`100G`, `1.5us`, `64KiB`), exact in base units or refused. */

import { didYouMean, show } from './errors.js';

export class QuantityError extends Error {}

/** Notation of a quantity in a file: as text, and as a plain number where that is allowed. */
export interface WrittenForm {
  readonly pattern: string;
  /** Null: only text. */
  readonly number: NumberRange | null;
}

/** Keywords of JSON Schema. */
interface NumberRange {
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
}

export interface Quantity {
  /** With its article, as in `not a time: 500`. */
  readonly name: string;
  /** The allowed notation, for errors, for `explain` and for editors. */
  readonly allowed: string;
  /** The same for validators of JSON Schema. */
  readonly written: WrittenForm;
  /** Base units; throws QuantityError. */
  readonly parse: (value: string | number) => number;
}

const ZERO = '0{1,16}(?:\\.0{1,20})?';
const DECIMAL = '\\d{1,16}(?:\\.\\d{1,20})?';
const bareDecimal = new RegExp(`^${DECIMAL}$`);

/** The decimal `text` times `factor` in exact arithmetic; null if that is not a whole number. */
function scaled(text: string, factor: bigint): bigint | null {
  const [whole, fraction = ''] = text.split('.');
  const product = BigInt(whole! + fraction) * factor;
  const divisor = 10n ** BigInt(fraction.length);
  return product % divisor === 0n ? product / divisor : null;
}

interface UnitOptions {
  readonly name: string;
  readonly allowed: string;
  readonly units: Readonly<Record<string, bigint>>;
  readonly base: string;
  /** A number without unit counts in base units; otherwise only 0 needs no unit. */
  readonly bare: boolean;
}

function withUnits(options: UnitOptions): Quantity {
  const { name, allowed, units, base } = options;
  const names = Object.keys(units).sort((a, b) => b.length - a.length);
  const shape = new RegExp(`^(${DECIMAL}) ?(${names.join('|')})$`);
  const parse = (value: string | number): number => {
    const written = String(value);
    const match = shape.exec(written);
    const bare = bareDecimal.test(written) && (options.bare || Number(written) === 0);
    if (match === null && !bare) {
      const unit = /^[\d. ]+([^\d. ].*)$/.exec(written)?.[1] ?? '';
      // Of two spellings the error knows one.
      const listed = names.filter((known) => allowed.includes(known));
      const meant = unit ? didYouMean(unit, listed) : '';
      throw new QuantityError(`not ${name}: ${show(value)}; write ${allowed}${meant}`);
    }
    const exact = scaled(match?.[1] ?? written, match === null ? 1n : units[match[2]!]!);
    if (exact === null) {
      throw new QuantityError(`not a whole number of ${base}: ${show(value)}; write ${allowed}`);
    }
    if (exact > BigInt(Number.MAX_SAFE_INTEGER)) {
      throw new QuantityError(`too large: ${show(value)}; at most 2^53 - 1 ${base}`);
    }
    return Number(exact);
  };
  return { name, allowed, written: writtenWithUnits(options), parse };
}

function writtenWithUnits({ units, bare }: UnitOptions): WrittenForm {
  const withUnit = Object.entries(units).map(([unit, factor]) => `${wholeIn(factor)} ?${unit}`);
  const withoutUnit = bare ? wholeIn(1n) : ZERO;
  return {
    pattern: `^(?:${[...withUnit, withoutUnit].join('|')})$`,
    number: { minimum: 0, maximum: bare ? Number.MAX_SAFE_INTEGER : 0, multipleOf: 1 },
  };
}

/**
 * Pattern of decimals that are whole numbers when multiplied by `factor`. Of binary factors it
 * checks only that the last digit is a 5, and of none an upper limit.
 */
function wholeIn(factor: bigint): string {
  const whole = '\\d{1,16}';
  if (factor === 1n) return `${whole}(?:\\.0{1,20})?`;
  const digits = factor.toString().length - 1;
  const isDecimal = factor === 10n ** BigInt(digits);
  const fraction = isDecimal
    ? `\\d{1,${digits}}0{0,${20 - digits}}`
    : `(?:\\d{0,${factor.toString(2).length - 2}}5)?0{0,20}`;
  return `${whole}(?:\\.(?=\\d)${fraction})?`;
}

export const time = withUnits({
  name: 'a time',
  allowed: 'a number with ps, ns, us, ms or s, such as 500us',
  units: {
    ps: 1n,
    ns: 1_000n,
    us: 1_000_000n,
    µs: 1_000_000n,
    ms: 1_000_000_000n,
    s: 1_000_000_000_000n,
  },
  base: 'picoseconds',
  bare: false,
});

export const size = withUnits({
  name: 'a size',
  allowed: 'bytes as a plain number, or with B, KB, MB, GB (1000) or KiB, MiB, GiB (1024)',
  units: {
    B: 1n,
    kB: 1_000n,
    KB: 1_000n,
    MB: 1_000_000n,
    GB: 1_000_000_000n,
    TB: 1_000_000_000_000n,
    KiB: 1_024n,
    MiB: 1_048_576n,
    GiB: 1_073_741_824n,
  },
  base: 'bytes',
  bare: true,
});

/** In millimetres. */
export const length = withUnits({
  name: 'a length',
  allowed: 'a number with mm, cm, m or km, such as 5m',
  units: { mm: 1n, cm: 10n, m: 1_000n, km: 1_000_000n },
  base: 'millimetres',
  bare: false,
});

const RATE_PREFIXES = {
  k: 1_000n,
  K: 1_000n,
  M: 1_000_000n,
  G: 1_000_000_000n,
  T: 1_000_000_000_000n,
};

function rateUnits(): Record<string, bigint> {
  const units: Record<string, bigint> = {};
  for (const [prefix, factor] of Object.entries({ ...RATE_PREFIXES, '': 1n })) {
    if (prefix !== '') units[prefix] = factor;
    for (const unit of ['b/s', 'bps', 'bit/s']) units[prefix + unit] = factor;
  }
  return units;
}

export const rate = withUnits({
  name: 'a rate',
  allowed: 'bit/s with k, M, G or T, such as 40G or 2.5Gb/s',
  units: rateUnits(),
  base: 'bit/s',
  bare: false,
});

/** Rates of IEEE 802.3 that this emulator knows; a bit time of each is whole in picoseconds. */
export const LINK_RATES: readonly string[] = [
  '10M',
  '100M',
  '1G',
  '2.5G',
  '5G',
  '10G',
  '25G',
  '40G',
  '50G',
  '100G',
  '200G',
  '400G',
  '800G',
  '1T',
  '1.6T',
];

const linkRatesBps = new Set(LINK_RATES.map((text) => rate.parse(text)));

/** 2.5 Gb/s may be written 2500M, and 0.0025T. */
function writtenLinkRate(): WrittenForm {
  const units = Object.entries(rateUnits());
  const spellings = LINK_RATES.flatMap((text) =>
    units.map(([unit, factor]) => {
      const [whole, fraction] = quotient(BigInt(rate.parse(text)), factor);
      const trailing = fraction === '' ? '(?:\\.0{1,20})?' : `\\.${fraction}0{0,10}`;
      return `0*${whole}${trailing} ?${unit}`;
    }),
  );
  return { pattern: `^(?:${spellings.join('|')})$`, number: null };
}

/** Whole part and digits behind the point of `value / unit`, which ends within 12 digits. */
function quotient(value: bigint, unit: bigint): readonly [string, string] {
  const fraction = ((value % unit) * 10n ** 12n) / unit;
  return [String(value / unit), String(fraction).padStart(12, '0').replace(/0+$/, '')];
}

export const linkRate: Quantity = {
  ...rate,
  written: writtenLinkRate(),
  name: 'a rate of Ethernet',
  allowed: `one of ${LINK_RATES.join(', ')}`,
  parse: (value) => {
    const bps = rate.parse(value);
    if (linkRatesBps.has(bps)) return bps;
    throw new QuantityError(
      `not a rate of Ethernet: ${show(value)}; one of ${LINK_RATES.join(', ')}`,
    );
  },
};

/** A rate in messages: by its Ethernet name if it has one. */
export function showRate(bps: number): string {
  return LINK_RATES.find((text) => rate.parse(text) === bps) ?? `${bps} bit/s`;
}

const shareShape = new RegExp(`^(${DECIMAL}) ?(%?)$`);
const PERCENTAGE = '0*(?:\\d{1,2}(?:\\.\\d{1,20})?|100(?:\\.0{1,20})?) ?%';
const FRACTION = '0*(?:0(?:\\.\\d{1,20})?|1(?:\\.0{1,20})?) ?';

/** A share from 0 to 1, written `30%` or `0.3`. */
export const share: Quantity = {
  name: 'a share',
  allowed: 'a percentage such as 30%, or a number from 0 to 1',
  written: { pattern: `^(?:${PERCENTAGE}|${FRACTION})$`, number: { minimum: 0, maximum: 1 } },
  parse: (value) => {
    const parsed = typeof value === 'number' ? value : writtenShare(value);
    if (parsed >= 0 && parsed <= 1) return parsed;
    throw new QuantityError(
      `not a share: ${show(value)}; write a percentage such as 30%, or a number from 0 to 1`,
    );
  },
};

/** A part or a multiple of a whole, up to ten times it. */
export const multiple: Quantity = {
  name: 'a multiple',
  allowed: 'a percentage such as 50% or 150%, or a number from 0 to 10',
  written: {
    pattern: '^0*(?:(?:\\d{1,3}(?:\\.\\d{1,20})?|1000) ?%|(?:\\d(?:\\.\\d{1,20})?|10) ?)$',
    number: { minimum: 0, maximum: 10 },
  },
  parse: (value) => {
    const parsed = typeof value === 'number' ? value : writtenShare(value);
    if (parsed >= 0 && parsed <= 10) return parsed;
    throw new QuantityError(`not a multiple: ${show(value)}; write ${multiple.allowed}`);
  },
};

function writtenShare(text: string): number {
  const match = shareShape.exec(text);
  return match === null ? NaN : Number(match[1]) / (match[2] === '%' ? 100 : 1);
}

/** The same, without zero. */
export function aboveZero(of: Quantity): Quantity {
  const parse = (value: string | number): number => {
    const parsed = of.parse(value);
    if (parsed > 0) return parsed;
    throw new QuantityError(`not above 0: ${show(value)}; write ${of.allowed}`);
  };
  return { ...of, written: writtenAboveZero(of.written), parse };
}

function writtenAboveZero({ pattern, number }: WrittenForm): WrittenForm {
  const isOnlyZero = number?.maximum === 0;
  const { minimum: _, ...range } = number ?? {};
  return {
    pattern: `^(?=.*[1-9])${pattern.slice(1)}`,
    number: number === null || isOnlyZero ? null : { ...range, exclusiveMinimum: 0 },
  };
}
