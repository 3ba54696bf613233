import type { FlowResult, RunResults } from '../runtime/results/results.js';
import { isStandstill } from './verdict.js';

const STEPS = 3;
/** From this slowdown on, the components of a flow's time are of interest. */
const SLOW = 2;

/** Commands that help most with this run of a scenario, stored in `path`; its page last. */
export function nextSteps(results: RunResults, file: string, path: string): string {
  const { ports, flows, faults, jobs, standingDeadlocks } = results;
  const [job] = jobs.toSorted((a, b) => (b.iterationPs ?? Infinity) - (a.iterationPs ?? Infinity));
  const isBlocked = ports.some(({ priorities }) => priorities.some((row) => row.blockedCount > 0));
  const slowest = flows.reduce<FlowResult | null>(
    (most, flow) => ((flow.slowdown ?? 0) > (most?.slowdown ?? SLOW) ? flow : most),
    null,
  );
  const steps: readonly (readonly [boolean, string, string])[] = [
    [results.status === 'interrupted', `resume ${path}`, 'go on where it was interrupted'],
    [
      isBlocked || isStandstill(results),
      `why ${path}`,
      standingDeadlocks.length > 0
        ? 'the cyclic buffer dependency, its ports, and the flows behind it'
        : 'congestion roots, blocked ports, victim flows',
    ],
    [
      job !== undefined,
      `why ${path} --job ${job?.job ?? ''}`,
      'the critical path, and what made it late',
    ],
    [
      slowest !== null,
      `why ${path} --flow ${slowest?.flow ?? 0}`,
      'where the time of the slowest flow went',
    ],
    [faults.length > 0, `why ${path} --try`, 'what each fault added to FCTs, by runs without it'],
    [true, `duel ${file}`, 'the same load under other mechanisms'],
    [true, `topology ${file}`, 'devices and links'],
    [true, `run ${file} --ui`, 'the same run on a page, while it goes on'],
  ];
  const open = [true, `report ${path} --open`, 'its report, in a browser'] as const;
  const helpful = [...steps.filter(([helps]) => helps).slice(0, STEPS), open];
  const width = Math.max(...helpful.map(([, words]) => words.length));
  return helpful
    .map(([, words, meaning]) => `  selvage ${words.padEnd(width)}  ${meaning}`)
    .join('\n');
}
