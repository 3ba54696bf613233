/**
 * Scenarios in which one ingress port of a switch meets its worst: the link, delays, frames and
 * flow control of the port, a sender that never rests, and an egress port that is paused.
 */

import { QUANTUM_OCTETS, wireOctets } from '../engine/units/ethernet.js';
import type { LinkEnd } from '../fabric/assembly/link-ends.js';
import type { Margin } from '../fabric/assembly/assembly.js';
import { RAW_OVERHEAD_BYTES } from '../fabric/load/flow.js';
import { WHOLE_PORT } from '../mechanisms/registry.js';

/** An ingress port and a priority group of it, with what its delays come to. */
export interface Place {
  readonly margin: Margin;
  readonly end: LinkEnd;
  /** Flow control of the group, as a priority names it. */
  readonly method: string;
  /** Of the dynamic threshold of the account. */
  readonly alpha: number;
  /** Octets in which the buffer is handed out. */
  readonly cellOctets: number;
}

/** What is varied. Octets. */
interface Thresholds {
  readonly xoff: number | 'dynamic';
  readonly alpha?: number;
  readonly xonGap?: number;
  readonly headroom?: number;
  /** Frames that find a longer queue are marked. */
  readonly step?: number;
}

type Limits = Thresholds & { readonly xoff: number };
type Document = Readonly<Record<string, unknown>>;
type Section = Readonly<Record<string, unknown>>;

/** The longest frame that a load may have; tags make a frame on the link longer. */
const FRAME_OCTETS_MOST = 9216;

/** The longest frame of the group, without preamble and gap. */
export function frameOf({ margin }: Place): number {
  return Math.min(FRAME_OCTETS_MOST, margin.terms.frameOctets - wireOctets(0));
}

/** Buffer that it takes. */
export function chargeOf(place: Place): number {
  return Math.ceil(frameOf(place) / place.cellOctets) * place.cellOctets;
}

/** One frame, in cells: by so much less an account takes one frame less. */
export function stepOf(place: Place): number {
  const { cellOctets } = place;
  return cellOctets > 1 ? cellOctets : frameOf(place);
}

/** Far more than any account of these worlds takes. */
const PLENTY_OCTETS = 4e9;
const PLENTY_ALPHA = 8;

/** How often the egress port is paused: each time by another alignment of frames. */
const ROUNDS_MOST = 96;
const ROUNDS_LEAST = 12;
/** Frames of all rounds, about. */
const FRAMES = 30_000;

/** Of the rate of the link: the phase of what is sent against the sender drifts. */
const REVERSE_SHARE = 0.97;

/** An egress port that is paused until XOFF and the headroom are filled, again and again. */
export function fillingWorld(place: Place, thresholds: Limits): Document {
  const { margin, end } = place;
  const filledOctets = thresholds.xoff + margin.terms.totalOctets;
  const frame = wireOctets(frameOf(place));
  const rounds = Math.ceil(
    Math.min(ROUNDS_MOST, Math.max(ROUNDS_LEAST, (FRAMES * frame) / (6 * filledOctets))),
  );
  const pausedPs = (2 * filledOctets + 8 * frame) * end.octetPs;
  // Of no simple ratio to the time of a frame.
  const everyPs = Math.round(2 * pausedPs + 0.618 * frame * end.octetPs);
  const storm = stormAt('to', place, { at: everyPs, for: pausedPs, every: everyPs, times: rounds });
  return worldOf(place, thresholds, {
    durationPs: everyPs * (rounds + 2),
    load: [streamOf(place, 'sent', {}), reverseOf(place)],
    faults: [storm],
  });
}

/** As much to send as fills the account once, and a time in which the sender has to catch up. */
export function resumingWorld(place: Place, thresholds: Limits): Document {
  const { margin, end } = place;
  const filledOctets = thresholds.xoff + margin.terms.totalOctets;
  const frame = wireOctets(frameOf(place));
  const pausedPs = (2 * filledOctets + 8 * frame) * end.octetPs;
  const atPs = filledOctets * end.octetPs;
  const bytes = Math.ceil((6 * filledOctets) / frame) * (frameOf(place) - RAW_OVERHEAD_BYTES);
  return worldOf(place, thresholds, {
    durationPs: atPs + 4 * pausedPs + 16 * filledOctets * end.octetPs,
    load: [streamOf(place, 'sent', { bytes }), reverseOf(place)],
    faults: [stormAt('to', place, { at: atPs, for: pausedPs })],
  });
}

/** The longest burst that pauses nobody, into a queue that does not drain. */
export function markedWorld(place: Place, thresholds: Limits): Document {
  const { end } = place;
  const frame = frameOf(place);
  const frames = Math.ceil(thresholds.xoff / chargeOf(place)) - 1;
  const takesPs = (frames + 8) * wireOctets(frame) * end.octetPs;
  const loopPs = place.margin.terms.totalOctets * end.octetPs;
  const at = 8 * wireOctets(frame) * end.octetPs;
  return worldOf(place, thresholds, {
    durationPs: at + 8 * takesPs + 8 * loopPs,
    load: [
      {
        ...streamOf(place, 'sent', { bytes: frames * (frame - RAW_OVERHEAD_BYTES), ect: true }),
        start: `${2 * at}ps`,
      },
    ],
    faults: [stormAt('to', place, { at: 0, for: 2 * at + 2 * takesPs + loopPs })],
  });
}

/**
 * The ports of a switch fill their accounts: each sends to the next, and all are paused. The last
 * one begins when the others have taken what they can.
 */
export function crowdedWorld(
  places: readonly Place[],
  { thresholds, poolOctets }: { thresholds: ReadonlyMap<Place, number>; poolOctets: number },
): Document {
  const ends = [...new Map(places.map((place) => [place.end.name, place.end])).values()];
  const nameOf = (end: LinkEnd): string =>
    `h${ends.findIndex(({ name }) => name === end.name) + 1}`;
  const of = (end: LinkEnd): Place[] => places.filter((place) => place.end.name === end.name);
  const takesPs = Math.max(
    ...ends.map((end) => {
      const octets = of(end).reduce(
        (sum, place) =>
          sum + thresholds.get(place)! + place.margin.terms.totalOctets + 16 * frameOf(place),
        0,
      );
      return 4 * octets * end.octetPs;
    }),
  );
  // All priorities of a port with PAUSE share its account: the one that other ports pause, too.
  const sentOn = ({ margin, method }: Place): number =>
    (method === WHOLE_PORT ? [...byPriority.keys()][0] : undefined) ?? margin.priorities[0]!;
  const apart = places.reduce((sum, place) => sum + apartOf(place), 0);
  const byPriority = new Map(
    places
      .filter(({ method }) => method !== WHOLE_PORT)
      .map((place) => [place.margin.priorities[0]!, place]),
  );
  const placesAt = (end: LinkEnd): { place: Place; isUsed: boolean }[] => {
    const own = of(end).map((place) => ({ place, isUsed: true }));
    if (own[0]!.place.method === WHOLE_PORT) return own;
    const others = [...byPriority].filter(
      ([priority]) => !own.some(({ place }) => place.margin.priorities[0] === priority),
    );
    return [...own, ...others.map(([, place]) => ({ place, isUsed: false }))];
  };
  const [first] = places as [Place];
  return {
    ...baseOf(first, takesPs),
    fabric: {
      devices: [
        ...ends.map((end) => ({ name: nameOf(end), kind: 'host' })),
        { name: 'sw', kind: 'switch' },
      ],
      links: ends.map((end) => linkOf(end, nameOf(end))),
    },
    switches: switchOf(first, Math.floor(poolOctets) + apart),
    ports: ends.flatMap((end) =>
      placesAt(end).flatMap(({ place, isUsed }) => {
        // What pauses at other ports only has no part of the pool here.
        const own = isUsed
          ? { xoff: thresholds.get(place)!, alpha: place.alpha, headroom: apartOf(place) }
          : ({ xoff: 'dynamic', headroom: 0 } as const);
        return [
          { where: { device: 'sw', peer: nameOf(end) }, ...controlOf(place, own) },
          { where: { device: nameOf(end) }, ...controlOf(place, { xoff: 'dynamic' }) },
        ];
      }),
    ),
    load: places.map((place, index) => ({
      name: `l${index}`,
      stream: {
        from: nameOf(place.end),
        to: nameOf(ends[(ends.indexOf(place.end) + 1) % ends.length]!),
      },
      ...{ rate: 'line', frame: frameOf(place), priority: sentOn(place) },
      start: `${index === places.length - 1 ? Math.ceil(takesPs / 2) : 0}ps`,
    })),
    faults: ends.flatMap((end) =>
      placesAt(end).map(({ place }) =>
        stormAt(nameOf(end), { ...place, end }, { at: 0, for: takesPs }),
      ),
    ),
  };
}

/** Headroom as computed, in whole cells. */
export function apartOf({ margin, cellOctets }: Place): number {
  return Math.ceil(margin.terms.totalOctets / cellOctets) * cellOctets;
}

function worldOf(
  place: Place,
  thresholds: Thresholds,
  { durationPs, load, faults }: { durationPs: number; load: Section[]; faults: Section[] },
): Document {
  const { end } = place;
  const near: LinkEnd = { ...end, link: { ...end.link, propagationPs: 10_000 } };
  return {
    ...baseOf(place, durationPs),
    fabric: {
      devices: [
        ...['from', 'to', 'back'].map((name) => ({ name, kind: 'host' })),
        { name: 'sw', kind: 'switch' },
      ],
      links: [linkOf(end, 'from'), linkOf(near, 'to'), linkOf(near, 'back')],
    },
    switches: switchOf(place, PLENTY_OCTETS),
    ...controlOf(place, thresholds),
    load,
    faults,
  };
}

function baseOf({ method }: Place, durationPs: number): Document {
  return {
    selvage: 1,
    name: `${method} at its worst`,
    duration: `${Math.ceil(durationPs)}ps`,
  };
}

function linkOf({ link }: LinkEnd, host: string): Section {
  return {
    between: ['sw', host],
    rate: `${link.rateBps / 1e6}M`,
    delay: `${link.propagationPs}ps`,
    interfaceDelay: `${link.interfaceDelayPs}ps`,
  };
}

function switchOf({ margin, end, cellOctets }: Place, size: number): Section {
  const pipeline = `${margin.terms.pipelineOctets * end.octetPs}ps`;
  return { pipeline, buffer: { size, cell: cellOctets } };
}

function controlOf(place: Place, thresholds: Thresholds): Document {
  const { margin, end, method } = place;
  const { step, headroom = 'auto', alpha = PLENTY_ALPHA, ...limits } = thresholds;
  const responseDelay = `${margin.terms.responseOctets * end.octetPs}ps`;
  const keys = { ...limits, headroom, alpha, responseDelay };
  const marking = step === undefined ? {} : { ecn: { step } };
  const isWhole = method === WHOLE_PORT;
  const priority = isWhole ? marking : { flowControl: method, ...keys, ...marking };
  return {
    ...(isWhole && { pause: keys }),
    ...(Object.keys(priority).length > 0 && { priorities: { [margin.priorities[0]!]: priority } }),
  };
}

function streamOf(place: Place, name: string, more: Section): Section {
  const priority = place.margin.priorities[0]!;
  const stream = { from: 'from', to: 'to' };
  return { name, stream, rate: 'line', frame: frameOf(place), priority, ...more };
}

/** Frames in the way of control frames. */
function reverseOf(place: Place): Section {
  const { margin, end } = place;
  const others = margin.priorities.includes(0) ? [1, 0] : [0];
  const priority = others.find((own) => !margin.priorities.includes(own)) ?? 0;
  return {
    ...{ name: 'reverse', stream: { from: 'back', to: 'from' }, priority },
    rate: `${Math.round((end.link.rateBps * REVERSE_SHARE) / 1e6)}Mbps`,
    frame: Math.min(FRAME_OCTETS_MOST, margin.terms.waitOctets - wireOctets(0)),
  };
}

/** Pause time in each frame of a storm, and how often it is sent. */
const STORM_QUANTA = 512;

function stormAt(
  device: string,
  { margin, end, method }: Place,
  { at, for: lasts, ...often }: { at: number; for: number; every?: number; times?: number },
): Section {
  const intervalPs = (STORM_QUANTA * QUANTUM_OCTETS * end.octetPs) / 2;
  const { every, times } = often;
  return {
    ...{
      kind: 'storm',
      where: { device },
      at: `${Math.round(at)}ps`,
      for: `${Math.ceil(lasts)}ps`,
    },
    ...(method !== WHOLE_PORT && { priority: margin.priorities[0]! }),
    ...{ quanta: STORM_QUANTA, interval: `${intervalPs}ps` },
    ...(every !== undefined && { every: `${every}ps`, times }),
  };
}
