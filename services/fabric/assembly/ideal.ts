import { FRAME_OCTETS_MIN, PREAMBLE_OCTETS, wireOctets } from '../../engine/units/octets.js';
import type { Flow } from '../load/flow.js';
import type { Settings } from './settings.js';
import type { Hop } from './flow-paths.js';
import type { Framing } from './framing.js';
import { pacePsPerOctet, tagOctets, telemetryOctets } from './framing.js';

export interface Ideal {
  /**
   * From the release of a message to its arrival on an idle fabric; null where that is not known
   * beforehand: endless messages, releases at random.
   */
  readonly idealPs: number | null;
  /** What each message released at once with the first one adds to that. */
  readonly idealNextPs: number;
}

const UNKNOWN: Ideal = { idealPs: null, idealNextPs: 0 };

/** One link of the way of a flow's frames, as far as time is concerned. */
interface Stage {
  readonly octetPs: number;
  readonly latencyPs: number;
  readonly tagOctets: number;
  /** Of the device behind the link. */
  readonly pipelinePs: number;
  readonly cutsThrough: boolean;
}

/**
 * A message's first frame goes hop by hop, and the rest follows at the pace of the slowest link or
 * of the flow itself. Exact for one message.
 */
export function idealOf(
  flow: Flow,
  framing: Framing,
  hops: readonly Hop[],
  settings: readonly Settings[],
): Ideal {
  const gapPs = gapOf(flow);
  if (framing.packetsPerMessage === Infinity || gapPs === null) return UNKNOWN;
  const stages = stagesOf(hops, flow, settings);
  const pacePs = pacePsPerOctet(flow);
  return {
    idealPs: messagePs(stages, framing, pacePs, gapPs),
    idealNextPs: nextMessagePs(stages, framing, pacePs),
  };
}

/** Full frames keep the slowest link's distance; the last may be shorter and catches up. */
function messagePs(
  stages: readonly Stage[],
  { packetsPerMessage, fullFrameOctets: full, lastFrameOctets: last }: Framing,
  pacePs: number,
  gapPs: number,
): number {
  const behind = packetsPerMessage - 1;
  let slowestPs = Math.max(busyPs(stages[0]!, full), pacedPs(stages[0]!, full, pacePs));
  const releasePs = (frame: number): number =>
    Math.max(frame * slowestPs, Math.floor(frame * gapPs));
  const lastButOnePs = releasePs(behind - 1);
  let startPs = releasePs(behind);
  let firstPs = 0;
  stages.forEach((stage, i) => {
    const next = stages[i + 1];
    if (next === undefined) return;
    startPs += forwardPs(stage, next, last);
    if (behind === 0) return;
    firstPs += forwardPs(stage, next, full);
    slowestPs = Math.max(slowestPs, busyPs(next, full));
    const aheadPs = firstPs + Math.max(lastButOnePs, (behind - 1) * slowestPs);
    startPs = Math.max(startPs, aheadPs + busyPs(next, full));
  });
  return startPs + crossPs(stages[stages.length - 1]!, last);
}

function nextMessagePs(
  stages: readonly Stage[],
  { packetsPerMessage, fullFrameOctets, lastFrameOctets }: Framing,
  pacePs: number,
): number {
  const message = (framePs: (octets: number) => number): number =>
    (packetsPerMessage - 1) * framePs(fullFrameOctets) + framePs(lastFrameOctets);
  return Math.max(
    message((octets) => pacedPs(stages[0]!, octets, pacePs)),
    ...stages.map((stage) => message((octets) => busyPs(stage, octets))),
  );
}

/** From the start of a frame on a link to its start on the next one. */
function forwardPs(stage: Stage, next: Stage, octets: number): number {
  const cutsThrough = stage.cutsThrough && next.octetPs >= stage.octetPs;
  const needed = cutsThrough ? FRAME_OCTETS_MIN - stage.tagOctets : octets;
  return crossPs(stage, needed) + stage.pipelinePs;
}

/** From the start of a frame on a link to the arrival of its last octet. */
function crossPs(stage: Stage, octets: number): number {
  return (PREAMBLE_OCTETS + octets + stage.tagOctets) * stage.octetPs + stage.latencyPs;
}

/** From the start of a frame to the earliest start of the next one. */
function busyPs(stage: Stage, octets: number): number {
  return wireOctets(octets + stage.tagOctets) * stage.octetPs;
}

function pacedPs(stage: Stage, octets: number, pacePs: number): number {
  return Math.round(wireOctets(octets + stage.tagOctets) * pacePs);
}

/** Time between releases of frames; null where it differs from frame to frame. */
function gapOf({ release }: Flow): number | null {
  switch (release.kind) {
    case 'backlog':
      return 0;
    case 'constant':
      return release.gapPs;
    case 'poisson':
    case 'on-off':
      return null;
  }
}

function stagesOf(hops: readonly Hop[], flow: Flow, settings: readonly Settings[]): Stage[] {
  return hops.map(({ from, inner }) => {
    const behind = settings[from.peerDevice]!.switch;
    return {
      octetPs: from.octetPs,
      latencyPs: from.latencyPs,
      tagOctets: tagOctets({ ...flow.vlan, inner }) + telemetryOctets(flow),
      pipelinePs: behind.pipelinePs,
      cutsThrough: behind.cutThrough,
    };
  });
}
