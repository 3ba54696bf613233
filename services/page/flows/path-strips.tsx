import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { formatShare } from '../../report/format.js';
import { useTimeWindow } from '../address.js';
import type { RunView } from '../run-view.js';
import { TimeAxis } from '../time-axis.js';
import { PortLink } from './port-link.js';
import { blockedWord } from '../blocked-word.js';

const WIDTH = 1000;
const HEIGHT = 26;
const OCTET_MAX = 255;

/** The ports of a path one below the other, over time: how busy each was, and how long paused. */
export function PathStrips(props: {
  readonly view: RunView;
  readonly path: readonly number[];
}): JSX.Element {
  const { view, path } = props;
  const window = useTimeWindow();
  const [fromPs, toPs] = window ?? [0, view.moments.at(-1)?.timePs ?? 0];
  return (
    <div class="path">
      {path.map((port) => (
        <div key={port} class="row">
          <span class="where">
            <PortLink name={view.run.ports[port]!.name} />
            <small>{blockedText(view, port)}</small>
          </span>
          {view.moments.length > 0 && <Strip {...{ view, port, fromPs, toPs }} />}
        </div>
      ))}
      {view.moments.length > 0 && (
        <div class="row">
          <span />
          <div>
            <TimeAxis fromPs={fromPs} toPs={toPs} />
            <p class="key">
              <i class="busy" /> transmitting <i class="paused" /> {blockedWord([view.run])}
            </p>
          </div>
        </div>
      )}
    </div>
  );
}

function blockedText({ run }: RunView, port: number): string {
  const { blocked, longest } = run.ports[port]!;
  const word = blockedWord([run]);
  return longest.blocked === 0 ? `never ${word}` : `${word} ${formatShare(blocked)}`;
}

function Strip(props: {
  readonly view: RunView;
  readonly port: number;
  readonly fromPs: number;
  readonly toPs: number;
}): JSX.Element {
  const { view, port, fromPs, toPs } = props;
  const areas = useMemo(() => {
    const area = (of: 'busy' | 'blocked'): string => {
      let d = `M0 ${HEIGHT}`;
      let before = 0;
      for (const moment of view.moments) {
        const from = (WIDTH * (before - fromPs)) / (toPs - fromPs);
        const to = (WIDTH * (moment.timePs - fromPs)) / (toPs - fromPs);
        before = moment.timePs;
        if (to < 0 || from > WIDTH) continue;
        const y = HEIGHT * (1 - moment[of][port]! / OCTET_MAX);
        d += `L${from.toFixed(1)} ${y.toFixed(1)}H${to.toFixed(1)}`;
      }
      return `${d}V${HEIGHT}Z`;
    };
    return [area('busy'), area('blocked')] as const;
  }, [view, port, fromPs, toPs]);
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="busy" d={areas[0]} />
      <path class="paused" d={areas[1]} />
    </svg>
  );
}
