import type { JSX } from 'preact';
import { goTo, useAddress } from './address.js';
import { FlowLink } from './flows/flow-link.js';
import { Card, counted, Ports, titleOf } from './panels.js';
import type { RunPage } from '../report/page/page-data.js';
import { formatCount } from '../report/format.js';
import { deviceOf } from './search/find.js';

const FLOWS_SHOWN = 24;

/** The chosen host or switch: its ports, and the flows that begin, end or pass there. */
export function DeviceCard(props: {
  readonly run: RunPage;
  /** Its name, where there are several. */
  readonly of?: string;
}): JSX.Element | null {
  const { run, of } = props;
  const { device } = useAddress();
  if (device === null) return null;
  const own = [...run.ports.keys()].filter((place) => deviceOf(run.ports[place]!.name) === device);
  if (own.length === 0) return null;
  const ports = new Set(own);
  const flows = run.flows.rows.filter(
    ({ path, destination }) => destination === device || path.some((port) => ports.has(port)),
  );
  return (
    <Card
      {...(of === undefined ? { id: 'device' } : {})}
      title={titleOf(device, of)}
      note={counted(own.length, 'port')}
      wide
    >
      <button
        type="button"
        class="close"
        aria-label="close the device"
        onClick={() => {
          goTo({ device: null });
        }}
      >
        ×
      </button>
      <Ports run={run} order={own} most={own.length} />
      {flows.length > 0 && (
        <p class="facts">
          {counted(flows.length, 'flow')}:{' '}
          {flows.slice(0, FLOWS_SHOWN).map(({ name }) => (
            <FlowLink key={name} name={name} />
          ))}
          {flows.length > FLOWS_SHOWN && `and ${formatCount(flows.length - FLOWS_SHOWN)} more`}
        </p>
      )}
    </Card>
  );
}
