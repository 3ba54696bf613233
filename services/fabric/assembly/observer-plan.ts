import type { FlowMark, SamplingSpec } from '../../engine/analysis/trace/frame-sampler.js';
import type { TraceSection } from '../scenario/scenario.js';
import { matchesGlob } from '../scenario/selector.js';
import type { Fabric } from './fabric.js';

const ALL_PRIORITIES = 0xff;

/** Which frames a scenario wants to have followed; null: none. */
export function samplingOf(fabric: Fabric): SamplingSpec | null {
  const { traces } = fabric.scenario.observe;
  if (traces === null) return null;
  const { share, priorities, flows, slowest, dropped } = traces;
  return {
    share,
    priorities:
      priorities.length === 0 ? ALL_PRIORITIES : priorities.reduce((mask, p) => mask | (1 << p), 0),
    flows: flows.length === 0 ? null : marksOf(fabric, flows),
    named: [],
    slowest,
    dropped,
  };
}

/** How the frames of a flow can be told from others. */
export function markOf(fabric: Fabric, flow: number): FlowMark {
  const { device, connection } = fabric.flowEnds[flow]!.send;
  const spec = fabric.specs[device]!;
  if (spec.kind !== 'host') throw new Error(`flow ${flow} starts at a switch`);
  const { hash, target, remote } = spec.sends[connection]!;
  // As a frame carries it.
  return { hash: hash | 0, target, connection: remote };
}

function marksOf(fabric: Fabric, globs: TraceSection['flows']): FlowMark[] {
  return fabric.flows.flatMap(({ name }, flow) =>
    globs.some((glob) => matchesGlob(glob, name)) ? [markOf(fabric, flow)] : [],
  );
}
