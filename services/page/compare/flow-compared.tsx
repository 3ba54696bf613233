import type { ComponentChildren, JSX } from 'preact';
import { formatOctets, formatRatio, formatTime } from '../../report/format.js';
import type { RunPage } from '../../report/page/page-data.js';
import type { Figure, FlowView } from '../../report/page/page-flow-data.js';
import { goTo, useAddress } from '../address.js';
import { blockedText } from '../../report/blocked-text.js';
import { figureText } from '../figure-text.js';
import { causesOfFlow } from '../flows/flow-causes.js';
import { Card, Table } from '../panels.js';

interface Row {
  readonly label: string;
  readonly cell: (flow: FlowView, run: RunPage) => ComponentChildren;
}

const ROWS: readonly Row[] = [
  {
    label: 'delivered',
    cell: ({ payloadOctets, offeredOctets }) =>
      offeredOctets === null
        ? formatOctets(payloadOctets)
        : `${formatOctets(payloadOctets)} of ${formatOctets(offeredOctets)}`,
  },
  {
    label: 'FCT',
    cell: ({ completionPs, offeredOctets }) =>
      completionPs === null && offeredOctets !== null ? 'not complete' : formatTime(completionPs),
  },
  { label: 'slowdown', cell: ({ slowdown }) => formatRatio(slowdown) },
];

function rowsOf(figures: readonly Figure[]): Row[] {
  const measured = figures.map((figure): Row => ({
    label: figure.head!,
    cell: (flow) => figureText(figure, flow.figures[figure.by]),
  }));
  return [...ROWS, ...measured, { label: 'blocked most at', cell: blockedMost }];
}

/** The chosen flow in every run that is compared. */
export function FlowCompared({ runs }: { readonly runs: readonly RunPage[] }): JSX.Element | null {
  const { flow: name } = useAddress();
  const flows = runs.map(({ flows: { rows } }) => rows.find((flow) => flow.name === name));
  if (flows.every((flow) => flow === undefined)) return null;
  return (
    <Card id="flow" title={`Flow ${name!}`} wide>
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
      <Table
        texts
        head={['', ...runs.map(({ title }) => title)]}
        rows={rowsOf(runs[0]!.flows.figures).map(({ label, cell }) => [
          label,
          ...flows.map((flow, i) => (flow === undefined ? 'not there' : cell(flow, runs[i]!))),
        ])}
      />
    </Card>
  );
}

function blockedMost(flow: FlowView, run: RunPage): string {
  if (run.episodes === null) return 'not observed';
  const [cause] = causesOfFlow(run, flow);
  if (cause === undefined) return 'nowhere';
  return `${cause.port}, ${blockedText(cause.mechanism)}; root: ${cause.rootName}`;
}
