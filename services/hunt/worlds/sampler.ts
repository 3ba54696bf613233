import { RandomStream } from '../../engine/kernel/random.js';

/** Samples of one named stream, in the forms that a generator needs. */
export class Sampler {
  readonly stream: RandomStream;

  constructor(seed: number, name: string) {
    this.stream = new RandomStream(seed, name);
  }

  below(n: number): number {
    return this.stream.below(n);
  }

  /** An integer from `least` to `most`. */
  between(least: number, most: number): number {
    return least + this.stream.below(most - least + 1);
  }

  chance(probability: number): boolean {
    return this.stream.uniform() < probability;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.stream.below(values.length)]!;
  }

  /** From `least` to `most` different values, in random order. */
  some<T>(values: readonly T[], least: number, most: number): T[] {
    const shuffled = [...values];
    this.stream.shuffle(shuffled);
    return shuffled.slice(0, Math.min(values.length, this.between(least, most)));
  }

  /** Logarithmic: short times are as likely as long ones. */
  spread(least: number, most: number): number {
    return Math.round(least * (most / least) ** this.stream.uniform());
  }
}
