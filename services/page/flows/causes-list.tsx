import type { JSX } from 'preact';
import { formatCount, formatShare, formatTime } from '../../report/format.js';
import type { RunPage } from '../../report/page/page-data.js';
import type { FlowView } from '../../report/page/page-flow-data.js';
import { EpisodeLink } from '../episodes/episode-link.js';
import { blockedText } from '../../report/blocked-text.js';
import type { FlowCause } from './flow-causes.js';
import { byRoot } from './flow-causes.js';
import { PortLink } from './port-link.js';

const ROOTS_SHOWN = 4;
const PORTS_SHOWN = 8;

/** What blocked a flow: the roots of congestion, and below each the ports of its path. */
export function CausesList(props: {
  readonly causes: readonly FlowCause[];
  readonly flow: FlowView;
  readonly run: RunPage;
}): JSX.Element {
  const { causes, flow, run } = props;
  if (run.episodes === null) {
    return (
      <p class="none">
        What blocked it was not observed: <code>selvage report {'<run>'} --why</code> repeats the
        run to see it.
      </p>
    );
  }
  if (causes.length === 0) return <p class="none">No port of its path was paused or blocked.</p>;
  const endPs = flow.completionPs === null ? run.virtualPs : flow.startPs + flow.completionPs;
  const lifePs = Math.max(1, endPs - flow.startPs);
  return (
    <div class="causes">
      <h3>What blocked it, as a share of its time</h3>
      {byRoot(causes)
        .slice(0, ROOTS_SHOWN)
        .map((ports) => (
          <Root key={ports[0]!.rootName} {...{ ports, flow, lifePs }} />
        ))}
    </div>
  );
}

function Root(props: {
  readonly ports: readonly FlowCause[];
  readonly flow: FlowView;
  readonly lifePs: number;
}): JSX.Element {
  const { ports, flow, lifePs } = props;
  const { root, rootName, reason, passesRoot } = ports[0]!;
  return (
    <>
      <p>
        root cause: <EpisodeLink episode={root}>{rootName}</EpisodeLink>, {reason}
        {passesRoot ? (
          '; the flow passes there itself.'
        ) : flow.isOfRing ? (
          '; the flow is part of the cyclic buffer dependency.'
        ) : (
          <b>; it does not pass there: it is a victim.</b>
        )}
      </p>
      <ul>
        {ports.slice(0, PORTS_SHOWN).map(({ port, mechanism, episode, times, totalPs }) => (
          <li key={`${port} ${mechanism}`}>
            <span class="share">
              <i style={{ width: `${(100 * totalPs) / lifePs}%` }} />
              {formatShare(Math.min(1, totalPs / lifePs))}
            </span>
            <span>
              <PortLink name={port} /> {blockedText(mechanism)}{' '}
              <EpisodeLink episode={episode}>
                {formatCount(times)}×, {formatTime(totalPs)}
              </EpisodeLink>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
