/** Procedures of the lab (sonic-mgmt sai_qos_tests) on an emulated switch. */

import type { Fabric } from '../fabric/assembly/fabric.js';
import type { Source } from './bench.js';
import { Bench } from './bench.js';

/** What is measured at a port and group, in frames of the shortest length. */
export interface ProbeResult {
  /** The frame with which PFC is sent, and the first that is lost. */
  readonly pfc: number | null;
  readonly drop: number;
  /** Frames that have to leave until XON; null where no PFC was sent. */
  readonly xon: number | null;
  /** PFC of one group after another, all of one slice, each at its threshold. */
  readonly pfcOfEach: readonly number[];
  /** Groups whose headroom was filled after that, and frames in each. */
  readonly headroom: readonly number[];
  /** The first frame of a lossy queue that is lost; null: there is none with a limit. */
  readonly lossyEgress: number | null;
}

interface ProbeRequest {
  readonly device: string;
  /** From 0. */
  readonly port: number;
  readonly priority: number;
  /** Priorities that pause, in the order in which later groups are taken. */
  readonly paused: readonly number[];
  readonly lossy: number | null;
  /** At most so many groups one after another. */
  readonly groups: number;
}

export function probe(fabric: Fabric, request: ProbeRequest): ProbeResult {
  const { device, port, priority, lossy } = request;
  const source = { port, priority };
  const last = fabric.specs.find(({ name }) => name === device)!.ports.length - 1;
  const to = port === last ? 0 : last;
  const bench = (): Bench => new Bench(fabric, device);
  const { pfc, drop } = bench().fill(source, to);
  return {
    ...{ pfc, drop, xon: pfc === null ? null : xonOf(bench(), source, to) },
    ...(pfc === null ? { pfcOfEach: [], headroom: [] } : oneByOne(bench(), fabric, request, to)),
    lossyEgress: lossy === null ? null : bench().untilDrop({ port, priority: lossy }, to) + 1,
  };
}

function xonOf(bench: Bench, source: Source, to: number): number {
  bench.untilPfc(source, to);
  return bench.untilXon(source, to);
}

/** Groups to their thresholds, one after another; then their headroom, until there is no more. */
function oneByOne(
  bench: Bench,
  fabric: Fabric,
  { device, port, paused, groups }: ProbeRequest,
  to: number,
): Pick<ProbeResult, 'pfcOfEach' | 'headroom'> {
  const taken: Source[] = [];
  const pfcOfEach: number[] = [];
  for (const source of sourcesOf(fabric, device, port, paused)) {
    if (taken.length === groups) break;
    const frames = bench.untilPfc(source, to);
    if (frames === null) break;
    taken.push(source);
    pfcOfEach.push(frames);
  }
  const headroom: number[] = [];
  for (const source of taken) {
    const before = bench.inHeadroom(source);
    bench.untilDrop(source, to);
    headroom.push(bench.inHeadroom(source) - before);
    if (headroom.at(-1) === 0) break;
  }
  return { pfcOfEach, headroom };
}

/** Ports of the same slice, the first one first, each with all priorities that pause. */
function sourcesOf(
  fabric: Fabric,
  device: string,
  first: number,
  paused: readonly number[],
): Source[] {
  const spec = fabric.specs.find(({ name }) => name === device)!;
  if (spec.kind !== 'switch') return [];
  const { pools } = spec.buffer;
  const slice = pools?.sliceOf[first];
  const ports = spec.ports.flatMap((_, port) =>
    port !== first && (pools === null || pools.sliceOf[port] === slice) ? [port] : [],
  );
  return [first, ...ports].flatMap((port) => paused.map((priority) => ({ port, priority })));
}
