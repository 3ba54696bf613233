/**
 * What a page receives of a run that goes on: plain data, in JSON. The page runs in a browser and
 * imports nothing else.
 */

export type LiveState = 'waiting' | 'running' | 'paused' | 'over';

/** How far a run is. */
export interface LiveStatus {
  readonly state: LiveState;
  readonly virtualPs: number;
  /** Null where it ends with its load. */
  readonly endPs: number | null;
  readonly share: number;
  readonly frameHops: number;
  /** What is waited for or went wrong, for people. */
  readonly detail: string;
}

/** What all ports did in a span of virtual time; an octet each, in base64. */
export interface LiveSpan {
  readonly fromPs: number;
  readonly timePs: number;
  /** Shares of the span. */
  readonly busy: string;
  readonly blocked: string;
  /** Shares of `queueMax`. */
  readonly queue: string;
  readonly queueMax: number;
  /** In all ports so far. */
  readonly drops: number;
  /** The same by priority, of those that anything happened to. */
  readonly priorities: readonly LivePriority[];
}

/** Port by port, in base64; empty: zero at all of them. */
export interface LivePriority {
  readonly priority: number;
  /** An octet each: shares of the span. */
  readonly busy: string;
  readonly blocked: string;
  /** Four octets each, a floating number. */
  readonly queueOctets: string;
  readonly ingressOctets: string;
  readonly grantedUnits: string;
  /** In the span. */
  readonly drops: string;
}

/** A fault that was injected, in words, and when it took effect. */
export interface ShownFault {
  readonly name: string;
  readonly text: string;
  readonly atPs: number;
  /** It cannot be ended any more. */
  readonly isOver: boolean;
}

/** A fault in the words of a scenario, to have or to end. */
export type LiveRequest =
  | { readonly kind: 'inject'; readonly fault: Readonly<Record<string, unknown>> }
  | { readonly kind: 'clear'; readonly name: string };

/** Whatever is new; a page that connects receives everything that is kept. */
export interface LiveNews {
  readonly status: LiveStatus;
  readonly spans: readonly LiveSpan[];
  /** The spans are all that is kept, and take the place of those sent before. */
  readonly isAnew: boolean;
  readonly faults: readonly ShownFault[];
}

export type LiveAction = 'pause' | 'resume' | 'step' | 'stop';

export interface LiveOrder {
  readonly action: LiveAction;
  /** Of virtual time, with `step`; 0: as little as there is. */
  readonly stepPs: number;
}

/** Whether something was done, and if not, why not. */
export interface LiveAnswer {
  readonly done: boolean;
  readonly detail: string;
}
