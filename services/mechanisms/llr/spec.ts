/** What becomes of frames to be numbered while a sender does not number any. */
export const FRAME_ACTIONS = ['best-effort', 'block', 'discard'] as const;

export type FrameAction = (typeof FRAME_ACTIONS)[number];

/** Link-level retry at a port. */
export interface LlrPortSpec {
  /** Priorities whose frames have a number, one bit each. */
  readonly priorities: number;
  /** Most that may be outstanding. */
  readonly frames: number;
  readonly octets: number;
  readonly replayTimerPs: number;
  /** Replays without progress until it gives up. */
  readonly replays: number;
  readonly pcsLostPs: number;
  readonly dataAgePs: number;
  /** Least time between two acknowledgements. */
  readonly spacingPs: number;
  /** While it initialises; and when it has flushed, until it does. */
  readonly whileInit: FrameAction;
  readonly whileFlush: FrameAction;
  /** It initialises by itself when it has flushed. */
  readonly reinitialises: boolean;
  /** The longest frame of the link. */
  readonly longestOctets: number;
}

/** By port; null where it does not run. */
export interface LlrSpec {
  readonly ports: readonly (LlrPortSpec | null)[];
}
