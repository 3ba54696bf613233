import { defectsOf } from './check-job.js';
import { chakraJob, type RankTrace } from './chakra/chakra-job.js';
import { readTrace } from './chakra/read-trace.js';
import { readGoal } from './goal/read-goal.js';
import type { JobGraph } from './graph.js';
import { matrixJob } from './htsim/matrix-job.js';
import { readMatrix, type StartUnit } from './htsim/read-matrix.js';
import { algorithmJob } from './msccl/algorithm-job.js';
import { readAlgorithm } from './msccl/read-algorithm.js';
import { readWorkload } from './simai/read-workload.js';
import { workloadJob } from './simai/workload-job.js';
import { JobSource, settleAll } from './source.js';

/** The files of other programs that a job may be in, and how they are read. */
export type JobFiles =
  | { readonly format: 'goal'; readonly path: string }
  | {
      readonly format: 'chakra';
      readonly paths: readonly string[];
      readonly edges: 'data' | 'data+control';
    }
  | { readonly format: 'simai'; readonly path: string; readonly passes: number }
  | { readonly format: 'msccl'; readonly path: string; readonly octets: number }
  | {
      readonly format: 'htsim';
      readonly path: string;
      readonly unit: StartUnit;
      /** A send is done when it is acknowledged. */
      readonly areAcknowledged: boolean;
    };

/** The job of some files; throws all of their errors. */
export function jobOfFiles(files: JobFiles, octetsOf: (path: string) => Uint8Array): JobGraph {
  const paths = files.format === 'chakra' ? files.paths : [files.path];
  const sources = paths.map((path) => new JobSource(path));
  const graph = graphOf(files, sources, paths.map(octetsOf));
  for (const { rank, origin, message } of defectsOf(graph)) {
    // Nodes of traces have numbers, and no lines.
    const [source, line] = files.format === 'chakra' ? [sources[rank], 0] : [sources[0], origin];
    source!.attempt(() => {
      throw source!.errorAt(line, message);
    });
  }
  settleAll(sources);
  return graph;
}

function graphOf(
  files: JobFiles,
  sources: readonly JobSource[],
  octets: readonly Uint8Array[],
): JobGraph {
  const [source, own] = [sources[0]!, octets[0]!];
  const text = (): string => new TextDecoder().decode(own);
  switch (files.format) {
    case 'goal':
      return readGoal(source, own);
    case 'chakra':
      return chakraJob(tracesOf(sources, octets), files);
    case 'simai':
      return workloadJob(readWorkload(source, text()), files.passes);
    case 'msccl':
      return algorithmJob(source, readAlgorithm(source, text()), files.octets);
    case 'htsim':
      return matrixJob(source, readMatrix(source, text(), files.unit), files);
  }
}

function tracesOf(sources: readonly JobSource[], octets: readonly Uint8Array[]): RankTrace[] {
  const traces = sources.map((source, rank) => ({
    source,
    nodes: source.attempt(() => readTrace(source, octets[rank]!)) ?? [],
  }));
  settleAll(sources);
  return traces;
}
