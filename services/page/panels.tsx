import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { PortView, RunPage } from '../report/page/page-data.js';
import { goToPort } from './address.js';
import { figureText } from './figure-text.js';
import { blockedWord } from './blocked-word.js';
import { FlowLink } from './flows/flow-link.js';
import { PlaceLink } from './flows/port-link.js';
import { findables } from './search/find.js';
import { SearchBox } from './search/search-box.js';
import { CENSORING_NOTE, GOODPUT_NOTE } from '../report/notes.js';
import {
  formatCount,
  formatOctets,
  formatPercentile,
  formatRate,
  formatRatio,
  formatTally,
  formatTime,
} from '../report/format.js';

const PORTS_SHOWN = 12;
const LOADS_SHOWN = 12;
/** Of a run, at its head. */
const FIGURES = 3;

export function Card(props: {
  readonly title: string;
  readonly note?: string;
  readonly wide?: boolean;
  /** By which `show` finds it. */
  readonly id?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <section class={props.wide === true ? 'card wide' : 'card'} id={props.id}>
      <h2>
        {props.title}
        {props.note !== undefined && <small>{props.note}</small>}
      </h2>
      {props.children}
    </section>
  );
}

export function counted(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
}

/** On a page of several runs, a card says of which it tells. */
export function titleOf(title: string, of: string | undefined): string {
  return of === undefined ? title : `${title}: ${of}`;
}

export function Header(props: {
  readonly run: RunPage;
  readonly status: string;
  readonly toggleTheme: () => void;
  /** Shows a host or switch that is found; without: in a view of its own. */
  readonly openDevice?: (device: string) => void;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { run, status, toggleTheme, openDevice } = props;
  const finds = useMemo(() => () => findables(run, openDevice), [run]);
  return (
    <header>
      <div class="name">
        <span class="brand">selvage</span>
        <h1>{run.title}</h1>
        <span class={`pill ${status}`}>{status}</span>
        {props.children}
        <SearchBox finds={finds} />
        <button type="button" class="theme" aria-label="light or dark" onClick={toggleTheme}>
          ◐
        </button>
      </div>
      {run.story !== '' && <p class="story">{run.story}</p>}
      {run.description !== '' && <p>{run.description}</p>}
      {run.failure !== null && <p class="bad">Failed {run.failure}</p>}
    </header>
  );
}

/** Three figures that tell most, and below them what else there is to say of the run as a whole. */
export function Tiles({ run }: { readonly run: RunPage }): JSX.Element {
  const failed = run.expectations.filter(({ ok }) => !ok).length;
  const drops = run.priorities.reduce((sum, p) => sum + p.drops, 0);
  const longest = Math.max(0, ...run.ports.map((port) => port.longest.blocked));
  const figures: Tile[] = [
    ...(failed > 0 ? [['expectations', `${formatCount(failed)} failed`, 'bad'] as const] : []),
    ...(drops > 0 ? [['frames dropped', formatCount(drops), 'warn'] as const] : []),
    ['goodput', formatRate(run.goodputBps)],
    ...flowsTile(run),
    [`${blockedWord([run])} longest`, formatTime(Math.round(longest))],
    ['virtual time', formatTime(run.virtualPs)],
  ];
  const shown = figures.slice(0, FIGURES);
  const facts = [
    ...figures.slice(FIGURES).map(([label, value]) => `${label} ${value}`),
    ...(failed === 0 && run.expectations.length > 0
      ? [`expectations: all ${formatCount(run.expectations.length)} hold`]
      : []),
    counted(run.devices, 'device'),
    counted(run.links, 'link'),
    `${formatCount(run.frameHops)} frame-hops`,
  ];
  return (
    <>
      <TileRow tiles={shown} />
      <p class="facts">{facts.join(' · ')}</p>
    </>
  );
}

function flowsTile({ finished }: RunPage): Tile[] {
  const { done, total } = finished;
  return total === 0 ? [] : [['flows done', formatTally(finished), done < total ? 'warn' : '']];
}

/** Small buttons of which one is on. */
export function Chips<Name extends string>(props: {
  readonly all: readonly Name[];
  readonly chosen: Name;
  readonly choose: (name: Name) => void;
}): JSX.Element {
  return (
    <>
      {props.all.map((name) => (
        <button
          key={name}
          type="button"
          class={name === props.chosen ? 'chip on' : 'chip'}
          onClick={() => {
            props.choose(name);
          }}
        >
          {name}
        </button>
      ))}
    </>
  );
}

/** A label, what it comes to, and whether that is good, bad or to be looked at. */
export type Tile = readonly [string, string, string?];

export function TileRow({ tiles }: { readonly tiles: readonly Tile[] }): JSX.Element {
  return (
    <div class="tiles">
      {tiles.map(([label, value, mood]) => (
        <div key={label} class={`tile ${mood ?? ''}`}>
          <span>{label}</span>
          <b>{value}</b>
        </div>
      ))}
    </div>
  );
}

export function Expectations(props: {
  readonly run: RunPage;
  /** Its name, where there are several. */
  readonly of?: string;
}): JSX.Element | null {
  const { run, of } = props;
  if (run.expectations.length === 0) return null;
  return (
    <Card title={titleOf('Expectations', of)}>
      <ul class="expectations">
        {run.expectations.map(({ text, actual, ok }, i) => (
          <li key={i} class={ok ? 'good' : 'bad'}>
            <b>{ok ? 'pass' : 'FAIL'}</b>
            <span>{text}</span>
            <em>{actual}</em>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Only where flows stopped progressing. */
export function Standstill({ run }: { readonly run: RunPage }): JSX.Element | null {
  const { standstill } = run;
  if (standstill === null) return null;
  const { isExpected, rings, count, flows } = standstill;
  const flowsHave = count === 1 ? 'flow has' : 'flows have';
  const title = `${formatCount(count)} ${flowsHave} stopped progressing`;
  return (
    <Card title={title} note={isExpected ? 'as the scenario expects' : ''}>
      {rings.map((ring) => (
        <p key={ring} class="bad">
          deadlock: {ring}
        </p>
      ))}
      <Table
        head={['flow', 'since', 'blocked at', 'by']}
        rows={flows.map(({ name, sincePs, place, cause }) => [
          <FlowLink name={name} />,
          formatTime(sincePs),
          <PlaceLink run={run} name={place} />,
          <PlaceLink run={run} name={cause} />,
        ])}
        texts
      />
      <More count={count - flows.length} />
    </Card>
  );
}

/** Only where flows could not reach their destination at the end. */
export function Unreachable({ run }: { readonly run: RunPage }): JSX.Element | null {
  const { unreachable } = run;
  if (unreachable === null) return null;
  const { count, flows } = unreachable;
  const title = `${formatCount(count)} ${count === 1 ? 'flow' : 'flows'} unreachable at the end`;
  return (
    <Card title={title}>
      <Table
        head={['flow', 'ends at', 'by']}
        rows={flows.map(({ name, place, cause }) => [
          <FlowLink name={name} />,
          <PlaceLink run={run} name={place} />,
          cause,
        ])}
        texts
      />
      <More count={count - flows.length} />
    </Card>
  );
}

/** What a table leaves out. */
function More({ count }: { readonly count: number }): JSX.Element | null {
  return count === 0 ? null : <p class="facts">and {formatCount(count)} more: see flows.csv</p>;
}

export function Traffic({ run }: { readonly run: RunPage }): JSX.Element | null {
  if (run.loads.length === 0) return null;
  return (
    <Card title="Traffic">
      <Table
        head={[
          ...['priority', 'goodput', 'frames', 'done', 'FCT p50', 'p99', 'slowdown p99', 'drops'],
          ...(run.priorities[0]?.counts ?? []).map(([head]) => head),
        ]}
        rows={run.priorities.map((p) => [
          `${p.priority} ${p.flowControl}`,
          formatRate(p.goodputBps),
          formatCount(p.frames),
          formatTally(p.finished),
          formatPercentile(p.completionPs, 'p50', formatTime),
          formatPercentile(p.completionPs, 'p99', formatTime),
          formatPercentile(p.slowdown, 'p99', formatRatio),
          formatCount(p.drops),
          ...p.counts.map(([, frames]) => formatCount(frames)),
        ])}
      />
      <Table
        head={['load', 'goodput', 'flows', 'done', 'per flow min', 'p50', 'max']}
        rows={run.loads
          .slice(0, LOADS_SHOWN)
          .map((l) => [
            l.load === '' ? '–' : l.load,
            formatRate(l.goodputBps),
            formatCount(l.flows),
            formatTally(l.finished),
            formatRate(l.perFlowBps.min),
            formatRate(l.perFlowBps.p50),
            formatRate(l.perFlowBps.max),
          ])}
      />
      <p class="facts">
        {GOODPUT_NOTE}
        {run.priorities.some(({ completionPs }) => completionPs?.max === null) &&
          `; ${CENSORING_NOTE}`}
      </p>
    </Card>
  );
}

export function PortsCard(props: {
  readonly run: RunPage;
  readonly order: readonly number[];
}): JSX.Element | null {
  const { run, order } = props;
  const used = order.filter((place) => isUsed(run.ports[place]!));
  if (used.length === 0) return null;
  return (
    <Card title="Ports" note={`${blockedWord([run])} longest first`}>
      <Ports run={run} order={used} most={PORTS_SHOWN} />
    </Card>
  );
}

function isUsed({ txOctets, figures, drops }: PortView): boolean {
  return txOctets > 0 || drops > 0 || figures.some((value) => value > 0);
}

/** A row for each port; a column that is zero throughout is left out. */
export function Ports(props: {
  readonly run: RunPage;
  readonly order: readonly number[];
  readonly most: number;
}): JSX.Element {
  const shown = props.order.slice(0, props.most).map((place) => props.run.ports[place]!);
  const all: PortColumn[] = [
    { head: 'busy', value: ({ busy }) => busy, text: percent },
    ...props.run.portFigures.map((figure, i) => ({
      head: figure.head ?? blockedWord([props.run]),
      value: ({ figures }: PortView) => figures[i]!,
      text: (value: number) => figureText(figure, value),
    })),
    { head: 'drops', value: ({ drops }) => drops, text: formatCount },
  ];
  const columns = all.filter(({ value }) => shown.some((port) => value(port) > 0));
  return (
    <Table
      head={['port', 'link partner', ...columns.map(({ head }) => head)]}
      rows={shown.map((port) => [
        <button
          type="button"
          class="link"
          onClick={() => {
            goToPort(port.name);
          }}
        >
          {port.name}
        </button>,
        port.peer,
        ...columns.map(({ value, text }) => text(value(port))),
      ])}
    />
  );
}

interface PortColumn {
  readonly head: string;
  readonly value: (port: PortView) => number;
  readonly text: (value: number) => string;
}

export function Margins({ run }: { readonly run: RunPage }): JSX.Element | null {
  const used = run.margins.filter(({ headroomUsedOctets }) => headroomUsedOctets > 0);
  if (used.length === 0) return null;
  return (
    <Card title="Headroom" note="tightest first">
      <div class="scroll">
        {used.slice(0, 12).map((m) => (
          <div key={`${m.port} ${m.priority}`} class="margin">
            <span>
              {m.port} <small>priority {m.priority}</small>
            </span>
            <div class="bar" title={`needs ${formatOctets(m.neededOctets)}`}>
              <i style={{ width: share(m.headroomUsedOctets, m.headroomOctets) }} />
            </div>
            <em>
              {formatOctets(m.headroomUsedOctets)} of {formatOctets(m.headroomOctets)}
            </em>
          </div>
        ))}
      </div>
    </Card>
  );
}

function share(part: number, whole: number): string {
  return whole > 0 ? `${Math.min(100, (100 * part) / whole)}%` : '0%';
}

export function Reproduce({ run }: { readonly run: RunPage }): JSX.Element {
  const { command, scenario } = run.reproduce;
  return (
    <Card title="How to reproduce" wide>
      <pre class="command">{command}</pre>
      <p class="facts">
        {run.digest !== '' && (
          <>
            digest <code>{run.digest}</code>,{' '}
          </>
        )}
        {run.plugins.map(({ name, sha256 }) => (
          <span key={name}>
            plugin {name} <code>{sha256}</code>,{' '}
          </span>
        ))}
        seed {run.seed}, selvage {run.version}. The same scenario and seed give the same digest
        anywhere: in one thread, in several, or in a process per device.
      </p>
      <details>
        <summary>the scenario, with its base files and settings merged</summary>
        <pre>{scenario}</pre>
      </details>
    </Card>
  );
}

export function Table(props: {
  readonly head: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** Words rather than numbers. */
  readonly texts?: boolean;
}): JSX.Element {
  return (
    <div class={props.texts === true ? 'scroll texts' : 'scroll'}>
      <table>
        <thead>
          <tr>
            {props.head.map((text, i) => (
              <th key={i}>{text}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, k) => (
                <td key={k}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function percent(value: number): string {
  return `${(100 * value).toFixed(value > 0 && value < 0.1 ? 1 : 0)} %`;
}
