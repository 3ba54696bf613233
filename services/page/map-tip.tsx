import type { JSX } from 'preact';
import { formatOctets, formatRate, formatShare } from '../report/format.js';
import type { Theme } from './colours.js';
import type { Moment, PortNow, RunView } from './run-view.js';
import { worstOf } from './run-view.js';
import { deviceOf } from './search/find.js';
import { blockedWord } from './blocked-word.js';

/** A hold shorter than this share of a span is not drawn as one. */
export const BLOCKED_LEAST = 0.02;

export interface MapProps {
  readonly view: RunView;
  readonly moment: Moment | null;
  readonly theme: Theme;
  readonly chosen: number | null;
  readonly choose: (port: number) => void;
  /** Shows a host or switch, and one of its ports. */
  readonly openDevice?: (device: string, port: number) => void;
  /** Ports that are pointed out; null: all alike. */
  readonly marked?: ReadonlySet<number> | null;
  /** Ports that wait for each other in a cyclic buffer dependency. */
  readonly ring?: ReadonlySet<number>;
  /** Ports that a storm pauses. */
  readonly storms?: ReadonlySet<number>;
}

export interface Tip {
  readonly ports: readonly number[];
  readonly title: string;
  /** The other end of a link. */
  readonly far?: { readonly title: string; readonly ports: readonly number[] };
  readonly x: number;
  readonly y: number;
}

export function TipView(props: {
  readonly tip: Tip;
  readonly view: RunView;
  readonly moment: Moment | null;
}): JSX.Element {
  const { tip, view, moment } = props;
  const { ports } = view.run;
  const word = blockedWord([view.run]);
  const [only] = tip.ports;
  const port = tip.ports.length === 1 ? ports[only!]! : null;
  return (
    <div class="tip" style={{ left: `${tip.x + 14}px`, top: `${tip.y + 14}px` }}>
      <Direction
        {...{ title: tip.title, word }}
        now={worstOf(view, moment, tip.ports)}
        isWorst={tip.ports.length > 1}
      />
      {tip.far !== undefined && (
        <Direction
          {...{ title: tip.far.title, word }}
          now={worstOf(view, moment, tip.far.ports)}
          isWorst={tip.far.ports.length > 1}
        />
      )}
      {port !== null && (
        <small>
          {formatRate(port.rateBps)} each way{port.flowControl !== '' && `, ${port.flowControl}`}
        </small>
      )}
    </div>
  );
}

/** What one end of a link sends. */
function Direction(props: {
  readonly title: string;
  readonly now: PortNow;
  /** Of what keeps ports from sending. */
  readonly word: string;
  /** The worst of several ports. */
  readonly isWorst: boolean;
}): JSX.Element {
  const { busy, blocked, queueOctets } = props.now;
  return (
    <>
      <b>{props.title}</b>
      {props.isWorst && <span>the worst of its ports</span>}
      <span>transmits {formatShare(busy)} of its rate</span>
      <span class={blocked >= BLOCKED_LEAST ? 'bad' : ''}>
        {props.word} {formatShare(blocked)} of the time
      </span>
      <span>queue {formatOctets(Math.round(queueOctets))}</span>
    </>
  );
}

/** Shows the device that has all these ports, where there is one, else the worst of them. */
export function openPorts(props: MapProps, ports: readonly number[]): void {
  const { view, moment, choose, openDevice } = props;
  if (ports.length === 0) return;
  const worst = worstPort(view, moment, ports);
  const devices = new Set(ports.map((port) => deviceOf(view.run.ports[port]!.name)));
  const [device, ...others] = devices;
  if (openDevice !== undefined && others.length === 0) openDevice(device!, worst);
  else choose(worst);
}

/** Of several ports, the one that is looked at first. */
export function worstPort(view: RunView, moment: Moment | null, ports: readonly number[]): number {
  const score = (port: number): number => {
    const { busy, blocked, queueOctets } = worstOf(view, moment, [port]);
    return 4 * blocked + queueOctets / Math.max(1, view.queueMax) + busy / 4;
  };
  return [...ports].sort((a, b) => score(b) - score(a))[0]!;
}
