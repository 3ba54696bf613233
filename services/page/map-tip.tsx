import type { JSX } from 'preact';
import { formatOctets, formatShare } from '../report/format.js';
import type { Theme } from './colours.js';
import type { Moment, RunView } from './run-view.js';
import { worstOf } from './run-view.js';

/** A hold shorter than this share of a span is not drawn as one. */
export const HELD_LEAST = 0.02;

export interface MapProps {
  readonly view: RunView;
  readonly moment: Moment | null;
  readonly theme: Theme;
  readonly chosen: number | null;
  readonly choose: (port: number) => void;
  /** Ports that are pointed out; null: all alike. */
  readonly marked?: ReadonlySet<number> | null;
}

export interface Tip {
  readonly ports: readonly number[];
  readonly title: string;
  readonly x: number;
  readonly y: number;
}

export function TipView(props: {
  readonly tip: Tip;
  readonly view: RunView;
  readonly moment: Moment | null;
}): JSX.Element {
  const { tip, view, moment } = props;
  const { busy, held, queueOctets } = worstOf(view, moment, tip.ports);
  const [only] = tip.ports;
  const peer = tip.ports.length === 1 ? view.run.ports[only!]!.peer : null;
  return (
    <div class="tip" style={{ left: `${tip.x + 14}px`, top: `${tip.y + 14}px` }}>
      <b>{peer === null ? tip.title : `${tip.title} → ${peer}`}</b>
      <span>sends {formatShare(busy)} of its rate</span>
      <span class={held >= HELD_LEAST ? 'bad' : ''}>held {formatShare(held)} of the time</span>
      <span>queue {formatOctets(Math.round(queueOctets))}</span>
    </div>
  );
}

/** Of several ports, the one that somebody would look at. */
export function worstPort(view: RunView, moment: Moment | null, ports: readonly number[]): number {
  const score = (port: number): number => {
    const { busy, held, queueOctets } = worstOf(view, moment, [port]);
    return 4 * held + queueOctets / Math.max(1, view.queueMax) + busy / 4;
  };
  return [...ports].sort((a, b) => score(b) - score(a))[0]!;
}
