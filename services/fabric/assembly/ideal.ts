import { FRAME_OCTETS_MIN, PREAMBLE_OCTETS, wireOctets } from '../../engine/units/ethernet.js';
import type { Flow } from '../load/flow.js';
import type { Level } from './equal-paths.js';
import type { Settings } from './settings.js';
import type { Hop } from './flow-paths.js';
import type { Framing } from './framing.js';
import { pacePsPerOctet, tagOctets, telemetryOctets } from './framing.js';

export interface Ideal {
  /**
   * From the release of a message to its arrival on an idle fabric; null where that is not known
   * beforehand: endless messages, random releases, frames that no link carries.
   */
  readonly idealPs: number | null;
  /** What each further message released at once with the first one adds to that. */
  readonly idealNextPs: number;
}

const UNKNOWN: Ideal = { idealPs: null, idealNextPs: 0 };

/** One link of the path of a flow's frames. */
interface Stage {
  readonly octetPs: number;
  readonly latencyPs: number;
  readonly tagOctets: number;
  /** Of the device behind the link. */
  readonly pipelinePs: number;
  readonly cutsThrough: boolean;
}

/**
 * A message's first frame is forwarded hop by hop, and the rest follows at the rate of the slowest
 * link or of the flow itself. Exact for one message on one path; of several paths that the flow may
 * be given, the fastest counts. Where switches spread its frames over links that are slower than
 * the one before, it is a lower bound.
 */
export function idealOf(
  flow: Flow,
  framing: Framing,
  paths: readonly (readonly Hop[])[],
  levels: readonly Level[] | null,
  settings: readonly Settings[],
): Ideal {
  const gapPs = gapOf(flow);
  const isLocal = paths.some((hops) => hops.length === 0);
  if (framing.packetsPerMessage === Infinity || gapPs === null || isLocal) return UNKNOWN;
  const pacePs = pacePsPerOctet(flow);
  const ideals = paths.map((hops): { readonly idealPs: number; readonly idealNextPs: number } => {
    const stages = stagesOf(hops, flow, settings);
    if (levels !== null && slowsDown(stages, levels, pacePs)) {
      return spreadMessagePs(stages, levels, framing, pacePs, gapPs);
    }
    return {
      idealPs: messagePs(stages, framing, pacePs, gapPs),
      idealNextPs: nextMessagePs(stages, framing, pacePs),
    };
  });
  return {
    idealPs: Math.min(...ideals.map(({ idealPs }) => idealPs)),
    idealNextPs: Math.min(...ideals.map(({ idealNextPs }) => idealNextPs)),
  };
}

/** A frame of so many octets there and an answer back, on an idle fabric. */
export function roundTripPs(
  flow: Flow,
  hops: readonly Hop[],
  [octets, answerOctets]: readonly [number, number],
  settings: readonly Settings[],
): number {
  const stages = stagesOf(hops, flow, settings);
  const wayPs = (length: number): number =>
    stages.reduce((sum, stage, i) => {
      const next = stages[i + 1];
      return sum + (next === undefined ? crossPs(stage, length) : forwardPs(stage, next, length));
    }, 0);
  return wayPs(octets) + wayPs(answerOctets);
}

/** Whether one link of a level is slower than all before it. */
function slowsDown(stages: readonly Stage[], levels: readonly Level[], pacePs: number): boolean {
  let before = pacePs;
  return stages.some(({ octetPs }, i) => {
    const slower = levels[i]!.width > 1 && octetPs > before;
    before = Math.max(before, octetPs);
    return slower;
  });
}

/**
 * No frame is faster than the last one alone, and of the frames before it all but as many as there
 * are links of a level have passed them.
 */
function spreadMessagePs(
  stages: readonly Stage[],
  levels: readonly Level[],
  { packetsPerMessage, fullFrameOctets: full, lastFrameOctets: last }: Framing,
  pacePs: number,
  gapPs: number,
): { readonly idealPs: number; readonly idealNextPs: number } {
  const framePs = (i: number, octets: number): number =>
    wireOctets(octets + stages[i]!.tagOctets) * Math.max(levels[i]!.octetPs, i === 0 ? pacePs : 0);
  const alonePs = stages.reduce((total, stage, i) => {
    const next = stages[i + 1];
    return total + (next === undefined ? crossPs(stage, last) : forwardPs(stage, next, last));
  }, 0);
  const waitsPs = levels.map(
    ({ width }, i) => Math.max(0, packetsPerMessage - width) * framePs(i, full),
  );
  const releasePs = Math.floor((packetsPerMessage - 1) * gapPs);
  const messagesPs = levels.map(
    (_, i) => (packetsPerMessage - 1) * framePs(i, full) + framePs(i, last),
  );
  return {
    idealPs: alonePs + Math.floor(Math.max(releasePs, ...waitsPs)),
    idealNextPs: Math.floor(Math.max(...messagesPs)),
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
