import type { JSX } from 'preact';
import type { RunPage } from '../report/page/page-data.js';
import { Card, Table } from './panels.js';

/** Devices that show what is inside them. */
export function DevicePanels({ run }: { readonly run: RunPage }): JSX.Element {
  return (
    <>
      {run.panels.map((panel) => (
        <DevicePanel key={panel.title} panel={panel} />
      ))}
    </>
  );
}

function DevicePanel({ panel }: { readonly panel: RunPage['panels'][number] }): JSX.Element {
  const { title, note, lamps, head, rows, lines } = panel;
  return (
    <Card title={title} note={note}>
      <p class="legend">
        {lamps.map(({ name, lit, tip }) => (
          <span key={tip} title={tip}>
            <i class={lit ? 'led lit' : 'led'} /> {name}
          </span>
        ))}
      </p>
      <Table head={head} rows={rows} />
      {lines.map((line) => (
        <p class="facts" key={line}>
          {line}
        </p>
      ))}
    </Card>
  );
}
