import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RandomStream } from '../../services/engine/kernel/random.js';
import { ROOT } from '../kit/emulate.js';

/** Something that must survive whatever it is given. */
export interface Target {
  readonly name: string;
  /** Sound inputs to begin with, beside those of the corpus. */
  readonly seeds: readonly Uint8Array[];
  /** Of so many runs of the fuzzer one is for this target; slow ones get fewer. */
  readonly every: number;
  /** Throws if the input breaks it; what it makes of the input otherwise, in a word. */
  take(octets: Uint8Array): string;
}

export interface Tally {
  readonly runs: number;
  /** How often each outcome came. */
  readonly outcomes: ReadonlyMap<string, number>;
}

const CORPUS = join(ROOT, 'test/fuzz/corpus');
const LONGEST = 4096;
/** Values at the edges of what fields can hold. */
const EDGES = [0x00, 0x01, 0x7f, 0x80, 0xff];

/**
 * What broke a target once, or is near to it: `corpus/<target>-<what>.hex`, in small letters and
 * with `-` for blanks.
 */
export function corpusOf(target: string): Uint8Array[] {
  return readdirSync(CORPUS)
    .filter((file) => file.startsWith(`${target.toLowerCase().replaceAll(' ', '-')}-`))
    .map((file) => Buffer.from(readFileSync(join(CORPUS, file), 'utf8').trim(), 'hex'));
}

/** Gives a target its seeds, its corpus, and then mutants of these; throws with what broke it. */
export function fuzz(target: Target, runs: number, random: RandomStream): Tally {
  const pool = [...target.seeds, ...corpusOf(target.name)];
  const outcomes = new Map<string, number>();
  const take = (octets: Uint8Array): void => {
    let outcome: string;
    try {
      outcome = target.take(octets);
    } catch (error) {
      const input = Buffer.from(octets).toString('hex');
      throw new Error(`${target.name} broke by ${input}`, { cause: error });
    }
    const count = outcomes.get(outcome) ?? 0;
    outcomes.set(outcome, count + 1);
    // What has a new outcome is a better beginning than what began it.
    if (count === 0) pool.push(octets.slice());
  };
  for (const octets of [...pool]) take(octets);
  const count = Math.ceil(runs / target.every);
  for (let run = 0; run < count; run++) take(mutant(pool, random));
  return { runs: count, outcomes };
}

/** One to four changes to one input; now and then none of it is left. */
function mutant(pool: readonly Uint8Array[], random: RandomStream): Uint8Array {
  if (random.below(50) === 0) return noise(random);
  let octets: Uint8Array = pool[random.below(pool.length)]!.slice();
  const changes = 1 + random.below(4);
  for (let i = 0; i < changes; i++) octets = changed(octets, pool, random);
  return octets;
}

function noise(random: RandomStream): Uint8Array {
  return Uint8Array.from({ length: random.below(128) }, () => random.below(256));
}

function changed(
  octets: Uint8Array,
  pool: readonly Uint8Array[],
  random: RandomStream,
): Uint8Array {
  if (octets.length === 0) return noise(random);
  const at = random.below(octets.length);
  switch (random.below(6)) {
    case 0:
      octets[at]! ^= 1 << random.below(8);
      return octets;
    case 1:
      octets[at] = EDGES[random.below(EDGES.length)]!;
      return octets;
    case 2:
      octets[at] = random.below(256);
      return octets;
    case 3:
      return octets.slice(0, at);
    case 4:
      return spliced(octets, at, noise(random));
    default:
      return spliced(octets, at, pool[random.below(pool.length)]!);
  }
}

function spliced(octets: Uint8Array, at: number, middle: Uint8Array): Uint8Array {
  const joined = new Uint8Array(octets.length + middle.length);
  joined.set(octets.subarray(0, at));
  joined.set(middle, at);
  joined.set(octets.subarray(at), at + middle.length);
  return joined.subarray(0, LONGEST);
}
