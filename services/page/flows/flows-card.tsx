import type { ComponentChildren, JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { formatCount, formatRatio, formatShare, formatTime } from '../../report/format.js';
import type { FlowsView, FlowView } from '../../report/page/page-flow-data.js';
import type { RunPage } from '../../report/page/page-data.js';
import { goTo, goToFlow, useAddress } from '../address.js';
import { figureText } from '../figure-text.js';
import { Card, Chips } from '../panels.js';
import type { FlowFilter, FlowOrder } from './flow-table.js';
import { doneShare, inOrder, orderOf, passes, usefulFilters } from './flow-table.js';
import './flows.css';

const ROWS = 12;
const MORE_ROWS = 100;

interface Column {
  readonly by: string;
  readonly head: string;
  readonly cell: (flow: FlowView) => ComponentChildren;
}

/** The flows of a run: sorted, filtered, each leading to its own view. */
export function FlowsCard({ run }: { readonly run: RunPage }): JSX.Element | null {
  const { rows, total } = run.flows;
  const { flow: chosen, sort, filter: wanted, find } = useAddress();
  const words = find ?? '';
  const [most, setMost] = useState(ROWS);
  const columns = useMemo(() => columnsOf(run.flows), [run.flows]);
  const filters = useMemo(() => usefulFilters(rows), [rows]);
  const filter = filters.find((one) => one === wanted) ?? 'all';
  const order = useMemo(() => orderOf(sort, run.flows.figures), [sort, run.flows]);
  const found = useMemo(
    () =>
      inOrder(
        rows.filter((flow) => passes(flow, filter, words)),
        order,
      ),
    [rows, filter, words, order],
  );
  if (total === 0) return null;
  const rest = total > rows.length ? `; flows.csv has all ${formatCount(total)}` : '';
  const note = `${formatCount(found.length)} of ${formatCount(rows.length)}${rest}`;
  return (
    <Card title="Flows" note={note} wide>
      <div class="chips">
        {filters.length > 1 && <Chips all={filters} chosen={filter} choose={setFilter} />}
        <input
          type="search"
          aria-label="filter flows"
          placeholder="filter by name or host"
          value={words}
          onInput={(event) => {
            goTo({ find: event.currentTarget.value || null });
          }}
        />
      </div>
      <div class="scroll texts">
        <table class="flows">
          <thead>
            <tr>
              {columns.map(({ by, head }) => (
                <th key={by} aria-sort={sortOf(order, by)}>
                  <button
                    type="button"
                    onClick={() => {
                      const isDown = order?.by === by ? !order.descending : by !== 'name';
                      goTo({ sort: isDown ? `-${by}` : by });
                    }}
                  >
                    {head}
                    {order?.by === by && (order.descending ? ' ↓' : ' ↑')}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {found.slice(0, most).map((flow) => (
              <tr
                key={flow.name}
                class={flow.name === chosen ? 'on' : ''}
                onClick={() => {
                  goToFlow(flow.name);
                }}
              >
                {columns.map(({ by, cell }) => (
                  <td key={by}>{cell(flow)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {found.length === 0 && <p class="none">no flow matches</p>}
      {found.length > most && (
        <button
          type="button"
          class="more"
          onClick={() => {
            setMost(most + MORE_ROWS);
          }}
        >
          {formatCount(Math.min(MORE_ROWS, found.length - most))} more
        </button>
      )}
    </Card>
  );
}

function setFilter(filter: FlowFilter): void {
  goTo({ filter: filter === 'all' ? null : filter });
}

function sortOf(order: FlowOrder | null, by: string): 'ascending' | 'descending' | 'none' {
  if (order?.by !== by) return 'none';
  return order.descending ? 'descending' : 'ascending';
}

/** What no flow has is no column; nor is a figure that is zero throughout. */
function columnsOf({ rows: flows, figures }: FlowsView): Column[] {
  const has = (value: (flow: FlowView) => number | null): boolean =>
    flows.some((flow) => value(flow) !== null);
  const hasVolume = has(({ offeredOctets }) => offeredOctets);
  const columns: (Column | false)[] = [
    {
      by: 'name',
      head: 'flow',
      cell: ({ name, role }) => (
        <>
          <button type="button" class="link">
            {name}
          </button>
          {(role === 'victim' || role === 'both') && <span class="pill victim">victim</span>}
          {(role === 'culprit' || role === 'both') && <span class="pill culprit">culprit</span>}
        </>
      ),
    },
    { by: 'priority', head: 'priority', cell: ({ priority }) => priority },
    { by: 'start', head: 'start', cell: ({ startPs }) => formatTime(startPs) },
    hasVolume && { by: 'done', head: 'done', cell: (flow) => <Done flow={flow} /> },
    hasVolume && {
      by: 'completion',
      head: 'FCT',
      cell: ({ completionPs }) => formatTime(completionPs),
    },
    has(({ slowdown }) => slowdown) && {
      by: 'slowdown',
      head: 'slowdown',
      cell: ({ slowdown }) => formatRatio(slowdown),
    },
    ...figures
      .filter(({ by }) => flows.some((flow) => (flow.figures[by] ?? 0) !== 0))
      .map((figure): Column => ({
        ...{ by: figure.by, head: figure.head! },
        cell: (flow) => figureText(figure, flow.figures[figure.by]),
      })),
  ];
  return columns.filter((column) => column !== false);
}

function Done({ flow }: { readonly flow: FlowView }): JSX.Element {
  const share = doneShare(flow);
  if (share === null) return <>stream</>;
  return (
    <span class={share < 1 ? 'done' : 'done whole'}>
      <i style={{ width: `${100 * share}%` }} />
      {formatShare(share)}
    </span>
  );
}
