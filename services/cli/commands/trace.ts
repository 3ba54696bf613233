import { PS_PER_NS } from '../../engine/units/time.js';
import { join } from 'node:path';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { matchesGlob } from '../../fabric/scenario/selector.js';
import type { ObserveSection } from '../../fabric/scenario/observe-section.js';
import { formatOctets } from '../../report/format.js';
import { readRunFile } from '../../report/run-directory.js';
import { RunDirectoryError, runJson } from '../../report/run-json.js';
import { prepareEngine } from '../../runtime/engine-flags.js';
import { repeatObserved } from '../../runtime/repeat-run.js';
import { SERIES_COLUMNS } from '../../runtime/series.js';
import { didYouMean } from '../../settings/errors.js';
import { aboveZero, share as shareOf, size, time } from '../../settings/quantities.js';
import type { Quantity } from '../../settings/quantities.js';
import { runTimeline } from '../../telemetry/perfetto/run-timeline.js';
import { EXIT, InputError } from '../exit.js';
import { framesWanted, warnOfUnkept } from '../traced-frames.js';
import { prepareFiles, writePieces } from '../write-out.js';
import { sameScenario, storedRun } from './resume.js';

export interface TraceOptions {
  readonly perfetto: string;
  readonly share?: string;
  readonly flow: readonly string[];
  readonly sample?: string;
  /** The most that is written. */
  readonly most?: string;
}

/** Of a run that followed no frames: one in a hundred, those that were slowest, those dropped. */
const FRAMES = { share: 0.01, flows: [], priorities: [], slowest: 20, dropped: true };
const NO_OTHERS = { share: 1, slowest: 0, dropped: false };
const SAMPLES = 1000;
/** What viewers open at once. */
const OCTETS_MOST = 200e6;

/** Repeats a run and writes what it did as a trace for Perfetto. */
export function traceCommand(run: string, options: TraceOptions): number {
  const observe = observeOf(options);
  const most = optional('--most', options.most, aboveZero(size)) ?? OCTETS_MOST;
  prepareFiles(options.perfetto);
  prepareEngine();
  const stored = storedRun(run);
  const { fabric } = sameScenario(run, stored);
  const wanted = observe(fabric, () => virtualPsOf(run));
  const { results, congestion, hops, rows } = repeatObserved(
    fabric,
    stored.state?.boundPs ?? null,
    wanted,
  );
  if (results.digest !== stored.digest) {
    throw new InputError(
      `${run} cannot be repeated from its scenario (a branch, or another version of selvage): ` +
        'trace a run of this version',
    );
  }
  const watched = { ...fabric, scenario: { ...fabric.scenario, observe: wanted } };
  const { timeline, frames } = runTimeline({
    fabric,
    nowPs: results.virtualPs,
    congestion,
    operations: results.operations,
    traces: framesWanted(watched, { results, hops, state: stored.state }) ?? [],
    series: { columns: SERIES_COLUMNS.map(({ name }) => name), rows, intervalPs: wanted.series },
  });
  const pieces = [...timeline.octets()];
  const { slices, arrows } = timeline.counts;
  const octets = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (octets > most) {
    throw new InputError(
      `${options.perfetto} would have ${formatOctets(octets)}, more than ` +
        `${formatOctets(most)}: follow fewer frames (--share, --flow), or raise --most`,
    );
  }
  writePieces(pieces, options.perfetto);
  warnOfUnkept(hops);
  process.stdout.write(
    `${options.perfetto}: ${frames} frames and ${congestion.episodes.length} episodes in ` +
      `${slices} slices, ${arrows} arrows; open it at https://ui.perfetto.dev\n`,
  );
  return EXIT.COMPLETE;
}

/** What is observed when the run is repeated: what it did observe, and what it lacked. */
function observeOf(
  options: TraceOptions,
): (fabric: Fabric, virtualPs: () => number) => ObserveSection & { readonly series: number } {
  const share = optional('--share', options.share, shareOf);
  const samplePs = optional('--sample', options.sample, aboveZero(time));
  return ({ flows, scenario: { observe } }, virtualPs) => {
    const { flow: names } = options;
    const unknown = names.find((name) => !flows.some((flow) => matchesGlob(name, flow.name)));
    if (unknown !== undefined) {
      const known = flows.map(({ name }) => name);
      throw new InputError(
        `--flow ${unknown}: no flow has such a name${didYouMean(unknown, known)}`,
      );
    }
    const own = typeof observe.series === 'number' ? observe.series : null;
    // All frames of a flow that is named, and no others.
    const named = names.length === 0 ? {} : { ...NO_OTHERS, flows: names };
    // A share is one of all frames, whichever the scenario follows.
    const part = share === null ? {} : { flows: names, share };
    return {
      ...observe,
      episodes: true,
      captures: null,
      series: samplePs ?? own ?? thousandthOf(virtualPs()),
      traces: { ...(observe.traces ?? FRAMES), ...named, ...part },
    };
  };
}

function optional(option: string, text: string | undefined, quantity: Quantity): number | null {
  if (text === undefined) return null;
  try {
    return quantity.parse(text);
  } catch (error) {
    throw new InputError(`${option} ${text}: ${(error as Error).message}`);
  }
}

/** In whole nanoseconds. */
function thousandthOf(virtualPs: number): number {
  return Math.max(1, Math.ceil(virtualPs / SAMPLES / PS_PER_NS)) * PS_PER_NS;
}

function virtualPsOf(run: string): number {
  const name = 'summary.json';
  try {
    const summary = runJson(join(run, name), readRunFile(run, name), { virtualPs: 'number' });
    return (summary as { readonly virtualPs: number }).virtualPs;
  } catch (error) {
    if (error instanceof RunDirectoryError) throw new InputError(error.message);
    throw error;
  }
}
