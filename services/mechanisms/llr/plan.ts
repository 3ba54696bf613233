import type { RetriedFrames } from '../../engine/contract/spec.js';
import {
  PREAMBLE_OCTETS,
  WIRE_OVERHEAD_OCTETS,
  WIRE_OCTETS_MIN,
  ALL_PRIORITIES,
} from '../../engine/units/ethernet.js';
import { ORDERED_SET_OCTETS } from '../../engine/wire/ordered-set.js';
import type { FabricContext, LinkContext, MechanismPlan } from '../fabric-context.js';
import { maskOf } from '../mechanism-slice.js';
import { REPLAYS_MOST, FRAMES_MOST } from './settings.js';
import { PROFILES, USUAL_REPLAYS, USUAL_SPACING_OCTETS } from './profiles.js';
import type { LlrSettings } from './settings.js';
import type { LlrPortSpec, LlrSpec } from './spec.js';
import { assert } from '../../engine/kernel/assert.js';

/** Registers have 16 bits of nanoseconds. A slow or very long link needs more. */
const REPLAY_TIMER_MOST_PS = 65_535_000;
const ROUND_TRIPS_OF_TIMER = 2;
const TIMERS_OF_PCS_LOSS = 10;
/**
 * A bad frame costs a round trip for all behind it: with P N of N frames in flight bad, the last of
 * them takes P N round trips. Hardware over 40 m has 4; 2 km of 400 Gb/s at 1e-6 are P N = 8.
 */
const TIMERS_OF_DATA_AGE = 16;
/** A link that gives up more than one frame in 100,000 is not one without loss. */
const GIVEN_UP_MOST = 1e-5;
/** Round trips for each bad frame that data may wait: bad frames come in clusters. */
const REPLAYS_OF_BAD_FRAME = 2;

type LimitKey = 'frames' | 'bytes' | 'replayTimer' | 'replays' | 'dataAgeTimeout';

/** What ports are given of link-level retry. */
export class LlrPlan implements MechanismPlan<LlrSpec, LlrSpec> {
  private readonly specs: readonly (LlrSpec | null)[];

  constructor(private readonly context: FabricContext<LlrSettings>) {
    this.specs = context.devices.map((_, device) => this.specOf(device));
  }

  ofSwitch(device: number): LlrSpec | null {
    return this.specs[device];
  }

  ofHost(device: number): LlrSpec | null {
    return this.specs[device];
  }

  hasOrderedSets(device: number, port: number): boolean {
    return (this.specs[device]?.ports[port] ?? null) !== null;
  }

  retry(device: number, port: number): RetriedFrames | null {
    const link = this.context.devices[device].links[port];
    const sender = this.specs[link.peerDevice]?.ports[link.peerPort] ?? null;
    if (sender === null) return null;
    const wayPs = this.roundTripPs(link, Math.max(...link.longestFrameOctets), 0);
    return {
      priorities: sender.priorities,
      settlePs: sender.dataAgePs + wayPs,
      mostOctets: mostOutstanding(sender),
      givesUp: givesUpPs(sender) < wayPs + sender.spacingPs,
    };
  }

  private specOf(device: number): LlrSpec | null {
    if (!this.runs(device)) return null;
    const { links } = this.context.devices[device];
    const ports = links.map((link) =>
      this.runs(link.peerDevice) ? this.portOf(device, link) : null,
    );
    return ports.some((port) => port !== null) ? { ports } : null;
  }

  private runs(device: number): boolean {
    const { devices, hostCount } = this.context;
    const { section, hasOwnMemory } = devices[device];
    return section.enabled && (device < hostCount || !hasOwnMemory);
  }

  private portOf(device: number, link: LinkContext): LlrPortSpec {
    const { section } = this.context.devices[device];
    const { octetPs } = link;
    const longestOctets = Math.max(...link.longestFrameOctets);
    const row = section.profile === 'auto' ? null : PROFILES[section.profile];
    const given = <Value>(value: Value | 'auto', usual: Value): Value =>
      value === 'auto' ? usual : value;
    const spacingOctets = given(section.spacing, row?.spacingOctets ?? USUAL_SPACING_OCTETS);
    const roundTripPs = this.roundTripPs(link, longestOctets, spacingOctets);
    const neededOctets = Math.ceil(roundTripPs / octetPs);
    const neededFrames = Math.ceil(neededOctets / WIRE_OCTETS_MIN) + 1;
    const timerPs = row?.replayTimerPs ?? ROUND_TRIPS_OF_TIMER * roundTripPs;
    const replayTimerPs = given(section.replayTimer, timerPs);
    const spec: LlrPortSpec = {
      priorities: section.priorities === 'all' ? ALL_PRIORITIES : maskOf(section.priorities),
      frames: given(section.frames, row?.frames ?? Math.min(neededFrames, FRAMES_MOST)),
      octets: given(section.bytes, row?.octets ?? neededOctets),
      replayTimerPs,
      replays: given(section.replays, row?.replays ?? USUAL_REPLAYS),
      pcsLostPs: given(
        section.pcsLostTimeout,
        row?.pcsLostPs ?? TIMERS_OF_PCS_LOSS * replayTimerPs,
      ),
      dataAgePs: given(
        section.dataAgeTimeout,
        row?.dataAgePs ?? TIMERS_OF_DATA_AGE * replayTimerPs,
      ),
      spacingPs: spacingOctets * octetPs,
      whileInit: section.whileInit,
      whileFlush: section.whileFlush,
      reinitialises: section.reinitialise,
      longestOctets,
    };
    this.check(device, link, spec, roundTripPs);
    return spec;
  }

  /**
   * From the start of a frame until it is acknowledged at the latest: it comes in whole, the
   * acknowledgement waits for its spacing and behind the longest frame, and comes back.
   */
  private roundTripPs(
    { octetPs, latencyPs, peerDevice, peerPort }: LinkContext,
    longestOctets: number,
    spacingOctets: number,
  ): number {
    const back = this.context.devices[peerDevice].links[peerPort].latencyPs;
    const wire = longestOctets + WIRE_OVERHEAD_OCTETS;
    const octets = PREAMBLE_OCTETS + longestOctets + spacingOctets + wire + ORDERED_SET_OCTETS * 2;
    return octets * octetPs + latencyPs + back;
  }

  private check(device: number, link: LinkContext, spec: LlrPortSpec, roundTripPs: number): void {
    const { name, placeOf, section } = this.context.devices[device];
    const ofProfile = (key: LimitKey): boolean =>
      section.profile !== 'auto' && section[key] === 'auto';
    const warn = (key: LimitKey, message: string): void => {
      const place = placeOf(ofProfile(key) ? 'profile' : key);
      this.context.warn(place, name, `${link.name}: ${message}`);
    };
    const auto = (key: LimitKey): string =>
      ofProfile(key) ? `llr.profile: auto, or ${key}` : 'leave it at auto';
    const needed = Math.ceil(roundTripPs / link.octetPs) - spec.longestOctets;
    const limit = mostOutstanding(spec);
    if (limit < needed) {
      const key = limit === spec.octets ? 'bytes' : 'frames';
      const share = Math.round((100 * limit) / needed);
      warn(
        key,
        `${limit} bytes outstanding keep the link at about ${share} % of its rate, as a round ` +
          `trip takes ${needed} bytes; ${ofProfile(key) ? '' : `raise ${key}, or `}${auto(key)}`,
      );
    }
    if (spec.replayTimerPs > REPLAY_TIMER_MOST_PS) {
      warn(
        'replayTimer',
        `a replay timer of ${(spec.replayTimerPs / 1e6).toFixed(3)} us is more than the ` +
          '65.535 us that registers hold: hardware has no retry at this rate and length; a ' +
          'faster or shorter link, or llr: { enabled: false } at its devices',
      );
    }
    this.checkReplays(link, spec, warn);
    const upTo = `which takes up to ${(roundTripPs / 1e6).toFixed(3)} us`;
    if (spec.dataAgePs < roundTripPs) {
      warn(
        'dataAgeTimeout',
        `a frame that is outstanding for ${spec.dataAgePs / 1e6} us is given up before an ` +
          `acknowledgement can come, ${upTo}; frames are lost without any error: ` +
          auto('dataAgeTimeout'),
      );
    } else this.checkDataAge(link, spec, roundTripPs, warn);
    if (spec.replayTimerPs < roundTripPs) {
      const isLost = givesUpPs(spec) < roundTripPs;
      warn(
        'replayTimer',
        `a replay timer of ${spec.replayTimerPs / 1e6} us expires before an acknowledgement can ` +
          `come, ${upTo}; frames will be ${isLost ? 'given up' : 'sent twice'}: ` +
          auto('replayTimer'),
      );
    }
  }

  /** A frame that is bad each time that it is sent is given up behind the last replay. */
  private checkReplays(
    link: LinkContext,
    { replays, longestOctets }: LlrPortSpec,
    warn: (key: LimitKey, message: string) => void,
  ): void {
    const bad = link.frameErrorRate(longestOctets);
    const givenUp = bad ** (replays + 1);
    if (givenUp <= GIVEN_UP_MOST) return;
    const needed = Math.ceil(Math.log(GIVEN_UP_MOST) / Math.log(bad)) - 1;
    const remedy = needed <= REPLAYS_MOST ? `raise replays to ${needed}, or ` : '';
    warn(
      'replays',
      `${(100 * bad).toPrecision(2)} % of frames of ${longestOctets} bytes are bad, and after ` +
        `${replays} replays one in ${Math.round(1 / givenUp)} is given up; ${remedy}lower the ` +
        'errors of the link',
    );
  }

  /** The last of N frames in flight waits for a round trip for each bad one: P N of them. */
  private checkDataAge(
    link: LinkContext,
    { dataAgePs, longestOctets }: LlrPortSpec,
    roundTripPs: number,
    warn: (key: LimitKey, message: string) => void,
  ): void {
    const framePs = (longestOctets + WIRE_OVERHEAD_OCTETS) * link.octetPs;
    const bad = link.frameErrorRate(longestOctets) * (roundTripPs / framePs);
    const neededPs = (1 + REPLAYS_OF_BAD_FRAME * bad) * roundTripPs;
    if (dataAgePs >= neededPs) return;
    warn(
      'dataAgeTimeout',
      `a frame that is outstanding for ${dataAgePs / 1e6} us is given up, and of those in flight ` +
        `${bad.toPrecision(2)} are bad in each round trip of ` +
        `${(roundTripPs / 1e6).toFixed(3)} us; raise dataAgeTimeout to ` +
        `${Math.ceil(neededPs / 1e6)} us, or lower the errors of the link`,
    );
  }
}

function mostOutstanding({ frames, octets, longestOctets }: LlrPortSpec): number {
  assert(frames > 0 && octets > 0, 'llr.planned-limits');
  return Math.min(octets, frames * (longestOctets + WIRE_OVERHEAD_OCTETS));
}

/** How long a frame that is not acknowledged is kept at least. */
function givesUpPs({ dataAgePs, replays, replayTimerPs }: LlrPortSpec): number {
  return Math.min(dataAgePs, (replays + 1) * replayTimerPs);
}
