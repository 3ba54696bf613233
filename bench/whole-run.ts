import { readFileSync } from 'node:fs';
import { prepareEngine } from '../services/runtime/engine-flags.js';
import { cpuSeconds, peakMb } from './measure.js';

// A run in this process from its text to its results, as JSON: seconds and memory.
//   whole-run.js FILE THREADS      one thread: 1

prepareEngine();
const { fabricOf } = await import('./fabrics.js');
const [file = '', threads = '1'] = process.argv.slice(2);
const start = performance.now();
const fabric = fabricOf(readFileSync(file, 'utf8'));
const frameHops = await (threads === '1' ? inOneThread() : inSeveral(Number(threads)));
const wallSeconds = (performance.now() - start) / 1000;
process.stdout.write(
  JSON.stringify({ wallSeconds, cpuSeconds: cpuSeconds(), peakMb: peakMb(), frameHops }),
);

async function inOneThread(): Promise<number> {
  const { Session } = await import('../services/runtime/session.js');
  const session = new Session(fabric, { check: false });
  while (session.advance(1000) === 'running');
  return session.results('complete').frameHops;
}

async function inSeveral(count: number): Promise<number> {
  const { planPartitions } = await import('../services/fabric/placement/partition-plan.js');
  const { placeInServices } = await import('../services/fabric/placement/parts.js');
  const { ThreadsRun } = await import('../services/runtime/threads/run-threads.js');
  const plans = planPartitions(fabric, placeInServices(fabric, count));
  const { results } = await new ThreadsRun(fabric, plans, { check: false, from: null }).run();
  return results.frameHops;
}
