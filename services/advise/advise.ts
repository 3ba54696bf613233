/**
 * Headroom, XOFF, XON and marking thresholds for the ports of a fabric. Runs prove each: one in
 * which it suffices, and one a frame or a cell beyond, in which it does not.
 */

import { buildFabric } from '../fabric/assembly/fabric.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { Margin } from '../fabric/assembly/assembly.js';
import { scenarioOfDocument } from '../fabric/scenario/load-scenario.js';
import { FLOW_CONTROLS, pausingOf, WHOLE_PORT } from '../mechanisms/registry.js';
import type { RunResults } from '../runtime/results/results.js';
import { Session } from '../runtime/session.js';
import {
  apartOf,
  chargeOf,
  crowdedWorld,
  fillingWorld,
  frameOf,
  markedWorld,
  resumingWorld,
  stepOf,
  type Place,
} from './world.js';

/** A size, and what runs found. Octets. */
export interface Proven {
  /** What to configure. */
  readonly advised: number;
  /** What still suffices at the worst that a run meets. */
  readonly limit: number;
  /** A cell or a frame: beyond the limit by so much, it does not. Below 0: more is worse. */
  readonly step: number;
  /** Runs with what is advised, at the limit and beyond it came out as they should. */
  readonly isProven: boolean;
}

/** Ports that are alike. */
export interface Advice {
  readonly ports: readonly string[];
  readonly partner: string;
  readonly rateBps: number;
  readonly propagationPs: number;
  readonly method: string;
  readonly priorities: readonly number[];
  readonly given: { readonly headroom: number; readonly xoff: number; readonly xon: number };
  readonly headroom: Proven;
  readonly xon: Proven;
  /** The most at which ports do not take each other's buffer; null: no room above XON. */
  readonly xoff: Proven | null;
  /** The most at which frames are marked before their sender is paused. */
  readonly marking: Proven | null;
}

type Measure = (document: object) => RunResults;

interface Input {
  readonly fabric: Fabric;
  readonly places: readonly Place[];
  readonly measure: Measure;
}

/** Advice on the ports of all switches that pause senders, or on one of them. */
export function adviseOn(fabric: Fabric, port: string | null): Advice[] {
  const places = placesOf(fabric);
  const groups = new Map<string, Place[]>();
  for (const place of places) {
    if (port !== null && place.end.name !== port) continue;
    const { margin, end, ...rest } = place;
    const { link, octetPs } = end;
    const key = JSON.stringify([
      ...[rest, { ...margin, device: crowdKey(crowdOf(places, place)), port: 0 }],
      ...[octetPs, link.propagationPs, link.interfaceDelayPs],
    ]);
    groups.set(key, [...(groups.get(key) ?? []), place]);
  }
  const measure = makeMeasure();
  return [...groups.values()].map((alike) => adviceOf(alike, { fabric, places, measure }));
}

/** Buffers with pools, and those in slots, have procedures of their own. */
function placesOf(fabric: Fabric): Place[] {
  return fabric.margins.flatMap((margin): Place[] => {
    const spec = fabric.specs[margin.device]!;
    if (spec.kind !== 'switch' || spec.buffer.pools !== null) return [];
    return [
      {
        margin,
        end: fabric.linkEnds[margin.device]![margin.port]!,
        method: isWhole(fabric, margin) ? WHOLE_PORT : PAUSING,
        alpha: spec.buffer.accounts[margin.port]![margin.group]!.alpha,
        cellOctets: spec.buffer.cellOctets,
      },
    ];
  });
}

/** What a priority is set to so that its senders are paused. */
const PAUSING = FLOW_CONTROLS.find((name) => pausingOf(name) !== null)!;

function isWhole({ methods }: Fabric, { device, port }: Margin): boolean {
  return methods[device]![port]![0] === WHOLE_PORT;
}

/** Ports and groups of the same switch, which share its pool. */
function crowdOf(places: readonly Place[], { margin }: Place): Place[] {
  return places.filter((other) => other.margin.device === margin.device);
}

/** Switches whose ports are alike are alike. */
function crowdKey(crowd: readonly Place[]): string {
  return crowd
    .map(({ margin, end, alpha }) => [margin.terms.totalOctets, margin.group, end.octetPs, alpha])
    .join();
}

function adviceOf(alike: readonly Place[], { fabric, places, measure }: Input): Advice {
  const [place] = alike as [Place];
  const { margin, end, method } = place;
  const { headroomOctets, xoffOctets, xonGapOctets, priorities } = margin;
  const xon = xonOf(place, measure);
  const xoff = xoffOf(place, crowdOf(places, place), { fabric, measure });
  const isRoom = xoff !== null && xoff.advised > xon.advised;
  return {
    ports: alike.map((own) => own.end.name),
    partner: fabric.linkEnds[end.peerDevice]![end.peerPort]!.name,
    ...{ rateBps: end.link.rateBps, propagationPs: end.link.propagationPs, method, priorities },
    given: {
      headroom: headroomOctets,
      xoff: xoffOctets,
      xon: Math.max(0, xoffOctets - xonGapOctets),
    },
    headroom: headroomOf(place, measure),
    xon,
    xoff: isRoom ? xoff : null,
    marking: isRoom ? markedFrom(place, xoff.advised, measure) : null,
  };
}

/** By the delay model; what a run takes is less by what it does not meet at once. */
function headroomOf(place: Place, measure: Measure): Proven {
  const frame = frameOf(place);
  const limits = { xoff: 8 * frame, xonGap: 4 * frame };
  const lossAt = (headroom: number): RunResults =>
    measure(fillingWorld(place, { ...limits, headroom }));
  const advised = apartOf(place);
  const atAdvised = lossAt(advised);
  if (atAdvised.failure !== null) throw new Error(`${advised} bytes lose at ${place.end.name}`);
  const limit = atAdvised.margins.find(({ port }) => port === 'sw:p1')!.headroomUsedOctets;
  const step = stepOf(place);
  const suffices = lossAt(limit).failure === null;
  const isLeast = lossAt(limit - step).failure !== null;
  return { advised, limit, step, isProven: suffices && isLeast };
}

/** What leaves from XON on until the first frame that it lets through has arrived. */
function xonOf(place: Place, measure: Measure): Proven {
  const { terms } = place.margin;
  const advised = terms.totalOctets - terms.fullPoolOctets;
  const step = stepOf(place);
  const frame = frameOf(place);
  const xoff = 2 * advised + 4 * frame;
  const timeAt = (xon: number): number => {
    const { flows } = measure(resumingWorld(place, { xoff, xonGap: xoff - xon }));
    return flows.find(({ name }) => name.startsWith('sent'))!.completionPs ?? Infinity;
  };
  const best = timeAt(2 * advised);
  const limit = leastThat((xon) => timeAt(xon) <= best, step, advised);
  return { advised, limit, step, isProven: timeAt(advised) <= best && limit > 0 };
}

/** The share of the pool that each account of a switch has while all are at their thresholds. */
function xoffOf(
  place: Place,
  crowd: readonly Place[],
  { fabric, measure }: Pick<Input, 'fabric' | 'measure'>,
): Proven | null {
  const spec = fabric.specs[place.margin.device]!;
  const ports = new Set(crowd.map(({ end }) => end.name));
  if (spec.kind !== 'switch' || ports.size < 2) return null;
  const apart = spec.buffer.accounts.flat().reduce((sum, own) => sum + own.reservedOctets, 0);
  const headroom = crowd.reduce((sum, own) => sum + apartOf(own), 0);
  const poolOctets = spec.buffer.sizeOctets - apart - headroom;
  const alphas = crowd.reduce((sum, { alpha }) => sum + alpha, 0);
  const longest = Math.max(...crowd.map(chargeOf));
  const shareOf = (own: Place, more: number): number => {
    const share = (own.alpha * poolOctets) / (1 + alphas);
    const wholeFrames = Math.floor(share / chargeOf(own));
    return (wholeFrames + more * Math.ceil(longest / chargeOf(own))) * chargeOf(own);
  };
  if (crowd.some((own) => shareOf(own, 0) <= 0)) return null;
  const allReach = (more: number): boolean => {
    const thresholds = new Map(crowd.map((own) => [own, shareOf(own, more)]));
    const { margins } = measure(crowdedWorld(crowd, { thresholds, poolOctets }));
    return crowd.every((own) => {
      const name = `sw:p${[...ports].indexOf(own.end.name) + 1}`;
      const { peakOctets, headroomUsedOctets } = margins.find(
        ({ port, priority }) => port === name && own.margin.priorities.includes(priority),
      )!;
      return peakOctets - headroomUsedOctets >= thresholds.get(own)!;
    });
  };
  const advised = shareOf(place, 0);
  // Shares are whole frames: what is left over may hold one more.
  const beyond = [1, 2].find((frames) => !allReach(frames));
  const isProven = beyond !== undefined && allReach(0);
  return { advised, limit: advised, step: advised - shareOf(place, beyond ?? 1), isProven };
}

/** A single sender fills the queue: its account and the queue are then the same frames. */
function markedFrom(place: Place, xoff: number, measure: Measure): Proven | null {
  const step = frameOf(place);
  const marksAt = (threshold: number): boolean => {
    const { priorities } = measure(markedWorld(place, { xoff, step: threshold }));
    return priorities.some((own) => own.markedFrames > 0);
  };
  const top = Math.ceil(xoff / step) * step;
  const advised = leastThat((octets) => octets > 0 && !marksAt(octets), step, top) - step;
  const isProven = marksAt(advised) && !marksAt(advised + step);
  return advised > 0 ? { advised, limit: advised, step: -step, isProven } : null;
}

/** The least multiple of a step that will do, up to one that does: most are just below it. */
function leastThat(does: (octets: number) => boolean, step: number, most: number): number {
  let high = Math.ceil(most / step);
  let gap = 1;
  while (gap <= high && does((high - gap) * step)) {
    high -= gap;
    gap *= 2;
  }
  let low = Math.max(0, high - gap + 1);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (does(middle * step)) high = middle;
    else low = middle + 1;
  }
  return low * step;
}

/** Wall-clock time of a slice. */
const SLICE_MS = 100;

/** Runs worlds; those that were run before are known. */
function makeMeasure(): Measure {
  const known = new Map<string, RunResults>();
  return (document) => {
    const key = JSON.stringify(document);
    const results = known.get(key) ?? runOf(document);
    known.set(key, results);
    return results;
  };
}

function runOf(document: object): RunResults {
  const fabric = buildFabric(scenarioOfDocument('advice.yaml', document, { set: [] }));
  const session = new Session(fabric, { check: false });
  while (session.advance(SLICE_MS) === 'running');
  return session.results('complete');
}
