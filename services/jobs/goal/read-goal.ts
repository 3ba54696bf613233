import type { JobGraph } from '../graph.js';
import type { JobSource } from '../source.js';
import { isBinaryGoal, parseBinaryGoal } from './binary-goal.js';
import { parseGoal } from './parse-goal.js';

/** Comments at the head of a file are looked through so far. */
const HEAD_OCTETS = 1 << 16;

/** Known by its magic number, or by its first statement behind comments. */
export function isGoal(octets: Uint8Array): boolean {
  if (isBinaryGoal(octets)) return true;
  const head = new TextDecoder().decode(octets.subarray(0, HEAD_OCTETS));
  return /^(?:\s|\/\/.*\n|\/\*[^]*?\*\/)*num_ranks\s/.test(head);
}

/** A file of GOAL, as text or as the octets that LogGOPSim reads: told apart by how it begins. */
export function readGoal(source: JobSource, octets: Uint8Array): JobGraph {
  if (isBinaryGoal(octets)) return parseBinaryGoal(source, octets);
  return parseGoal(source, new TextDecoder().decode(octets));
}
