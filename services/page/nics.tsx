import type { JSX } from 'preact';
import type { NicView, RunPage } from '../report/page/page-data.js';
import { formatCount, formatOctets, formatRate, formatTime } from '../report/format.js';
import { Card, Table } from './panels.js';

/** Every 82599 of a run, as it was at the end. */
export function Nics({ run }: { readonly run: RunPage }): JSX.Element {
  return (
    <>
      {run.nics.map((nic) => (
        <Nic key={nic.device} nic={nic} />
      ))}
    </>
  );
}

function Nic({ nic }: { readonly nic: NicView }): JSX.Element {
  return (
    <Card title={nic.device} note="82599, at the end">
      <p class="legend">
        {nic.leds.map(({ source, lit, changes }, led) => (
          <span key={led} title={`LED${led}, changed ${formatCount(changes)} times`}>
            <i class={lit ? 'led lit' : 'led'} /> {source}
          </span>
        ))}
      </p>
      <Table
        head={['class', 'group', 'strict', 'refill', 'credits', 'frames', 'tail to wire']}
        rows={nic.classes.map((row) => [
          ...[row.tc, row.group].map(String),
          row.strict,
          ...[row.refill, row.credit].map(String),
          formatCount(row.frames),
          formatTime(row.longestPs),
        ])}
      />
      <p class="facts">{factsOf(nic)}</p>
    </Card>
  );
}

function factsOf({ receivePeakOctets, limited }: NicView): string {
  const queues = limited.map(({ queue, rateBps }) => `queue ${queue} ${formatRate(rateBps)}`);
  const rates = queues.length === 0 ? 'no queue is rate controlled' : queues.join(', ');
  return `fullest receive buffer ${formatOctets(receivePeakOctets)}; ${rates}`;
}
