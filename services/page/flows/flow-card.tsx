import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import {
  formatCount,
  formatOctets,
  formatRate,
  formatRatio,
  formatShare,
  formatTime,
} from '../../report/format.js';
import type { FlowView } from '../../report/page/page-flow-data.js';
import { goTo, goToDevice, goToEpisode, useAddress } from '../address.js';
import { Chart } from '../charts/chart.js';
import type { Theme } from '../colours.js';
import { SERIES_COLOURS } from '../colours.js';
import { heldText } from '../episodes/episode-words.js';
import type { Tile } from '../panels.js';
import { Card, TileRow } from '../panels.js';
import type { RunView } from '../run-view.js';
import type { FlowCause } from './flow-causes.js';
import { causesOfFlow } from './flow-causes.js';
import { PathStrips } from './path-strips.js';
import { PortLink, TimeBar, Waterfall } from './waterfall.js';

const CAUSES_SHOWN = 8;

interface Props {
  readonly view: RunView;
  readonly theme: Theme;
  readonly timePs: number | null;
  readonly setTime: (timePs: number) => void;
  /** Shows ports in the fabric; null: all alike. */
  readonly mark: (ports: ReadonlySet<number> | null) => void;
}

/** The chosen flow: what became of it, what blocked it, and its slowest frames. */
export function FlowCard(props: Props): JSX.Element | null {
  const { flow: name } = useAddress();
  const flow = props.view.run.flows.rows.find((one) => one.name === name);
  useEffect(() => {
    props.mark(flow === undefined ? null : new Set(flow.path));
  }, [flow]);
  if (flow === undefined) return null;
  return <Chosen key={flow.name} {...props} flow={flow} />;
}

function Chosen(props: Props & { readonly flow: FlowView }): JSX.Element {
  const { view, flow, theme, timePs, setTime } = props;
  const { run } = view;
  const causes = useMemo(() => causesOfFlow(run, flow), [run, flow]);
  return (
    <Card id="flow" title={`Flow ${flow.name}`} wide>
      <button
        type="button"
        class="close"
        aria-label="close the flow"
        onClick={() => {
          goTo({ flow: null });
        }}
      >
        ×
      </button>
      <p class="facts">
        <DeviceLink name={flow.source} /> to <DeviceLink name={flow.destination} />, priority{' '}
        {flow.priority}, from {formatTime(flow.startPs)}
        {flow.unreachableAt !== null && (
          <b class="bad"> – its frames can go no farther than {flow.unreachableAt}</b>
        )}
      </p>
      <TileRow tiles={tilesOf(flow)} />
      <Causes causes={causes} flow={flow} run={view.run} />
      <h3>Its path, over time</h3>
      <PathStrips view={view} path={flow.path} />
      {flow.arrivedBps !== null && (
        <Chart
          title="arrival rate of its frames"
          {...{ theme, mark: timePs, onPick: setTime, overTime: true, height: 170 }}
          x={run.flows.timesPs}
          lines={[
            {
              ...{ label: 'rate', colour: SERIES_COLOURS[theme][0]!, values: flow.arrivedBps },
              kind: 'steps',
            },
          ]}
          formatX={(ps) => formatTime(Math.round(ps))}
          formatY={formatRate}
        />
      )}
      <Frames flow={flow} />
    </Card>
  );
}

export function DeviceLink({ name }: { readonly name: string }): JSX.Element {
  return (
    <button
      type="button"
      class="link"
      onClick={() => {
        goToDevice(name);
      }}
    >
      {name}
    </button>
  );
}

function tilesOf(flow: FlowView): Tile[] {
  const { offeredOctets, payloadOctets, completionPs, slowdown, blockedPs, goodputBps } = flow;
  const volume =
    offeredOctets === null
      ? formatOctets(payloadOctets)
      : `${formatOctets(payloadOctets)} of ${formatOctets(offeredOctets)}`;
  const tiles: (Tile | false)[] = [
    ['delivered', volume, offeredOctets !== null && completionPs === null ? 'warn' : ''],
    offeredOctets !== null && [
      'FCT',
      completionPs === null ? 'not complete' : formatTime(completionPs),
    ],
    slowdown !== null && ['slowdown', formatRatio(slowdown)],
    ['goodput', formatRate(goodputBps)],
    flow.latencyMeanPs !== null && ['frame latency', formatTime(Math.round(flow.latencyMeanPs))],
    blockedPs !== null && ['path blocked', formatTime(blockedPs), blockedPs > 0 ? 'warn' : ''],
    flow.retransmittedFrames > 0 && [
      'retransmitted',
      formatCount(flow.retransmittedFrames),
      'warn',
    ],
  ];
  return tiles.filter((tile) => tile !== false);
}

/** What blocked it, port by port, each with the root of its congestion. */
function Causes(props: {
  readonly causes: readonly FlowCause[];
  readonly flow: FlowView;
  readonly run: RunView['run'];
}): JSX.Element | null {
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
    <>
      <h3>What blocked it</h3>
      <ul class="causes">
        {causes.slice(0, CAUSES_SHOWN).map((cause) => (
          <li key={`${cause.port} ${cause.mechanism} ${cause.rootName}`}>
            <span class="share">
              <i style={{ width: `${(100 * cause.blockedPs) / lifePs}%` }} />
              {formatShare(Math.min(1, cause.blockedPs / lifePs))}
            </span>
            <span>
              <PortLink name={cause.port} /> {heldText(cause.mechanism)}{' '}
              <LinkTo episode={cause.episode}>
                {formatCount(cause.times)}×, {formatTime(cause.blockedPs)}
              </LinkTo>
              {' – root cause: '}
              <LinkTo episode={cause.root}>{cause.rootName}</LinkTo>, {cause.reason}
              {cause.passesRoot ? (
                '; it passes there itself.'
              ) : (
                <b>; it does not pass there: it is a victim.</b>
              )}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function LinkTo(props: {
  readonly episode: number;
  readonly children: preact.ComponentChildren;
}): JSX.Element {
  return (
    <button
      type="button"
      class="link"
      onClick={() => {
        goToEpisode(props.episode);
      }}
    >
      {props.children}
    </button>
  );
}

function Frames({ flow }: { readonly flow: FlowView }): JSX.Element {
  const [place, choose] = useState(0);
  const frame = flow.frames[place];
  if (frame === undefined) {
    return (
      <p class="none">
        None of its frames was traced. <code>observe: {'{ traces: { slowest: 100 } }'}</code> in the
        scenario follows the slowest frames.
      </p>
    );
  }
  return (
    <>
      <h3>Its slowest frames</h3>
      <div class="frames">
        {flow.frames.map((one, i) => (
          <button
            key={`${one.sequence} ${one.attempt}`}
            type="button"
            class={i === place ? 'frame on' : 'frame'}
            onClick={() => {
              choose(i);
            }}
          >
            <b>#{formatCount(one.sequence)}</b>{' '}
            {one.latencyPs === null ? 'not arrived' : formatTime(one.latencyPs)}
            <TimeBar frame={one} />
          </button>
        ))}
      </div>
      <Waterfall frame={frame} />
    </>
  );
}
