import type { JobResult, RankSpread } from '../../jobs/job-rows.js';
import { formatCount, formatOctets, formatTime } from '../format.js';
import type { Style } from '../style.js';
import { table } from '../table.js';

const GIGABYTE_BITS = 8e9;

/** Iterations of jobs, and their collectives as nccl-tests print them. */
export function jobText(jobs: readonly JobResult[], style: Style): string {
  if (jobs.length === 0) return '';
  const rows = jobs.map((job) => [
    job.job,
    formatCount(job.ranks),
    `${formatCount(job.doneOperations)} / ${formatCount(job.operations)}`,
    job.iterationPs === null ? 'not done' : formatTime(job.iterationPs),
    ...rooflineOf(job),
    ...spread(job.finished),
    formatTime(job.computing.maxPs),
    job.exposed === null ? '–' : formatTime(job.exposed.maxPs),
  ]);
  const head = ['job', 'ranks', 'operations', 'iteration', 'roofline', 'ratio'];
  const parts = [
    style.strong('Jobs'),
    table([...head, 'rank min', 'p50', 'max', 'computing', 'exposed'], rows),
    ...collectiveTable(jobs),
    '  roofline: no network is faster; exposed: most time in which a rank does not compute',
    ...(jobs.some(({ collectives }) => collectives.length > 0)
      ? ['  busbw: as nccl-tests define it']
      : []),
  ];
  return parts.join('\n');
}

function rooflineOf({ iterationPs, rooflinePs }: JobResult): string[] {
  if (rooflinePs === null || iterationPs === null) return ['–', '–'];
  const ratio = rooflinePs === 0 ? '–' : (iterationPs / rooflinePs).toFixed(2);
  return [formatTime(rooflinePs), ratio];
}

function spread(ranks: RankSpread | null): string[] {
  if (ranks === null) return ['–', '–', '–'];
  return [ranks.minPs, ranks.p50Ps, ranks.maxPs].map(formatTime);
}

function collectiveTable(jobs: readonly JobResult[]): string[] {
  const rows = jobs.flatMap(({ job, collectives }) =>
    collectives.map((one) => [
      job,
      one.kind,
      formatCount(one.ranks),
      formatOctets(one.vectorOctets),
      `${formatCount(one.done)} / ${formatCount(one.count)}`,
      one.timePs === null ? '–' : formatTime(one.timePs),
      one.slowestPs === null ? '–' : formatTime(one.slowestPs),
      formatGigabytes(one.algorithmBps),
      formatGigabytes(one.busBps),
    ]),
  );
  if (rows.length === 0) return [];
  const head = ['job', 'collective', 'ranks', 'size', 'done', 'time', 'slowest'];
  return [table([...head, 'algbw GB/s', 'busbw GB/s'], rows)];
}

function formatGigabytes(bps: number | null): string {
  return bps === null ? '–' : (bps / GIGABYTE_BITS).toFixed(2);
}
