import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { formatCount, formatRate, formatRatio, formatTime } from '../../report/format.js';
import type { RunPage } from '../../report/page/page-data.js';
import type { FlowView } from '../../report/page/page-flow-data.js';
import { EpisodeLink } from '../episodes/episode-link.js';
import { heldText } from '../episodes/episode-words.js';
import { Card } from '../panels.js';
import { causesOfFlow } from './flow-causes.js';
import { FlowLink } from './flow-link.js';
import { PortLink } from './waterfall.js';

const SHOWN = 3;

/** Flows that congestion blocks although they do not pass its root: why each of them is slow. */
export function VictimsCard({ run }: { readonly run: RunPage }): JSX.Element | null {
  const [isWhole, setWhole] = useState(false);
  const victims = useMemo(() => victimsOf(run), [run]);
  if (victims.length === 0) return null;
  const count = `${formatCount(victims.length)} victim ${victims.length === 1 ? 'flow' : 'flows'}`;
  return (
    <Card title={count} note="blocked by congestion of ports that they do not pass" wide>
      <ul class="victims">
        {victims.slice(0, isWhole ? victims.length : SHOWN).map((flow) => (
          <li key={flow.name}>
            <FlowLink name={flow.name} />
            <span>{speedOf(flow)}</span>
            <Why run={run} flow={flow} />
          </li>
        ))}
      </ul>
      {!isWhole && victims.length > SHOWN && (
        <button
          type="button"
          class="link"
          onClick={() => {
            setWhole(true);
          }}
        >
          and {formatCount(victims.length - SHOWN)} more
        </button>
      )}
    </Card>
  );
}

/** Blocked longest first. */
function victimsOf({ flows }: RunPage): FlowView[] {
  return flows.rows
    .filter(({ victimOf }) => victimOf.length > 0)
    .sort((a, b) => (b.blockedPs ?? 0) - (a.blockedPs ?? 0));
}

function speedOf({ goodputBps, slowdown }: FlowView): string {
  return slowdown === null ? formatRate(goodputBps) : `slowdown ${formatRatio(slowdown)}`;
}

/** The port that blocked it longest, and the root of that. */
function Why(props: { readonly run: RunPage; readonly flow: FlowView }): JSX.Element | null {
  const { run, flow } = props;
  const cause = causesOfFlow(run, flow).find(({ passesRoot }) => !passesRoot);
  if (cause === undefined) return null;
  const { port, mechanism, blockedPs, root, rootName, reason } = cause;
  return (
    <span>
      <PortLink name={port} /> {heldText(mechanism)} for {formatTime(blockedPs)}; root cause:{' '}
      <EpisodeLink episode={root}>{rootName}</EpisodeLink>, {reason}
    </span>
  );
}
