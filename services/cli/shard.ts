import { InputError } from './exit.js';

/** One of several processes that share the runs of a sweep or a hunt. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** All runs are those of this process. */
export const WHOLE: Shard = { index: 0, count: 1 };

/** `--shard 0/4` as a user writes it. */
export function shardOf(text: string | undefined): Shard {
  if (text === undefined) return WHOLE;
  const [, index, count] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? [];
  if (Number(index) < Number(count)) return { index: Number(index), count: Number(count) };
  throw new InputError(`--shard ${text}: write the number of a part, from 0, and of all, as 0/4`);
}

/** The runs of a part: those of all parts follow each other, and are as many but for one. */
export function shareOf({ index, count }: Shard, runs: number): { from: number; count: number } {
  const from = Math.floor((index * runs) / count);
  return { from, count: Math.floor(((index + 1) * runs) / count) - from };
}
