import type { JobGraph } from '../graph.js';
import type { JobSource } from '../source.js';
import { isBinaryGoal, parseBinaryGoal } from './binary-goal.js';
import { parseGoal } from './parse-goal.js';

/** A file of GOAL, as text or as the octets that LogGOPSim reads: told apart by how it begins. */
export function readGoal(source: JobSource, octets: Uint8Array): JobGraph {
  if (isBinaryGoal(octets)) return parseBinaryGoal(source, octets);
  return parseGoal(source, new TextDecoder().decode(octets));
}
