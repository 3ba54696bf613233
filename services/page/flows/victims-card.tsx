import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { formatCount, formatRate, formatRatio, formatTime } from '../../report/format.js';
import type { RunPage } from '../../report/page/page-data.js';
import type { EpisodeView, FlowView } from '../../report/page/page-flow-data.js';
import { EpisodeLink } from '../episodes/episode-link.js';
import { blockedText } from '../../report/blocked-text.js';
import { Card, counted } from '../panels.js';
import { causesOfFlow } from './flow-causes.js';
import { FlowLink } from './flow-link.js';
import { PortLink } from './port-link.js';

const SHOWN = 3;
const CONGESTING_SHOWN = 3;

/** Flows that wait for congestion that others make: why each of them is slow. */
export function VictimsCard({ run }: { readonly run: RunPage }): JSX.Element | null {
  const [isWhole, setWhole] = useState(false);
  const victims = useMemo(() => victimsOf(run), [run]);
  if (victims.length === 0) return null;
  const both = victims.filter(({ role }) => role === 'both').length;
  const also = both === 0 ? '' : `; ${formatCount(both)} of them congest other ports`;
  const note = `waiting for congestion that others make${also}`;
  return (
    <Card title={counted(victims.length, 'victim flow')} note={note} wide>
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

/** Blocked longest first; one that mostly fills what others wait for is none. */
function victimsOf({ flows }: RunPage): FlowView[] {
  return flows.rows
    .filter(({ victimOf, role }) => victimOf.length > 0 && (role === 'victim' || role === 'both'))
    .sort((a, b) => (b.figures['blocked'] ?? 0) - (a.figures['blocked'] ?? 0));
}

function speedOf({ figures, slowdown }: FlowView): string {
  return slowdown === null ? formatRate(figures['goodput']!) : `slowdown ${formatRatio(slowdown)}`;
}

/** The port that blocked it longest, the root of that, and the flows that congest it. */
function Why(props: { readonly run: RunPage; readonly flow: FlowView }): JSX.Element | null {
  const { run, flow } = props;
  const cause = causesOfFlow(run, flow).find(({ passesRoot }) => !passesRoot);
  if (cause === undefined) return null;
  const { port, mechanism, totalPs, root, rootName, reason } = cause;
  const what = blockedText(mechanism);
  const congesting = flowsOf(run, run.episodes!.rows[root]!);
  return (
    <span>
      <PortLink name={port} /> {what} for {formatTime(totalPs)}; root cause:{' '}
      <EpisodeLink episode={root}>{rootName}</EpisodeLink>, {reason}
      {congesting.length > 0 && (
        <small>
          {counted(congesting.length, 'flow')} through it:{' '}
          {congesting.slice(0, CONGESTING_SHOWN).map((name) => (
            <FlowLink key={name} name={name} />
          ))}
          {congesting.length > CONGESTING_SHOWN &&
            `and ${formatCount(congesting.length - CONGESTING_SHOWN)} more`}
        </small>
      )}
    </span>
  );
}

/** Names of the flows of its priority that pass a port. */
function flowsOf({ flows, ports }: RunPage, { port, priority }: EpisodeView): string[] {
  return flows.rows
    .filter((flow) => priority === null || flow.priority === priority)
    .filter(({ path }) => path.some((place) => ports[place]!.name === port))
    .map(({ name }) => name);
}
