import type { JobGraph } from '../graph.js';
import { weaveCollective } from './collectives.js';
import { Weaver } from './weaver.js';

/** A step of a job that is written by hand, or read from a file of layers. */
export type StepSpec =
  | {
      readonly kind: 'compute';
      readonly durationPs: number;
      /** Ranks that compute. */
      readonly group: readonly number[];
    }
  | {
      readonly kind: 'collective';
      /** One of COLLECTIVES. */
      readonly what: string;
      readonly algorithm: string;
      readonly chunks: number;
      readonly octets: number;
      readonly group: readonly number[];
    };

interface StepsSpec {
  readonly ranks: number;
  readonly steps: readonly StepSpec[];
  readonly repeat: number;
  /** By rank: how much longer its computations take; 1 where it is not given. */
  readonly slowdown: ReadonlyMap<number, number>;
}

/** The graph of a job of steps: a rank goes through them in their order. */
export function weaveSteps({ ranks, steps, repeat, slowdown }: StepsSpec): JobGraph {
  const weaver = new Weaver(ranks);
  for (let turn = 0; turn < repeat; turn++) {
    for (const step of steps) {
      if (step.kind === 'compute') {
        for (const rank of step.group) {
          weaver.compute(rank, Math.round(step.durationPs * (slowdown.get(rank) ?? 1)));
        }
        continue;
      }
      const { what, group, octets, algorithm, chunks } = step;
      weaveCollective(weaver, { kind: what, group, octets }, { algorithm, chunks });
    }
  }
  return weaver.build();
}
