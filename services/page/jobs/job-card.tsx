import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { formatCount, formatTime } from '../../report/format.js';
import type { RunPage } from '../../report/page/page-data.js';
import type { JobView } from '../../report/page/page-jobs-data.js';
import { useAddress, useTimeWindow } from '../address.js';
import { FaultLanes } from '../faults.js';
import { goToDevice } from '../address.js';
import { FlowLink } from '../flows/flow-link.js';
import { Card } from '../panels.js';
import { TimeAxis } from '../time-axis.js';
import { type Found, foundAt } from './found-at.js';
import { RankChart, ROW_PX } from './rank-chart.js';
import './jobs.css';

const KEY = [
  ['compute', 'computing'],
  ['communicate', 'sending and receiving'],
  ['critical', 'critical path'],
] as const;

/** What the ranks of a job did over time, and the path that decided when it ended. */
export function JobCards({ run }: { readonly run: RunPage }): JSX.Element {
  return (
    <>
      {run.jobs.map((job) => (
        <JobCard key={job.name} job={job} />
      ))}
    </>
  );
}

function JobCard({ job }: { readonly job: JobView }): JSX.Element {
  const window = useTimeWindow();
  const { at } = useAddress();
  const [fromPs, toPs] = window ?? [job.startPs, job.endPs];
  const [found, setFound] = useState<Found | null>(null);
  const rows = useMemo(() => new Map(job.ranks.map(({ rank }, row) => [rank, row])), [job]);
  return (
    <Card title={`Job ${job.name}`} note={noteOf(job)} wide>
      <p class="legend">
        {KEY.map(([kind, name]) => (
          <span key={kind}>
            <i class={`swatch ${kind}`} /> {name}
          </span>
        ))}
        <span class="hint">drag to zoom; click for an operation and its flows</span>
      </p>
      <FaultLanes {...{ fromPs, toPs }} />
      <div class="ranks">
        <ol style={{ gridAutoRows: `${ROW_PX}px` }}>
          {job.ranks.map(({ rank, host }) => (
            <li key={rank}>
              <button
                type="button"
                class="link"
                onClick={() => {
                  goToDevice(host);
                }}
              >
                {rank} <span class="faint">{host}</span>
              </button>
            </li>
          ))}
        </ol>
        <RankChart
          {...{ job, rows, fromPs, toPs, at }}
          choose={(row, timePs, slackPs) => {
            setFound(foundAt(job, row, timePs, slackPs));
          }}
        />
        <span />
        <TimeAxis fromPs={fromPs} toPs={toPs} />
      </div>
      {found !== null && <Operation found={found} />}
    </Card>
  );
}

function noteOf({ isDone, startPs, endPs, ranks, rankCount }: JobView): string {
  const lasted = formatTime(endPs - startPs);
  const what = isDone ? `done after ${lasted}` : `not done after ${lasted}`;
  if (ranks.length === rankCount) return what;
  return `${what}; ${formatCount(ranks.length)} of ${formatCount(rankCount)} ranks`;
}

function Operation({ found }: { readonly found: Found }): JSX.Element {
  const { rank, host, what, startPs, endPs, flows, path } = found;
  return (
    <p class="facts operation">
      <b>
        rank {rank} ({host}): {what}
      </b>{' '}
      {formatTime(startPs)} to {formatTime(endPs)}, {formatTime(endPs - startPs)}
      {path !== null && <span class="on-path">; critical path: {path}</span>}
      {flows.length > 0 && <br />}
      {flows.map((name) => (
        <FlowLink key={name} name={name} />
      ))}
    </p>
  );
}
