import type { JSX } from 'preact';
import { formatCount, formatTime } from '../report/format.js';
import type { DcbxGroup, RunPage } from '../report/page/page-data.js';
import { Card, Table, titleOf } from './panels.js';

const NAMES_SHOWN = 3;

/** What LLDP and DCBX came to; ports that came to the same share a line. */
export function DiscoveryCard(props: {
  readonly run: RunPage;
  /** Its name, where there are several. */
  readonly of?: string;
  readonly choose: (port: number) => void;
}): JSX.Element | null {
  const { run, of, choose } = props;
  const { discovery } = run;
  if (discovery === null) return null;
  const settled = discovery.convergence.map(({ fromPs, durationPs }) => {
    if (durationPs === null) return 'has not settled';
    const time = formatTime(durationPs);
    return fromPs === 0 ? `settled in ${time}` : `after ${formatTime(fromPs)} in ${time}`;
  });
  const note = [...settled, `${formatCount(discovery.lldpdus)} LLDPDUs`].join(', ');
  const head = ['ports', 'DCBX', 'PFC local', 'remote', 'operational', 'ETS local', 'remote'];
  return (
    <Card title={titleOf('DCBX', of)} note={note} wide>
      <Table
        texts
        head={[...head, 'operational', 'credit', '']}
        rows={discovery.groups.map((group) => [
          <PortNames group={group} run={run} choose={choose} />,
          group.dcbx,
          ...group.pfc,
          ...group.ets,
          group.credit,
          group.mismatches.length === 0 ? (
            <span class="good">agrees</span>
          ) : (
            <span class="bad">{group.mismatches.join(', ')}</span>
          ),
        ])}
      />
      <p class="faint">w: willing to take what its neighbor says; (peer): it has</p>
    </Card>
  );
}

function PortNames(props: {
  readonly group: DcbxGroup;
  readonly run: RunPage;
  readonly choose: (port: number) => void;
}): JSX.Element {
  const { group, run, choose } = props;
  const link = (place: number): JSX.Element => (
    <button
      key={place}
      type="button"
      class="link"
      onClick={() => {
        choose(place);
      }}
    >
      {run.ports[place]!.name}
    </button>
  );
  if (group.ports.length <= NAMES_SHOWN) return <span class="names">{group.ports.map(link)}</span>;
  return (
    <details class="names">
      <summary>
        {formatCount(group.ports.length)} ports, such as {run.ports[group.ports[0]!]!.name}
      </summary>
      <div class="names">{group.ports.map(link)}</div>
    </details>
  );
}
