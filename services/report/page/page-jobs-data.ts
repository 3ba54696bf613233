/** A job on a page: what its ranks did over time, and the path that decided its end. */
export interface JobView {
  readonly name: string;
  readonly startPs: number;
  readonly endPs: number;
  readonly isDone: boolean;
  /** In their order; of a large job those that are on its critical path most, and the first. */
  readonly ranks: readonly RankView[];
  /** Of all, how many ranks there are. */
  readonly rankCount: number;
  /** In order, without a gap; short parts of one kind at one rank are one. */
  readonly path: readonly PathBar[];
}

export interface RankView {
  readonly rank: number;
  readonly host: string;
  /** In order of their starts; some overlap. */
  readonly bars: readonly RankBar[];
}

/** Of operations of one kind that follow each other, as they are when there are many. */
export interface RankBar {
  readonly kind: 'compute' | 'communicate';
  readonly startPs: number;
  readonly endPs: number;
  /** Such as `all-reduce of 64 MB`; of several operations how many they are. */
  readonly what: string;
  /** The flows of its messages to this rank, a few of them. */
  readonly flows: readonly string[];
}

/** A part of the critical path. */
export interface PathBar {
  readonly kind: 'compute' | 'message' | 'box' | 'sending';
  /** Rank that sent, and that received; the same where nothing was sent. */
  readonly from: number;
  readonly rank: number;
  readonly startPs: number;
  readonly endPs: number;
  readonly flow: string | null;
}
