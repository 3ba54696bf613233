import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../kit/emulate.js';

/** Vectors made by a model that shares no code with the emulator. */

/** A finite list of frames, or one that repeats without end. */
export interface Supply {
  readonly pattern?: readonly number[];
  readonly frames?: readonly number[];
}

export interface Arrival {
  readonly tc?: number;
  readonly vm?: number;
  readonly from: number;
  readonly every?: number;
  readonly frames: readonly number[];
}

interface Stall {
  readonly tc?: number;
  readonly vm?: number;
  readonly fromGrant: number;
  readonly toGrant: number;
}

interface Expected {
  readonly first50: readonly (readonly number[])[];
  readonly grants: number;
  readonly grantsBy: Readonly<Record<string, number>>;
  readonly octetsBy: Readonly<Record<string, number>>;
}

type ByClass = Readonly<Record<string, number>>;

export interface WspVector {
  readonly name: string;
  readonly config: {
    readonly mode: 'WSP' | 'RR';
    readonly recycle: boolean;
    readonly tcs: Readonly<
      Record<string, { bwg: number; refill: number; max: number; lsp?: boolean; gsp?: boolean }>
    >;
    readonly queues: Readonly<Record<string, Supply>>;
    readonly arrivals?: readonly Arrival[];
    readonly stalls?: readonly Stall[];
  };
  readonly expect: Expected & {
    readonly cycles: number;
    readonly lowestCredit: ByClass;
    readonly trace: readonly {
      readonly tc: number;
      readonly cycles: number;
      readonly tcCredit: ByClass;
      readonly bwgCredit: ByClass;
    }[];
  };
}

export interface VmVector {
  readonly name: string;
  readonly config: {
    readonly vmpac: boolean;
    readonly refillUnits: readonly number[];
    readonly queues: readonly Supply[];
    readonly arrivals?: readonly Arrival[];
    readonly rateOff?: readonly Stall[];
  };
  readonly expect: Expected & {
    readonly rounds: number;
    readonly lowestCredit: readonly number[];
    readonly trace: readonly {
      readonly vm: number;
      readonly rounds: number;
      readonly credit: readonly number[];
    }[];
  };
}

export interface RateVector {
  readonly name: string;
  readonly config: {
    readonly linkMbps: number;
    readonly targetMbps: number;
    readonly mmwKB: number;
    readonly pattern: readonly number[];
    readonly block?: { readonly first: number; readonly every: number; readonly length: number };
  };
  readonly expect: {
    readonly rfRaw: number;
    readonly rttbcnrc: string;
    readonly mifs: ByClass;
    readonly mmwTime: number;
    readonly first50: readonly (readonly number[])[];
    readonly frames: number;
    readonly saturations: number;
    readonly lastStart: number;
    readonly lastStamp: number;
    readonly octets: number;
    readonly rateMbps: number;
  };
}

interface StampVector {
  readonly old: number;
  readonly length: number;
  readonly now: number;
  readonly rfRaw: number;
  readonly mmwKB: number;
  readonly expect: { mifs: number; mmwTime: number; new: number; saturated: boolean };
}

export interface DriftVector {
  readonly name: string;
  readonly config: { linkMbps: number; targetMbps: number; driftFacRaw: number };
  readonly expect: {
    readonly intervals: number;
    readonly rfRaw: readonly number[];
    readonly rfRawLast4: readonly number[];
    readonly rateMbpsAfter: Readonly<Record<string, number>>;
    readonly rsEnaAtEnd: boolean;
  };
}

interface RefillExpected {
  readonly minCredit: number;
  readonly multiplier: number;
  readonly refill: readonly number[];
  readonly max: readonly number[];
  readonly rttpt2c: readonly string[];
}

interface Vectors {
  readonly wsp: readonly WspVector[];
  readonly vmWrr: readonly VmVector[];
  readonly rate: readonly RateVector[];
  readonly stamp: readonly StampVector[];
  readonly drift: readonly DriftVector[];
  readonly driverCredits: {
    readonly ieee: readonly {
      readonly percent: readonly number[];
      readonly maxFrame: number;
      readonly expect: RefillExpected;
    }[];
    readonly cee: readonly {
      readonly tc: readonly (readonly [number, number])[];
      readonly bwgPercent: readonly number[];
      readonly maxFrame: number;
      readonly expect: RefillExpected & { readonly linkPercent: readonly number[] };
    }[];
  };
}

export const vectors = JSON.parse(
  readFileSync(join(ROOT, 'test/unit/engine/nic-82599/arbiter-vectors.json'), 'utf8'),
) as Vectors;

/** Frames waiting behind an arbiter, as the vectors describe them. */
export class Backlog {
  private readonly finite: number[];
  private taken = 0;

  constructor(private readonly supply: Supply) {
    this.finite = [...(supply.frames ?? [])];
  }

  add(frames: readonly number[]): void {
    this.finite.push(...frames);
  }

  /** Length of the first frame; undefined if none waits. */
  head(): number | undefined {
    const { pattern } = this.supply;
    return pattern ? pattern[this.taken % pattern.length] : this.finite[this.taken];
  }

  take(): number {
    const head = this.head()!;
    this.taken++;
    return head;
  }
}

export function arrivesAt({ from, every }: Arrival, grant: number): boolean {
  if (every === undefined) return grant === from;
  return grant >= from && (grant - from) % every === 0;
}
