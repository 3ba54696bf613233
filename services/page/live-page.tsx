import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { formatCount, formatShare, formatTime } from '../report/format.js';
import type { ShownFault, LiveState, LiveStatus } from '../report/page/live-data.js';
import type { FaultChoice, PageContent } from '../report/page/page-data.js';
import { goToPort, useAddress } from './address.js';
import { useTheme } from './colours.js';
import { FaultCard } from './fault-card.js';
import { steer, useNews, useTrees } from './live-link.js';
import { Card, Header, Reproduce, TileRow } from './panels.js';
import {
  choosePort,
  eventsOf,
  MapCard,
  placeOf,
  PortCard,
  ringOf,
  setTime,
  stormsOf,
} from './run-page.js';
import { deviceOf } from './search/find.js';
import { WillObserve } from './will-observe.js';
import type { RunView } from './run-view.js';
import { grown, interestingPorts } from './run-view.js';
import { TreeCard } from './tree-card.js';

const OCTET_MAX = 255;
const STEPS_PS = [1e5, 1e6, 1e7, 1e8, 1e9];

interface Received {
  readonly view: RunView;
  readonly status: LiveStatus;
  readonly drops: number;
  readonly faults: readonly ShownFault[];
}

/** The page of a run that goes on; in the end it becomes the report. */
export function LivePage(props: {
  readonly initial: RunView;
  /** Kinds of faults that it may be given. */
  readonly choices: readonly FaultChoice[];
  readonly become: (content: PageContent) => void;
}): JSX.Element {
  const { initial, choices, become } = props;
  const [theme, toggleTheme] = useTheme();
  const [received, setReceived] = useState<Received>({
    ...{ view: initial, status: UNHEARD, drops: 0, faults: [] },
  });
  const { at: timePs, port: name } = useAddress();
  const isLost = useNews((news) => {
    setReceived((before) => ({
      view: grown(before.view, news),
      status: news.status,
      drops: news.spans.at(-1)?.drops ?? before.drops,
      faults: news.faults,
    }));
  }, become);
  const { view, status } = received;
  const trees = useTrees(status.state);
  const [marked, mark] = useState<ReadonlySet<number> | null>(null);
  // Again whenever twice as much is known.
  const order = useMemo(() => liveOrder(view), [Math.ceil(Math.log2(view.moments.length + 1))]);
  const port = placeOf(view, name) ?? order[0] ?? 0;
  const choose = (place: number): void => {
    choosePort(view.run.ports[place]!.name);
  };
  // While the run goes on, only ports have a view of their own.
  const openDevice = (device: string): void => {
    goToPort(initial.run.ports.find(({ name }) => deviceOf(name) === device)!.name);
  };
  const run = useMemo(() => ({ ...initial.run, trees }), [initial, trees]);
  const ring = useMemo(() => ringOf(run), [run]);
  const storms = useMemo(() => stormsOf(run), [run]);
  const hasBegun = view.moments.length > 0 || status.virtualPs > 0;
  const events = [
    ...received.faults.map(({ atPs, text }) => ({ timePs: atPs, text })),
    ...eventsOf(run),
  ];
  return (
    <main>
      <Header
        run={initial.run}
        status={isLost ? 'lost' : status.state}
        {...{ toggleTheme, openDevice }}
      >
        <Steering state={status.state} isLost={isLost} />
      </Header>
      {isLost && (
        <p class="alarm">
          <b>The run does not answer.</b> What is shown is what it came to at{' '}
          {formatTime(Math.round(status.virtualPs))}; controls work again when it answers.
        </p>
      )}
      <Progress received={received} />
      <MapCard
        {...{ view, theme, timePs, setTime, port, choose, marked, ring, storms, events }}
        isLive
      >
        <WillObserve run={view.run} />
      </MapCard>
      {hasBegun && (
        <>
          <PortCard {...{ view, theme, order, choose, setTime, port, timePs }} />
          <TreeCard {...{ run, choose, mark }} isLive />
        </>
      )}
      <FaultCard
        {...{ choices, isLost }}
        faults={received.faults}
        port={view.run.ports[port]!.name}
      />
      <Reproduce run={view.run} />
    </main>
  );
}

const UNHEARD: LiveStatus = {
  ...{ state: 'waiting', virtualPs: 0, endPs: null, share: 0, frameHops: 0, detail: '' },
};

function Steering(props: { readonly state: LiveState; readonly isLost: boolean }): JSX.Element {
  const { state } = props;
  const [stepPs, setStep] = useState(STEPS_PS[1]!);
  const isOver = state === 'over' || props.isLost;
  return (
    <span class="steering">
      {state === 'paused' ? (
        <button
          type="button"
          disabled={isOver}
          onClick={() => void steer({ action: 'resume', stepPs: 0 })}
        >
          ▶ resume
        </button>
      ) : (
        <button
          type="button"
          disabled={isOver}
          onClick={() => void steer({ action: 'pause', stepPs: 0 })}
        >
          ❚❚ pause
        </button>
      )}
      <span class="joined">
        <button
          type="button"
          disabled={isOver}
          onClick={() => void steer({ action: 'step', stepPs })}
        >
          step
        </button>
        <select
          aria-label="length of a step"
          disabled={isOver}
          onChange={(event) => {
            setStep(Number(event.currentTarget.value));
          }}
        >
          {STEPS_PS.map((ps) => (
            <option key={ps} value={ps} selected={ps === stepPs}>
              {formatTime(ps)}
            </option>
          ))}
        </select>
      </span>
      <button
        type="button"
        disabled={isOver}
        title="End the run now and report what was measured"
        onClick={() => void steer({ action: 'stop', stepPs: 0 })}
      >
        ■ stop
      </button>
    </span>
  );
}

function Progress({ received }: { readonly received: Received }): JSX.Element {
  const { status, drops, view } = received;
  const { share, virtualPs, endPs, frameHops, detail } = status;
  const now = view.moments.at(-1);
  const blockedNow = now?.blocked.reduce((count, blocked) => count + Number(blocked > 0), 0) ?? 0;
  const fullest = now?.busy.reduce((most, busy) => Math.max(most, busy), 0) ?? 0;
  return (
    <Card title="Progress" note={detail} wide>
      <div class="progress" role="progressbar" aria-valuenow={Math.round(share * 100)}>
        <i style={{ width: `${100 * share}%` }} />
      </div>
      <TileRow
        tiles={[
          ['done', formatShare(share)],
          ['virtual time', formatTime(Math.round(virtualPs))],
          ['ends at', endPs === null ? 'end of load' : formatTime(endPs)],
          ['frame-hops', formatCount(frameHops)],
          ['paused ports now', formatCount(blockedNow)],
          ['fullest link now', formatShare(fullest / OCTET_MAX)],
          ['dropped', formatCount(drops), drops > 0 ? 'warn' : ''],
        ]}
      />
    </Card>
  );
}

/** By what was seen so far: blocked most, then the longest queue. */
function liveOrder(view: RunView): number[] {
  if (view.moments.length === 0) return interestingPorts(view);
  const score = new Float64Array(view.run.ports.length);
  for (const { blocked, busy, queueOctets } of view.moments) {
    for (let port = 0; port < score.length; port++) {
      score[port]! += 4 * blocked[port]! + busy[port]! / 8 + queueOctets[port]! / 1e3;
    }
  }
  return [...score.keys()].sort((a, b) => score[b]! - score[a]!);
}
