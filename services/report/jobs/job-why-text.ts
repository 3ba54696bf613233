import { blockedText } from '../blocked-text.js';
import { causeOfFlow } from '../cause-text.js';
import { formatCount, formatShare, formatTime } from '../format.js';
import type { Style } from '../style.js';
import { table } from '../table.js';
import type { TimeShare } from '../../telemetry/traces/flow-time.js';
import type { PathKind } from '../../jobs/critical-path.js';
import type { JobWhy, PathShare } from './job-why.js';

const SHARES_SHOWN = 10;
const PORTS_SHOWN = 3;
const PARTS_SHOWN = 30;
const STRAGGLERS_SHOWN = 5;
const FLOWS_SHOWN = 5;

const TITLES: Readonly<Record<PathKind, string>> = {
  compute: 'computing',
  message: 'on the network',
  box: 'within a host',
  sending: 'handing over to the NIC',
};

/** What could be saved at most, if this were gone and nothing else came in its place. */
const BOUNDS: readonly (readonly [title: string, holds: (share: PathShare) => boolean])[] = [
  ['what link partners blocked', ({ what }) => what === 'blocked'],
  ['waiting: for turns, acknowledgements, timeouts', ({ what }) => what === 'waiting'],
  ['half of all serialisation (links twice as fast)', ({ what }) => isSerialisation(what)],
];

export function jobWhyText(why: JobWhy, style: Style, all: boolean): string {
  const { job, step, isDone, totalPs } = why;
  const what = isDone ? 'done after' : 'not done; its last operation was done after';
  const title = step === null ? job : `${job}, collective ${step}`;
  return [
    `${style.strong(title)}  ${what} ${formatTime(totalPs)}`,
    ...unfinishedText(why, style),
    shareTable(why, style, all),
    pathTable(why, style, all),
    ...boundsText(why, style),
    ...stragglerTable(why, style, all),
  ].join('\n\n');
}

function isSerialisation(what: PathShare['what']): boolean {
  return what === 'sending' || what === 'serialising';
}

function shareText({ what, mechanism, root }: PathShare): string {
  if (what in TITLES && what !== 'sending') return TITLES[what as PathKind];
  return causeText(what as TimeShare['cause'], mechanism, root);
}

function causeText(
  cause: TimeShare['cause'],
  mechanism: string | null,
  root: string | null,
): string {
  if (cause !== 'blocked') return cause;
  return `${blockedText(mechanism ?? '?')}${root === null ? '' : `, root ${root}`}`;
}

interface Cause {
  readonly text: string;
  /** Most first. */
  readonly ports: readonly string[];
  readonly ps: number;
}

/** One cause at all ports; largest first, as shares are. */
function folded(shares: readonly PathShare[]): Cause[] {
  const causes = new Map<string, { text: string; ports: string[]; ps: number }>();
  for (const share of shares) {
    const text = shareText(share);
    const cause = causes.get(text) ?? { text, ports: [], ps: 0 };
    causes.set(text, cause);
    if (share.port !== '') cause.ports.push(share.port);
    cause.ps += share.ps;
  }
  return [...causes.values()].sort((a, b) => b.ps - a.ps);
}

function portsText(ports: readonly string[]): string {
  const rest = ports.length - PORTS_SHOWN;
  const shown = ports.slice(0, PORTS_SHOWN).join(', ');
  return rest > 0 ? `${shown} and ${formatCount(rest)} more` : shown;
}

function shareTable({ shares, totalPs }: JobWhy, style: Style, all: boolean): string {
  const causes = folded(shares);
  const shown = all ? causes : causes.slice(0, SHARES_SHOWN);
  const rows = shown.map(({ text, ports, ps }) => [
    text,
    portsText(ports),
    formatTime(ps),
    formatShare(ps / totalPs),
    formatCount(ps),
  ]);
  const rest = causes.slice(shown.length);
  if (rest.length > 0) {
    const ps = rest.reduce((sum, share) => sum + share.ps, 0);
    const title = `${formatCount(rest.length)} smaller`;
    rows.push([title, '', formatTime(ps), formatShare(ps / totalPs), formatCount(ps)]);
  }
  rows.push(['in all', '', formatTime(totalPs), '100 %', formatCount(totalPs)]);
  const title = style.strong('Where the time of its critical path went');
  return `${title}\n${table(['what', 'where, most first', 'time', 'share', 'ps'], rows)}`;
}

/** One line an operation; without `all` only the longest, in their order. */
function pathTable({ path }: JobWhy, style: Style, all: boolean): string {
  const longest = new Set(
    path
      .toSorted((a, b) => b.endPs - b.startPs - (a.endPs - a.startPs))
      .slice(0, all ? path.length : PARTS_SHOWN),
  );
  const rows = path
    .filter((part) => longest.has(part))
    .map(({ kind, rank, from, name, startPs, endPs, flow, shares }) => {
      const who = from === rank ? `rank ${rank}` : `rank ${from} to ${rank}`;
      return [
        ...[formatTime(startPs), formatTime(endPs - startPs), who, TITLES[kind], name],
        ...[flow ?? '', mostOf(shares)],
      ];
    });
  const hidden = path.length - rows.length;
  const title = style.strong('Critical path');
  const head = ['at', 'time', 'who', 'what', 'name', 'flow', 'most of it'];
  const more = hidden > 0 ? `\n  and ${formatCount(hidden)} shorter (--all shows them)` : '';
  return `${title}\n${table(head, rows)}${more}`;
}

function mostOf(shares: readonly TimeShare[]): string {
  const [most] = shares.toSorted((a, b) => b.ps - a.ps);
  if (most === undefined) return '';
  const { cause, mechanism, root, port, ps } = most;
  return `${causeText(cause, mechanism, root)} ${port} ${formatTime(ps)}`;
}

function boundsText({ shares, totalPs }: JobWhy, style: Style): string[] {
  const rows = BOUNDS.flatMap(([title, holds]) => {
    const sum = shares.filter(holds).reduce((total, { ps }) => total + ps, 0);
    const ps = title.startsWith('half') ? sum / 2 : sum;
    return ps === 0 ? [] : [[title, formatTime(ps), formatShare(ps / totalPs)]];
  });
  if (rows.length === 0) return [];
  const title = style.strong('What it would save at most without');
  return [`${title}\n${table(['what', 'time', 'share'], rows)}`];
}

function stragglerTable({ stragglers, step }: JobWhy, style: Style, all: boolean): string[] {
  if (stragglers.length === 0) return [];
  const rows = stragglers
    .slice(0, all ? stragglers.length : STRAGGLERS_SHOWN)
    .map(({ rank, host, timesLast, ownPs, inheritedPs }) => [
      `rank ${rank}`,
      host,
      formatTime(ownPs),
      formatTime(inheritedPs),
      formatCount(timesLast),
    ]);
  const where = step === null ? 'over all collectives' : 'at this collective';
  const title = style.strong(`Stragglers (behind the median rank, ${where})`);
  return [`${title}\n${table(['rank', 'host', 'own delay', 'inherited', 'times last'], rows)}`];
}

function unfinishedText({ unfinished }: JobWhy, style: Style): string[] {
  if (unfinished.length === 0) return [];
  const lines = unfinished
    .slice(0, FLOWS_SHOWN)
    .map((flow) => `  ${flow.name}: ${causeOfFlow(flow)}`);
  const rest = unfinished.length - lines.length;
  const more = rest > 0 ? [`  and ${formatCount(rest)} more`] : [];
  return [[style.bad('It waits for messages that have not arrived'), ...lines, ...more].join('\n')];
}
