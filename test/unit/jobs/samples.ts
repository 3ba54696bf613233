import type { JobGraph } from '../../../services/jobs/graph.js';
import { parseGoal } from '../../../services/jobs/goal/parse-goal.js';
import { JobSource } from '../../../services/jobs/source.js';
import { ScenarioError } from '../../../services/settings/errors.js';

export const PAIR = `// two ranks: compute, send, receive, compute
num_ranks 2
rank 0 {
c1: calc 5000
s1: send 8192b to 1 tag 7
s1 requires c1
}
rank 1 {
r1: recv 8192b from 0 tag 7
c1: calc 100
c1 requires r1
}
`;

export function goal(text: string): JobGraph {
  return parseGoal(new JobSource('job.goal'), text);
}

/** All errors of a text, as they are printed. */
export function errorsOf(step: () => unknown): string[] {
  try {
    step();
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    return [error, ...error.others].map(({ message }) => message);
  }
  return [];
}
