import { register } from 'node:module';
import { NullProbe } from '../services/engine/contract/probe.js';
import type { SkipPace } from '../services/runtime/skipping/skipper.js';
import type { Session } from '../services/runtime/session.js';
import { framesStarted } from '../services/runtime/checks/stall.js';
import { prepareEngine } from '../services/runtime/engine-flags.js';
import { runBareFabric } from './bare-fabric.js';
import { cpuSeconds, peakMb } from './measure.js';

// One case in one process: `node case.js NAME [K] [N] [MECHANISM]` prints its metrics as JSON.

const [name, ...words] = process.argv.slice(2);
const [first = 0, second = 0] = words.slice(0, 2).map(Number);
const [third = ''] = words.slice(2);

async function sessionOf(text: string, skips: SkipPace | null = null): Promise<Session> {
  prepareEngine();
  const { fabricOf } = await import('./fabrics.js');
  const { Session } = await import('../services/runtime/session.js');
  return new Session(fabricOf(text), { check: false, skips });
}

function finish(session: Session): void {
  while (session.advance(1000) === 'running');
}

/** Runs the first fifth uncounted, then measures the rest. */
function measureHops(session: Session, endPs: number): Record<string, number> {
  while (session.progress().virtualPs < endPs / 5) session.advance(0);
  const before = session.progress().frameHops;
  const framesBefore = framesStarted(session.engine);
  const start = cpuSeconds();
  finish(session);
  const seconds = cpuSeconds() - start;
  const hops = session.progress().frameHops - before;
  // Without control frames and ordered sets.
  const frames = framesStarted(session.engine) - framesBefore;
  return { hops, frames, seconds, peakMb: peakMb() };
}

async function engine(
  text: string,
  virtualUs: number,
  skips: SkipPace | null = null,
): Promise<Record<string, number>> {
  return measureHops(await sessionOf(text, skips), virtualUs * 1e6);
}

async function heard(k: number, virtualUs: number): Promise<Record<string, number>> {
  const { permutation } = await import('./fabrics.js');
  const session = await sessionOf(permutation(k, virtualUs));
  session.engine.listen(new NullProbe());
  return measureHops(session, virtualUs * 1e6);
}

/**
 * With something that is looked at, and what a run directory makes of it in the end: of the whole
 * run, so the measured part of it bears its share.
 */
async function watched(text: string, virtualUs: number): Promise<Record<string, number>> {
  const session = await sessionOf(text);
  const { fabricOf } = await import('./fabrics.js');
  const { capturesWanted } = await import('../services/cli/captured.js');
  const { captureFile } = await import('../services/telemetry/captures/capture-file.js');
  const { frameTraces } = await import('../services/telemetry/traces/frame-traces.js');
  const fabric = fabricOf(text);
  const metrics = measureHops(session, virtualUs * 1e6);
  const start = cpuSeconds();
  const hops = session.hops();
  const episodes = session.congestion()?.episodes.length ?? 0;
  const captures = capturesWanted(fabric, session.captures());
  // As files are written: piece by piece.
  let steps = 0;
  const traces = hops === null ? [] : frameTraces(fabric, hops, virtualUs * 1e6);
  for (const trace of traces) steps += trace.steps.length;
  let octets = 0;
  if (captures !== null) for (const piece of captureFile(fabric, captures)) octets += piece.length;
  const share = metrics['hops']! / session.progress().frameHops;
  const seconds = metrics['seconds']! + share * (cpuSeconds() - start);
  return { ...metrics, octets, steps, episodes, seconds };
}

/** An engine from which something is cut: probes, or assertions. */
async function without(
  cut: string,
  text: string,
  virtualUs: number,
): Promise<Record<string, number>> {
  register(cut, import.meta.url);
  return engine(text, virtualUs);
}

async function job(text: string, skips: SkipPace | null = null): Promise<Record<string, number>> {
  const session = await sessionOf(text, skips);
  const start = cpuSeconds();
  finish(session);
  const seconds = cpuSeconds() - start;
  const { status, frameHops } = session.results('complete');
  if (status !== 'complete') throw new Error(status);
  return { hops: frameHops, seconds, peakMb: peakMb(), wholeSeconds: cpuSeconds() };
}

async function large(k: number, virtualUs: number): Promise<Record<string, number>> {
  const { permutation } = await import('./fabrics.js');
  const start = cpuSeconds();
  const session = await sessionOf(permutation(k, virtualUs));
  const assemblySeconds = cpuSeconds() - start;
  finish(session);
  return { assemblySeconds, seconds: cpuSeconds() - start, peakMb: peakMb() };
}

async function run(): Promise<Record<string, number>> {
  const fabrics = await import('./fabrics.js');
  switch (name) {
    case 'yardstick': {
      const { hops, cpuSeconds: seconds } = runBareFabric(first, second, cpuSeconds);
      return { hops, seconds };
    }
    case 'engine':
      return engine(fabrics.permutation(first, second), second);
    case 'racks':
      return engine(fabrics.racks(first, second), second);
    case 'adapters':
      return engine(fabrics.adapters(first, second), second);
    case 'credit':
      return engine(fabrics.permutation(first, second, 'credit'), second);
    case 'linked':
      return engine(fabrics.linked(first, second), second);
    case 'idle':
      return engine(fabrics.idle(first, second, third), second);
    case 'silenced':
      return without('./cut-probes.js', fabrics.permutation(first, second), second);
    case 'unasserted':
      return without('./cut-assertions.js', fabrics.permutation(first, second), second);
    case 'tracing':
    case 'episodes':
    case 'metrics':
    case 'capture':
      return watched(fabrics.watched(first, second, name), second);
    case 'heard':
      return heard(first, second);
    case 'raw':
      return job(fabrics.rawJob(first, second));
    case 'transfer':
      return job(fabrics.transferJob());
    case 'ring':
      return job(fabrics.ringJob());
    case 'skipped':
      return job(fabrics.ringJob(), 'soon');
    case 'never':
      return engine(fabrics.permutation(first, second), second, 'sparingly');
    case 'large':
      return large(first, second);
    default:
      throw new Error(`there is no case ${String(name)}`);
  }
}

process.stdout.write(JSON.stringify(await run()));
