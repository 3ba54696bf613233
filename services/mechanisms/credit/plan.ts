import { FRAME_OCTETS_MIN, PRIORITIES, wireOctets } from '../../engine/units/ethernet.js';
import { PS_PER_S } from '../../engine/units/time.js';
import type { RetriedFrames } from '../../engine/contract/spec.js';
import {
  needsGrants,
  type FabricContext,
  type LinkContext,
  type MechanismPlan,
} from '../fabric-context.js';
import type { MemorySize } from '../mechanism-slice.js';
import type { CreditLoopTerms } from './loop.js';
import { creditLoop, unitsForFullRate } from './loop.js';
import { costOf, WORD_WINDOW_MOST } from './machine.js';
import { CREDIT_TIMES } from './managed.js';
import type { CreditSettings } from './settings.js';
import { CreditChecks } from './link-checks.js';
import { CreditEnds, given, type LinkEnd, prioritiesOf } from './link-ends.js';
import { type BufferPlan, type CreditMargin, sizeOf } from './sizes.js';
import type {
  CreditAskingSpec,
  CreditGrantingSpec,
  CreditPortSpec,
  CreditShaperSpec,
} from './spec.js';
import { OCTET_BITS } from '../../engine/units/words.js';
import { assert } from '../../engine/kernel/assert.js';

/** A grant waits for so much of the loop, or for so many frames, where the buffer allows. */
const STEP_OF_LOOP = 1 / 8;
const STEP_FRAMES = 8;
/** Of a share that is never lent, it may wait for so much if that is more. */
const STEP_OF_SHARE = 3 / 4;

/** Where grants are answers, requests are sent once in so much of a round trip. */
const POLL_OF_LOOP = 1 / 8;
/** But they, and grants for tokens, take no more of a link than this unless they must. */
const MESSAGES_OF_LINE = 1 / 256;

const NO_MEMORY: readonly number[] = new Array<number>(PRIORITIES).fill(0);

/** More may be outstanding than 16-bit counters can express. */
function isWide(buffers: readonly (BufferPlan | null)[]): boolean {
  return buffers.some((buffer) => (buffer?.grantedUnits ?? 0) > WORD_WINDOW_MOST);
}

/** When an end requests credit: ahead where it gets none otherwise, unless the scenario sets it. */
function requestsOf(own: CreditSettings, granter: CreditSettings): 'never' | 'blocked' | 'ahead' {
  if (own.request !== 'auto') return own.request;
  return granter.unsolicited ? 'blocked' : 'ahead';
}

/** Plans the specifications of link ends for credit exchange. */
export class CreditPlan implements MechanismPlan {
  /** Of every port and priority that has credit exchange. */
  readonly margins: CreditMargin[] = [];
  private readonly ends: CreditEnds;
  private readonly checks: CreditChecks;
  private readonly known = new Map<LinkContext, (BufferPlan | null)[]>();
  private readonly noted = new Set<BufferPlan>();

  constructor(private readonly context: FabricContext<CreditSettings>) {
    this.ends = new CreditEnds(context);
    this.checks = new CreditChecks(context, this.ends);
  }

  /** Ports have it, and devices nothing beside. */
  ofSwitch(): null {
    return null;
  }

  /** `retry`: what its link partner may send again. Null where no priority of the port has it. */
  grants(device: number, port: number, retry: RetriedFrames | null): CreditPortSpec | null {
    const end = this.ends.endAt(device, port);
    const priorities = prioritiesOf(end);
    if (priorities === 0) return null;
    const spec = this.specOf(end, priorities);
    this.checks.counts(end, spec, retry);
    return spec;
  }

  private specOf(end: LinkEnd, priorities: number): CreditPortSpec {
    const { section: credit } = this.context;
    this.checks.link(end);
    const { counts, channels, tags } = this.ends.terms(end);
    const longestPs = wireOctets(this.ends.longestOctets(end)) * end.link.octetPs;
    const granting = this.granting(end);
    this.checks.literal(end, granting);
    return {
      priorities,
      counts,
      granting,
      asking: this.asking(end),
      channels,
      tagWaitPs: tags ? given(credit.tagWait, longestPs) : null,
      keepAlivePs: credit.keepAlive,
      roundTripPs: this.ends.roundTripPs(end),
    };
  }

  /** By priority: octets to reserve behind a port for all that it grants. */
  backing(device: number, port: number, cellOctets: number): readonly number[] {
    const end = this.ends.endAt(device, port);
    if (prioritiesOf(end) === 0) return NO_MEMORY;
    const { unitOctets, bufferUnits } = this.granting(end);
    const storedOctets = Math.ceil(unitOctets / cellOctets) * cellOctets;
    return bufferUnits.map((units) => units * storedOctets);
  }

  sizes(device: number): MemorySize[] {
    return this.margins.filter((margin) => margin.device === device).map(sizeOf);
  }

  private granting(end: LinkEnd): CreditGrantingSpec {
    const own = this.ends.ownOf(end);
    const { section: credit } = this.context;
    const unitOctets = this.ends.unitOf(own, end);
    const frameUnits = costOf(this.ends.longestOctets(end), unitOctets);
    const buffers = this.buffers(end);
    for (const buffer of buffers) if (buffer !== null) this.note(end, buffer);
    const slack = Math.min(...buffers.flatMap((b) => (b === null ? [] : [b.slackUnits])));
    const rttPs = this.ends.roundTripPs(end);
    return {
      unitOctets,
      isWide: isWide(buffers),
      frameUnits,
      bufferUnits: buffers.map((buffer) => buffer?.grantedUnits ?? 0),
      loopUnits: buffers.map((buffer) => buffer?.neededUnits ?? 0),
      policy: own.grant,
      keepUnits: this.ends.keepUnits(own, end),
      isAsked: this.ends.peerOf(end).request !== 'never',
      unsolicited: own.unsolicited,
      shaper: this.shaper(end, own),
      stepUnits: own.step === 'auto' ? Math.max(1, slack) : costOf(own.step, unitOctets),
      refreshPs: credit.refresh,
      resyncPs: given(credit.sync, 2 * rttPs + CREDIT_TIMES.syncMarginPs),
      // Before the link partner's credit ages, so that what it returns is not granted again.
      idlePs: given(this.ends.peerOf(end).age, CREDIT_TIMES.agePs) / 2,
    };
  }

  /** By priority; null where it has no credit exchange. */
  private buffers(end: LinkEnd): (BufferPlan | null)[] {
    const known = this.known.get(end.link);
    if (known !== undefined) return known;
    const buffers = end.link.flowControl.map((method, priority) =>
      needsGrants(method) ? this.buffer(end, priority) : null,
    );
    this.known.set(end.link, buffers);
    return buffers;
  }

  /** The buffer of one priority, and how much of it a grant may wait for. */
  private buffer(end: LinkEnd, priority: number): BufferPlan {
    const own = this.ends.ownOf(end);
    const { channels, smallestShare } = this.ends.terms(end);
    const unitOctets = this.ends.unitOf(own, end);
    const lengths = end.link.frameLengths[priority];
    const frameUnits = costOf(Math.max(...lengths), unitOctets);
    const terms = this.loop(end, priority);
    const neededUnits = unitsForFullRate(terms.totalOctets, lengths, unitOctets);
    const step = Math.max(STEP_FRAMES * frameUnits, Math.ceil(neededUnits * STEP_OF_LOOP));
    // Each active channel has a step and a frame of its own, out of its share.
    const apart = step + frameUnits;
    const wanted =
      own.grant === 'static'
        ? Math.ceil((neededUnits + step) / smallestShare)
        : neededUnits + (channels.length > 1 ? Math.ceil(apart / smallestShare) : step);
    const fixed = own.buffer === 'auto' ? null : Math.floor(own.buffer / unitOctets);
    // The minimum of idle channels is never lent.
    const keepUnits = this.ends.keepUnits(own, end)[priority];
    const least =
      own.grant === 'static'
        ? Math.ceil(frameUnits / smallestShare)
        : channels.length * Math.max(frameUnits, keepUnits);
    const whole = fixed ?? Math.max(wanted, least);
    const bufferUnits = Math.floor(whole * own.grantFactor);
    this.checks.buffer(end, bufferUnits, least);
    assert(neededUnits > 0 && least >= frameUnits, 'credit.planned-units');
    assert(smallestShare > 0 && smallestShare <= 1, 'credit.smallest-share');
    const shaper = this.shaper(end, own);
    const shaped = Math.max(least, this.shapedUnits(end, priority, shaper));
    const spare =
      own.grant === 'static'
        ? bufferUnits * smallestShare - neededUnits
        : (bufferUnits - neededUnits) * smallestShare;
    const longest = own.grant === 'static' ? Math.floor(whole * smallestShare * STEP_OF_SHARE) : 0;
    return {
      priority,
      unitOctets,
      bufferUnits,
      neededUnits,
      terms,
      grantedUnits: Math.min(bufferUnits, shaped),
      slackUnits: Math.min(
        Math.floor(spare),
        Math.max(step, longest),
        shaper === null ? Infinity : Math.floor(shaper.chunkOctets / unitOctets),
      ),
    };
  }

  private note(end: LinkEnd, plan: BufferPlan): void {
    const { device, port, link } = end;
    const { priority, unitOctets, bufferUnits, neededUnits, terms } = plan;
    const { octetPs } = link;
    if (this.noted.has(plan)) return;
    this.noted.add(plan);
    this.checks.warnOfBuffer(end, plan);
    const units = { unitOctets, bufferUnits, neededUnits };
    this.margins.push({ device, port, priority, ...units, terms, octetPs });
  }

  /**
   * A bucket of some frames, and of what arrives until the next request where grants are answers.
   */
  private shaper(end: LinkEnd, own: CreditSettings): CreditShaperSpec | null {
    if (own.shaper === 'off') return null;
    const octetPs = (OCTET_BITS * PS_PER_S) / own.shaper;
    const cheap = (wireOctets(FRAME_OCTETS_MIN) / MESSAGES_OF_LINE) * (end.link.octetPs / octetPs);
    const unitOctets = this.ends.unitOf(own, end);
    const frame = costOf(this.ends.longestOctets(end), unitOctets) * unitOctets;
    const chunkOctets = Math.max(wireOctets(frame), Math.ceil(cheap));
    const waitPs = own.unsolicited ? 0 : this.pollPs(end, own);
    assert(octetPs > 0 && waitPs >= 0, 'credit.planned-shaper');
    return { octetPs, chunkOctets, bucketOctets: 2 * chunkOctets + Math.ceil(waitPs / octetPs) };
  }

  /** Units that a receiver which is itself shaped can use: a loop, and its bucket. */
  private shapedUnits(end: LinkEnd, priority: number, shaper: CreditShaperSpec | null): number {
    if (shaper === null) return Infinity;
    const own = this.ends.ownOf(end);
    const loopOctets = (this.loop(end, priority).totalOctets * end.link.octetPs) / shaper.octetPs;
    const lengths = end.link.frameLengths[priority];
    const octets = Math.ceil(loopOctets) + shaper.bucketOctets;
    const units = unitsForFullRate(octets, lengths, this.ends.unitOf(own, end));
    return own.grant === 'static' ? Math.ceil(units / this.ends.terms(end).smallestShare) : units;
  }

  private asking(end: LinkEnd): CreditAskingSpec {
    const own = this.ends.ownOf(end);
    const peerEnd = this.ends.endAt(end.link.peerDevice, end.link.peerPort);
    const peer = this.ends.peerOf(end);
    const { section: credit } = this.context;
    const unitOctets = this.ends.unitOf(peer, end);
    const rttPs = this.ends.roundTripPs(end);
    const frameUnits = costOf(this.ends.longestOctets(end), unitOctets);
    const peerBuffers = this.buffers(peerEnd);
    return {
      unitOctets,
      isWide: isWide(peerBuffers),
      frameUnits,
      bufferUnits: peerBuffers.map((buffer) => buffer?.grantedUnits ?? 0),
      isDivided: peer.grant === 'static',
      when: requestsOf(own, peer),
      isPatient: peer.unsolicited && peer.grant === 'static',
      aheadUnits: this.aheadUnits(end, own, peer),
      pollPs: this.pollPs(end, peer),
      reportPs: credit.report,
      syncPs: given(credit.sync, 2 * rttPs + CREDIT_TIMES.syncMarginPs),
      syncTries: credit.syncTries,
      agePs: given(own.age, Infinity),
      keepUnits: this.ends.keepUnits(peer, end),
    };
  }

  /**
   * By priority: units of full rate from a request until the answer to the next one, times the
   * prediction. Where freed buffer is granted unsolicited, the next one is not waited for.
   */
  private aheadUnits(end: LinkEnd, own: CreditSettings, peer: CreditSettings): number[] {
    const nextPs = peer.unsolicited ? 0 : this.pollPs(end, peer);
    const ways = Math.ceil((this.ends.roundTripPs(end) + nextPs) / end.link.octetPs);
    const octets = ways + 2 * wireOctets(FRAME_OCTETS_MIN);
    const unitOctets = this.ends.unitOf(peer, end);
    return end.link.frameLengths.map((lengths) =>
      Math.ceil(unitsForFullRate(octets, lengths, unitOctets) * own.prediction),
    );
  }

  /** Least time between two requests of an end. */
  private pollPs(end: LinkEnd, granter: CreditSettings): number {
    const { poll } = this.context.section;
    if (poll !== 'auto') return poll;
    const rttPs = this.ends.roundTripPs(end);
    if (granter.unsolicited) return Math.max(2 * rttPs, CREDIT_TIMES.leastPollPs);
    const cheapPs = (wireOctets(FRAME_OCTETS_MIN) / MESSAGES_OF_LINE) * end.link.octetPs;
    return Math.min(rttPs, Math.max(rttPs * POLL_OF_LOOP, cheapPs));
  }

  private loop(end: LinkEnd, priority: number): CreditLoopTerms {
    const own = this.ends.ownOf(end);
    const isAheadOf = requestsOf(this.ends.peerOf(end), own) === 'ahead';
    return creditLoop({
      requestPs: own.unsolicited || !isAheadOf ? null : this.pollPs(end, own),
      octetPs: end.link.octetPs,
      latencyPs: end.link.latencyPs,
      pipelinePs: this.ends.pipelinePs(end.device),
      peerPipelinePs: this.ends.pipelinePs(end.link.peerDevice),
      longestAnyOctets: this.ends.longestOctets(end),
      longestOctets: Math.max(...end.link.frameLengths[priority]),
    });
  }
}
