/** Pages of the reference that the program writes itself, by the name of their topic. */

import type { Command } from 'commander';
import type { Column } from '../mechanisms/result-table.js';
import { METRICS } from '../fabric/scenario/metrics.js';
import type { DescribedTable } from '../report/tables/columns.js';
import { TABLES } from '../report/tables/columns.js';
import { didYouMean, listed } from '../settings/errors.js';
import { describeInstruments } from '../telemetry/metrics/instruments.js';
import { commandsPage } from './commands-page.js';
import { CONFORMANCE_PAGES } from './conformance-pages.js';
import { InputError } from './exit.js';
import { markdownTable } from './markdown-table.js';
import { wirePage } from './wire-page.js';

const PAGES: Readonly<Record<string, (program: Command) => string>> = {
  commands: commandsPage,
  metrics: metricsPage,
  tables: tablesPage,
  'wire-formats': wirePage,
  ...CONFORMANCE_PAGES,
};

export function referencePage(topic: string, program: Command): string {
  const page = PAGES[topic];
  if (page !== undefined) return page(program);
  const names = Object.keys(PAGES);
  throw new InputError(
    `--markdown prints no page of ${topic}: it prints every key without a topic, or one of ` +
      `${listed(names)}${didYouMean(topic, names)}`,
  );
}

const METRICS_HEAD = `# Metrics

What \`expect\` of a scenario can demand, and what Prometheus and OpenTelemetry receive. This page
is written by \`selvage explain metrics --markdown\`.
`;

const EXPECT_HEAD = `## Metrics of expectations

    expect:
      - { metric: completion.p99, load: burst, max: 800us }

\`selvage explain METRIC\` shows one. Which of \`load\`, \`flow\`, \`priority\`, \`port\` and
\`device\` select what is measured is in [keys.md](keys.md#expect).
`;

const EXPORTED_HEAD = `## Metrics for Prometheus and OpenTelemetry

\`selvage run SCENARIO --metrics 9464\` serves them while a run goes on; \`--otlp\` sends them at
its end. In OpenTelemetry a name has no \`_total\`. Times of flows and queues are virtual.
`;

/** Base units, as results have them. */
const UNITS: Readonly<Record<string, string>> = {
  count: 'count',
  time: 'time (ps)',
  rate: 'rate (bit/s)',
  octets: 'bytes',
  share: 'share (0 to 1)',
  ratio: 'ratio',
  text: 'text',
};

function metricsPage(): string {
  const metrics = Object.entries(METRICS).map(([name, { unit, meaning }]) => [
    ...[`\`${name}\``, UNITS[unit]!, sentence(meaning)],
  ]);
  const exported = describeInstruments().map(({ name, kind, labels, meaning }) => [
    ...[`\`${name}\``, kind, labels.map((label) => `\`${label}\``).join(', '), meaning],
  ]);
  return [
    METRICS_HEAD,
    EXPECT_HEAD,
    markdownTable(['metric', 'unit', 'meaning'], metrics),
    EXPORTED_HEAD,
    markdownTable(['metric', 'kind', 'labels', 'meaning'], exported),
  ].join('\n');
}

const TABLES_HEAD = `# Tables of a run directory

Each table is \`NAME.csv\` and \`NAME.parquet\` in the run directory, \`NAME\` in \`selvage query\`.
A table is there when it has rows; \`flows\`, \`ports\` and \`margins\` always are. An empty field
means: does not apply, or unknown. Times are virtual, from the beginning of the run. This page is
written by \`selvage explain tables --markdown\`.

    selvage query RUN "select name, slowdown from flows order by slowdown desc limit 5"

Totals are in \`summary.json\`, which [summary.schema.json](summary.schema.json) describes.
`;

function tablesPage(): string {
  return [TABLES_HEAD, ...TABLES.map(tableSection)].join('\n');
}

function tableSection({ name, about, columns }: DescribedTable): string {
  const rows = columns.map((column) => [
    ...[`\`${column.name}\``, column.type, unitOf(column), column.meaning],
  ]);
  const text = markdownTable(['column', 'type', 'unit', 'meaning'], rows);
  return `## ${name}\n\nA row: ${about}.\n\n${text}`;
}

function unitOf({ unit, type }: Column): string {
  return type === 'VARCHAR' ? '' : unit;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
