import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import {
  formatCount,
  formatOctets,
  formatRate,
  formatRatio,
  formatTime,
} from '../../report/format.js';
import type { Figure, FlowView } from '../../report/page/page-flow-data.js';
import { goTo, goToDevice, useAddress } from '../address.js';
import { Chart } from '../charts/chart.js';
import type { Theme } from '../colours.js';
import { SERIES_COLOURS } from '../colours.js';
import type { Tile } from '../panels.js';
import { figureText } from '../figure-text.js';
import { Card, TileRow } from '../panels.js';
import type { RunView } from '../run-view.js';
import { CausesList } from './causes-list.js';
import { causesOfFlow } from './flow-causes.js';
import { PathStrips } from './path-strips.js';
import { TimeBar, Waterfall } from './waterfall.js';

interface Props {
  readonly view: RunView;
  readonly theme: Theme;
  readonly timePs: number | null;
  readonly setTime: (timePs: number) => void;
}

/** The chosen flow: what became of it, what blocked it, and its slowest frames. */
export function FlowCard(props: Props): JSX.Element | null {
  const { flow: name } = useAddress();
  const flow = props.view.run.flows.rows.find((one) => one.name === name);
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
        {flow.cause !== '' && `; ${flow.cause}`}
        {flow.unreachableAt !== null && (
          <b class="bad"> – its frames can go no farther than {flow.unreachableAt}</b>
        )}
      </p>
      <TileRow tiles={tilesOf(flow, run.flows.figures)} />
      <CausesList causes={causes} flow={flow} run={view.run} />
      <h3>Its path, over time</h3>
      <PathStrips view={view} path={flow.path} />
      {flow.arrivedBps !== null && (
        <Chart
          title="arrival rate of its frames"
          {...{ theme, mark: timePs, onPick: setTime, overTime: true, height: 186 }}
          yTitle="rate"
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

function DeviceLink({ name }: { readonly name: string }): JSX.Element {
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

function tilesOf(flow: FlowView, figures: readonly Figure[]): Tile[] {
  const { offeredOctets, payloadOctets, completionPs, slowdown } = flow;
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
    ...figures.map((figure): Tile | false => {
      const value = flow.figures[figure.by] ?? null;
      if (value === null) return false;
      const tile = [figure.head!, figureText(figure, value)] as const;
      return figure.warns === true && value > 0 ? [...tile, 'warn'] : tile;
    }),
  ];
  return tiles.filter((tile) => tile !== false);
}

function Frames({ flow }: { readonly flow: FlowView }): JSX.Element {
  const place = useAddress().frame ?? 0;
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
              goTo({ frame: i });
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
