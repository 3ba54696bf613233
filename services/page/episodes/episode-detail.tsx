import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { formatCount, formatTime } from '../../report/format.js';
import type { RunPage } from '../../report/page/page-data.js';
import type { EpisodeView } from '../../report/page/page-flow-data.js';
import { goToEpisode, goTo, useAddress, zoomTo } from '../address.js';
import { FlowLink } from '../flows/flow-link.js';
import { PortLink } from '../flows/port-link.js';
import { counted } from '../panels.js';
import type { Caused } from './episode-words.js';
import {
  causedBy,
  causesOf,
  episodeName,
  lastedText,
  placeText,
  whatText,
} from './episode-words.js';

const CAUSED_SHOWN = 8;
const FLOWS_SHOWN = 10;
/** Time around an episode, as a share of its length, when charts zoom to it. */
const AROUND = 0.25;

/** The chosen episode: when, what caused it up to the root, what it caused, and what it blocked. */
export function EpisodeDetail({ run }: { readonly run: RunPage }): JSX.Element | null {
  const { episode: place } = useAddress();
  const { episodes } = run;
  const chosen = place === null ? undefined : episodes?.rows[place];
  const caused = useMemo(
    () => (episodes === null || place === null ? [] : causedBy(episodes, place, run.virtualPs)),
    [episodes, place, run],
  );
  if (episodes === null || chosen === undefined || place === null) return null;
  const chain = causesOf(episodes, place);
  const root = episodes.rows[chain.at(-1)!]!;
  const flows = flowsBlocked(run, chosen);
  return (
    <div id="episode" class="episode">
      <button
        type="button"
        class="close"
        aria-label="close the episode"
        onClick={() => {
          goTo({ episode: null });
        }}
      >
        ×
      </button>
      <h3>
        Episode: {placeText(chosen)}, {whatText(chosen)}
      </h3>
      <p class="facts">
        <PortLink name={chosen.port} /> from{' '}
        <span title={`${formatCount(chosen.startPs)} ps`}>{formatTime(chosen.startPs)}</span>,{' '}
        {lastedText(chosen)}
        {chosen.frameTimePs > 0 &&
          `, ${formatTime(chosen.frameTimePs)} of aggregate blocked time`}.{' '}
        <button
          type="button"
          class="link"
          onClick={() => {
            zoomTo(around(chosen, run.virtualPs));
          }}
        >
          zoom to it
        </button>
      </p>
      <ol class="chain" aria-label="from the episode to its root">
        {chain.map((one, i) => (
          <li key={one} class={i === chain.length - 1 ? 'root-cause' : ''}>
            <button
              type="button"
              class={one === place ? 'on' : ''}
              onClick={() => {
                goToEpisode(one);
              }}
            >
              {episodeName(episodes.rows[one]!)}
            </button>
            {i < chain.length - 1 ? <span>because</span> : <span>root: {root.reason}</span>}
          </li>
        ))}
      </ol>
      {caused.length > 0 && <Consequences caused={caused} />}
      {flows.length > 0 && (
        <p class="facts">
          Flows through {chosen.port} at that time:{' '}
          {flows.slice(0, FLOWS_SHOWN).map((name) => (
            <FlowLink key={name} name={name} />
          ))}
          {flows.length > FLOWS_SHOWN && `and ${formatCount(flows.length - FLOWS_SHOWN)} more`}
        </p>
      )}
    </div>
  );
}

/** What an episode caused: each port once, with how often, the longest one linked. */
function Consequences({ caused }: { readonly caused: readonly Caused[] }): JSX.Element {
  const rest = caused.slice(CAUSED_SHOWN).reduce((sum, { times }) => sum + times, 0);
  return (
    <p class="facts">
      It caused{' '}
      {caused.slice(0, CAUSED_SHOWN).map(({ name, times, longest }) => (
        <button
          key={name}
          type="button"
          class="link listed"
          onClick={() => {
            goToEpisode(longest);
          }}
        >
          {times === 1 ? name : `${name} ${formatCount(times)}×`}
        </button>
      ))}
      {rest > 0 && `and ${counted(rest, 'more episode')}`}
    </p>
  );
}

function around({ startPs, endPs }: EpisodeView, virtualPs: number): readonly [number, number] {
  const untilPs = endPs ?? virtualPs;
  const more = AROUND * (untilPs - startPs);
  return [Math.max(0, startPs - more), Math.min(virtualPs, untilPs + more)];
}

function flowsBlocked({ flows, ports, virtualPs }: RunPage, episode: EpisodeView): string[] {
  const port = ports.findIndex(({ name }) => name === episode.port);
  return flows.rows
    .filter(({ path, priority, startPs, completionPs }) => {
      const isSame = episode.priority === null || priority === episode.priority;
      const endPs = completionPs === null ? virtualPs : startPs + completionPs;
      const overlaps = startPs < (episode.endPs ?? virtualPs) && endPs > episode.startPs;
      return isSame && overlaps && path.includes(port);
    })
    .map(({ name }) => name);
}
