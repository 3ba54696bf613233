import { ALL_PRIORITIES } from '../../engine/units/ethernet.js';
import type { FlowMark, SamplingSpec } from '../../engine/analysis/trace/frame-sampler.js';
import type {
  CapturedFlow,
  CaptureFilter,
  CaptureSpec,
} from '../../engine/analysis/capture/capture-filter.js';
import type { CaptureFilterSection, TraceSection } from '../scenario/scenario.js';
import { matchesGlob } from '../scenario/selector.js';
import type { Fabric } from './fabric.js';
import { flowsNamed, isCaptured } from './observed-names.js';

/** Frames that a scenario traces; null: none. */
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

/** Captures of a scenario at these devices, in their order; null: none. */
export function capturesOf(fabric: Fabric, devices: readonly number[]): CaptureSpec | null {
  const { captures } = fabric.scenario.observe;
  if (captures === null) return null;
  return {
    ports: devices.map((device) =>
      fabric.linkEnds[device]!.filter((end) =>
        captures.ports.some((name) => isCaptured(fabric.topology, name, end)),
      ).map(({ port }) => port),
    ),
    filters: captures.filters.map((filter) => filterOf(fabric, filter)),
    frames: captures.frames,
  };
}

function filterOf(fabric: Fabric, { priority, type, flow }: CaptureFilterSection): CaptureFilter {
  return {
    priorities: priority === null ? ALL_PRIORITIES : 1 << priority,
    types: type === null ? [] : [type],
    flows:
      flow === null ? null : flowsNamed(fabric.flows, flow).map((f) => capturedFlow(fabric, f)),
  };
}

function capturedFlow(fabric: Fabric, flow: number): CapturedFlow {
  const { send, receives } = fabric.flowEnds[flow]!;
  return {
    mark: markOf(fabric, flow),
    receivers: receives.map(({ device }) => positionOf(fabric, device)),
    sender: positionOf(fabric, send.device),
    connection: send.connection,
  };
}

function positionOf({ specs }: Fabric, device: number): number {
  const spec = specs[device]!;
  if (spec.kind !== 'host') throw new Error(`a flow ends at switch ${spec.name}`);
  return spec.position;
}

/** How the frames of a flow are recognised. */
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
