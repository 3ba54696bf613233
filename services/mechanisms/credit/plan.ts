import { FRAME_OCTETS_MIN, PRIORITIES, wireOctets } from '../../engine/units/ethernet.js';
import { formatPs, PS_PER_S } from '../../engine/units/time.js';
import type { RetriedFrames } from '../../engine/contract/spec.js';
import type { PortRow } from '../../engine/units/indices.js';
import {
  EXCHANGE,
  needsGrants,
  type FabricContext,
  type LinkContext,
  type MechanismPlan,
} from '../fabric-context.js';
import type { MemorySize, SizeTerm } from '../mechanism-slice.js';
import type { CreditLoopTerms } from './loop.js';
import { creditLoop, unitsForFullRate } from './loop.js';
import { costOf, WINDOW_MOST, WORD_WINDOW_MOST } from './machine.js';
import { CREDIT_TIMES, CREDIT_UNIT } from './managed.js';
import { channelsOf, type CreditSettings } from './settings.js';
import type {
  CreditAskingSpec,
  CreditGrantingSpec,
  CreditPortSpec,
  CreditShaperSpec,
} from './spec.js';
import { OCTET_BITS } from '../../engine/units/words.js';

/** A port with its link. */
interface LinkEnd {
  readonly device: number;
  readonly port: PortRow;
  readonly link: LinkContext;
}

/** A grant waits for so much of the loop, or for so many frames, where the buffer allows. */
const STEP_OF_LOOP = 1 / 8;
const STEP_FRAMES = 8;
/** Of a share that is never lent, it may wait for so much if that is more. */
const STEP_OF_SHARE = 3 / 4;

/** Where grants are answers, requests are sent once in so much of a round trip. */
const POLL_OF_LOOP = 1 / 8;
/** But they, and grants for tokens, take no more of a link than this unless they must. */
const MESSAGES_OF_LINE = 1 / 256;

/** Of one port and priority: its buffer, and the need at full rate. */
interface CreditMargin {
  readonly device: number;
  readonly port: number;
  readonly priority: number;
  readonly unitOctets: number;
  readonly bufferUnits: number;
  readonly neededUnits: number;
  readonly terms: CreditLoopTerms;
  /** Time of an octet on the link. */
  readonly octetPs: number;
}

/** What the ends of a link come to: the resolution of the CET TLV. */
interface LinkTerms {
  readonly counts: CreditPortSpec['counts'];
  readonly channels: CreditPortSpec['channels'];
  readonly tags: boolean;
  /** Of the channel with the smallest share, as a part of all. */
  readonly smallestShare: number;
}

/** The buffer behind a port for one priority. */
interface BufferPlan extends Omit<CreditMargin, 'device' | 'port' | 'octetPs'> {
  /** Units that a shaped receiver uses; else all of them. */
  readonly grantedUnits: number;
  /** Units that a grant may wait for. */
  readonly slackUnits: number;
}

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
  private readonly longestOctets: number;
  private readonly known = new Map<LinkContext, (BufferPlan | null)[]>();
  private readonly noted = new Set<BufferPlan>();

  constructor(private readonly context: FabricContext<CreditSettings>) {
    this.longestOctets = Math.max(...context.frameLengths.flat());
  }

  /** Ports have it, and devices nothing beside. */
  ofSwitch(): null {
    return null;
  }

  private terms(end: LinkEnd): LinkTerms {
    const { section: credit } = this.context;
    const ends = [this.ownOf(end), this.peerOf(end)];
    const most = ends.map(({ cet, maxChannels }) =>
      cet === 'application' ? 1 : maxChannels === 'all' ? Infinity : maxChannels,
    );
    const channels = channelsOf(credit).slice(0, Math.min(...most));
    const shares = channels.map(({ share }) => share);
    const isLiteral = ends.some(({ cet }) => cet === 'application');
    const isCumulative = !isLiteral && ends.every(({ counts }) => counts === 'cumulative');
    return {
      counts: isCumulative ? 'cumulative' : 'incremental',
      channels,
      tags: credit.tags && !isLiteral,
      smallestShare: Math.min(...shares) / shares.reduce((sum, share) => sum + share, 0),
    };
  }

  /** Entries of an Application Protocol TLV have no room for a unit, or for counts of 31 bits. */
  private checkLiteral(end: LinkEnd, { unitOctets, isWide: wide }: CreditGrantingSpec): void {
    const { cet } = this.ownOf(end);
    if (cet !== 'application' || (unitOctets === CREDIT_UNIT.least && !wide)) return;
    const says = wide
      ? `${end.link.name} grants more than 16 bits can count`
      : `unit: ${unitOctets}`;
    throw this.context.fail(
      this.context.devices[end.device].placeOf('cet'),
      `${says}, and cet: application cannot advertise it; cet: tlv or both, or ` +
        (wide ? 'a smaller buffer' : `unit: ${CREDIT_UNIT.least}`),
    );
  }

  /** `retry`: what its link partner may send again. Null where no priority of the port has it. */
  grants(device: number, port: number, retry: RetriedFrames | null): CreditPortSpec | null {
    const end = this.endAt(device, port);
    const priorities = prioritiesOf(end);
    if (priorities === 0) return null;
    const spec = this.specOf(end, priorities);
    this.checkCounts(end, spec, retry);
    return spec;
  }

  private specOf(end: LinkEnd, priorities: number): CreditPortSpec {
    const { section: credit } = this.context;
    const own = this.ownOf(end);
    if (own.age !== 'off' && this.peerOf(end).grant === 'static') {
      throw this.context.fail(
        ['credit', 'age'],
        'ageing needs grant: demand at the other end of the link',
      );
    }
    if (!own.unsolicited && this.peerOf(end).request === 'never') {
      const message = 'grants are answers only, and the other end never requests credit';
      throw this.context.fail(['credit', 'unsolicited'], message);
    }
    const { counts, channels, tags } = this.terms(end);
    const isLent = own.grant === 'demand' && channels.length > 1;
    if (isLent && counts === 'incremental') {
      throw this.context.fail(
        ['credit', 'counts'],
        `counts: incremental with grant: demand and ${channels.length} channels: amounts ` +
          'cannot be taken back, so an idle channel would keep for ever what it was lent; ' +
          'counts: cumulative, or grant: static',
      );
    }
    this.checkKeep(end);
    this.checkSync(end);
    this.checkTags(end);
    const longestPs = wireOctets(this.longestOctets) * end.link.octetPs;
    const granting = this.granting(end);
    this.checkLiteral(end, granting);
    return {
      priorities,
      counts,
      granting,
      asking: this.asking(end),
      channels,
      tagWaitPs: tags ? given(credit.tagWait, longestPs) : null,
      keepAlivePs: credit.keepAlive,
      roundTripPs: this.roundTripPs(end),
    };
  }

  /** By priority: octets to reserve behind a port for all that it grants. */
  backing(device: number, port: number, cellOctets: number): readonly number[] {
    const end = this.endAt(device, port);
    if (prioritiesOf(end) === 0) return NO_MEMORY;
    const { unitOctets, bufferUnits } = this.granting(end);
    const storedOctets = Math.ceil(unitOctets / cellOctets) * cellOctets;
    return bufferUnits.map((units) => units * storedOctets);
  }

  sizes(device: number): MemorySize[] {
    return this.margins.filter((margin) => margin.device === device).map(sizeOf);
  }

  private granting(end: LinkEnd): CreditGrantingSpec {
    const own = this.ownOf(end);
    const { section: credit } = this.context;
    const unitOctets = this.unitOf(own);
    const frameUnits = costOf(this.longestOctets, unitOctets);
    const buffers = this.buffers(end);
    for (const buffer of buffers) if (buffer !== null) this.note(end, buffer);
    const slack = Math.min(...buffers.flatMap((b) => (b === null ? [] : [b.slackUnits])));
    const rttPs = this.roundTripPs(end);
    return {
      unitOctets,
      isWide: isWide(buffers),
      frameUnits,
      bufferUnits: buffers.map((buffer) => buffer?.grantedUnits ?? 0),
      policy: own.grant,
      keepUnits: this.keepUnits(own),
      isAsked: this.peerOf(end).request !== 'never',
      unsolicited: own.unsolicited,
      shaper: this.shaper(end, own),
      stepUnits: own.step === 'auto' ? Math.max(1, slack) : costOf(own.step, unitOctets),
      refreshPs: credit.refresh,
      resyncPs: given(credit.sync, 2 * rttPs + CREDIT_TIMES.syncMarginPs),
      // Before the link partner's credit ages, so that what it returns is not granted again.
      idlePs: given(this.peerOf(end).age, CREDIT_TIMES.agePs) / 2,
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
    const own = this.ownOf(end);
    const { channels, smallestShare } = this.terms(end);
    const unitOctets = this.unitOf(own);
    const lengths = this.context.frameLengths[priority];
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
    const keepUnits = this.keepUnits(own)[priority];
    const least =
      own.grant === 'static'
        ? Math.ceil(frameUnits / smallestShare)
        : channels.length * Math.max(frameUnits, keepUnits);
    const whole = fixed ?? Math.max(wanted, least);
    const bufferUnits = Math.floor(whole * own.grantFactor);
    this.checkBuffer(end, bufferUnits, least);
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

  /** By priority: the minimum of an idle channel. */
  private keepUnits(own: CreditSettings): number[] {
    const unitOctets = this.unitOf(own);
    return this.context.frameLengths.map((lengths) =>
      costOf(given(own.keep, Math.max(...lengths)), unitOctets),
    );
  }

  private note(end: LinkEnd, plan: BufferPlan): void {
    const { device, port, link } = end;
    const { priority, unitOctets, bufferUnits, neededUnits, terms } = plan;
    const { octetPs } = link;
    if (this.noted.has(plan)) return;
    this.noted.add(plan);
    this.warnOfBuffer(end, plan);
    const units = { unitOctets, bufferUnits, neededUnits };
    this.margins.push({ device, port, priority, ...units, terms, octetPs });
  }

  /** Where the buffer is set, or a part of it, and is less than full rate needs. */
  private warnOfBuffer(end: LinkEnd, plan: BufferPlan): void {
    const { device, link } = end;
    const { channels, smallestShare } = this.terms(end);
    const own = this.ownOf(end);
    const { priority, unitOctets, bufferUnits, neededUnits } = plan;
    const isGiven = own.buffer !== 'auto' || own.grantFactor < 1;
    if (!isGiven || own.shaper !== 'off') return;
    const kept = this.keepUnits(own)[priority] * (channels.length - 1);
    const units =
      own.grant === 'static' ? Math.floor(bufferUnits * smallestShare) : bufferUnits - kept;
    if (units >= neededUnits) return;
    const key = own.buffer !== 'auto' ? 'buffer' : 'grantFactor';
    const least = Math.ceil((bufferUnits * neededUnits) / units) * unitOctets;
    this.context.warn(
      this.context.devices[device].placeOf(key),
      link.name,
      `priority ${priority}: a sender has ${units * unitOctets} bytes of the credit buffer, and ` +
        `one loop of its link takes ${neededUnits * unitOctets}: at most ` +
        `${Math.floor((100 * units) / neededUnits)} % of line rate; ` +
        `buffer: auto, or ${least} bytes or more`,
    );
  }

  /** Without requests, the minimum of an idle account is all that its first frame can use. */
  private checkKeep(end: LinkEnd): void {
    const own = this.ownOf(end);
    if (own.grant !== 'demand' || this.peerOf(end).request !== 'never') return;
    const unitOctets = this.unitOf(own);
    const kept = this.keepUnits(own);
    end.link.flowControl.forEach((method, priority) => {
      const least = costOf(Math.max(...this.context.frameLengths[priority]), unitOctets);
      if (!needsGrants(method) || kept[priority] >= least) return;
      throw this.context.fail(
        this.context.devices[end.device].placeOf('keep'),
        `${kept[priority] * unitOctets} bytes for an idle account, where the longest frame of ` +
          `priority ${priority} takes ${least * unitOctets} and the other end never requests ` +
          `more: it would wait for ever; keep: auto, at least ${least * unitOctets} bytes, or ` +
          'request: blocked',
      );
    });
  }

  /** Increments have no epoch: what is still to come after the link was down is unknown. */
  private checkCounts(
    { link }: LinkEnd,
    { counts, priorities }: CreditPortSpec,
    retry: RetriedFrames | null,
  ): void {
    if (counts !== 'incremental' || (priorities & (retry?.priorities ?? 0)) === 0) return;
    throw this.context.fail(
      [EXCHANGE, 'counts'],
      `counts: incremental at ${link.name}, where link-level retry sends frames again after the ` +
        'link was down: they would come beside all that was granted since; counts: cumulative, ' +
        `or llr: { priorities: … } without those that exchange ${EXCHANGE}`,
    );
  }

  /** An end that requests again before the answer can arrive discards what was agreed. */
  private checkSync(end: LinkEnd): void {
    const { sync } = this.context.section;
    const leastPs = 2 * end.link.latencyPs;
    if (sync === 'auto' || sync >= leastPs) return;
    throw this.context.fail(
      ['credit', 'sync'],
      `${formatPs(sync)} is less than a message takes from ${end.link.name} and back, ` +
        `${formatPs(leastPs)}: ` +
        'resynchronisations would be tried again before an answer can come; ' +
        `sync: auto, or at least ${formatPs(leastPs)}`,
    );
  }

  /** A bridge counts credit by the tags that a frame leaves with, its link partner by others. */
  private checkTags(end: LinkEnd): void {
    const natives = this.context.devices[end.device].links.flatMap(
      ({ nativeVlan }) => nativeVlan ?? [],
    );
    this.terms(end).channels.forEach(({ channel, vlans }, slot) => {
      const native = slot === 0 ? undefined : natives.find((vlan) => vlans.includes(vlan));
      if (native === undefined) return;
      throw this.context.fail(
        ['credit', 'channels', slot, 'vlans'],
        `VLAN ${native} of channel ${channel} is native at a port of a bridged switch, where its ` +
          'frames have no tag: they would be counted as those of another channel; ' +
          'native: a VLAN of no channel or of the first, or forwarding: routed',
      );
    });
  }

  private checkBuffer(end: LinkEnd, bufferUnits: number, leastUnits: number): void {
    const own = this.ownOf(end);
    const unitOctets = this.unitOf(own);
    const { channels } = this.terms(end);
    if (bufferUnits > WINDOW_MOST) {
      throw this.context.fail(
        ['credit', 'buffer'],
        `credits that no count can hold: ${bufferUnits} units of ${unitOctets} bytes; at most ` +
          `${WINDOW_MOST} units, so take a larger unit`,
      );
    }
    if (bufferUnits >= leastUnits) return;
    const keeps = own.grant === 'demand' && own.keep !== 'auto';
    throw this.context.fail(
      ['credit', 'buffer'],
      `credits that no buffer could back: ${bufferUnits} units of ${unitOctets} bytes are less ` +
        `than the longest frame${keeps ? ', or keep,' : ''} takes in ${channels.length} ` +
        `channel(s); at least ${leastUnits} units`,
    );
  }

  /**
   * A bucket of some frames, and of what arrives until the next request where grants are answers.
   */
  private shaper(end: LinkEnd, own: CreditSettings): CreditShaperSpec | null {
    if (own.shaper === 'off') return null;
    const octetPs = (OCTET_BITS * PS_PER_S) / own.shaper;
    const cheap = (wireOctets(FRAME_OCTETS_MIN) / MESSAGES_OF_LINE) * (end.link.octetPs / octetPs);
    const unitOctets = this.unitOf(own);
    const frame = costOf(this.longestOctets, unitOctets) * unitOctets;
    const chunkOctets = Math.max(wireOctets(frame), Math.ceil(cheap));
    const waitPs = own.unsolicited ? 0 : this.pollPs(end, own);
    return { octetPs, chunkOctets, bucketOctets: 2 * chunkOctets + Math.ceil(waitPs / octetPs) };
  }

  /** Units that a receiver which is itself shaped can use: a loop, and its bucket. */
  private shapedUnits(end: LinkEnd, priority: number, shaper: CreditShaperSpec | null): number {
    if (shaper === null) return Infinity;
    const own = this.ownOf(end);
    const loopOctets = (this.loop(end, priority).totalOctets * end.link.octetPs) / shaper.octetPs;
    const lengths = this.context.frameLengths[priority];
    const octets = Math.ceil(loopOctets) + shaper.bucketOctets;
    const units = unitsForFullRate(octets, lengths, this.unitOf(own));
    return own.grant === 'static' ? Math.ceil(units / this.terms(end).smallestShare) : units;
  }

  private asking(end: LinkEnd): CreditAskingSpec {
    const own = this.ownOf(end);
    const peerEnd = this.endAt(end.link.peerDevice, end.link.peerPort);
    const peer = this.peerOf(end);
    const { section: credit } = this.context;
    const unitOctets = this.unitOf(peer);
    const rttPs = this.roundTripPs(end);
    const frameUnits = costOf(this.longestOctets, unitOctets);
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
      keepUnits: this.keepUnits(peer),
    };
  }

  /**
   * By priority: units of full rate from a request until the answer to the next one, times the
   * prediction. Where freed buffer is granted unsolicited, the next one is not waited for.
   */
  private aheadUnits(end: LinkEnd, own: CreditSettings, peer: CreditSettings): number[] {
    const nextPs = peer.unsolicited ? 0 : this.pollPs(end, peer);
    const ways = Math.ceil((this.roundTripPs(end) + nextPs) / end.link.octetPs);
    const octets = ways + 2 * wireOctets(FRAME_OCTETS_MIN);
    const unitOctets = this.unitOf(peer);
    return this.context.frameLengths.map((lengths) =>
      Math.ceil(unitsForFullRate(octets, lengths, unitOctets) * own.prediction),
    );
  }

  /** Least time between two requests of an end. */
  private pollPs(end: LinkEnd, granter: CreditSettings): number {
    const { poll } = this.context.section;
    if (poll !== 'auto') return poll;
    const rttPs = this.roundTripPs(end);
    if (granter.unsolicited) return Math.max(2 * rttPs, CREDIT_TIMES.leastPollPs);
    const cheapPs = (wireOctets(FRAME_OCTETS_MIN) / MESSAGES_OF_LINE) * end.link.octetPs;
    return Math.min(rttPs, Math.max(rttPs * POLL_OF_LOOP, cheapPs));
  }

  private loop(end: LinkEnd, priority: number): CreditLoopTerms {
    const own = this.ownOf(end);
    const isAheadOf = requestsOf(this.peerOf(end), own) === 'ahead';
    return creditLoop({
      requestPs: own.unsolicited || !isAheadOf ? null : this.pollPs(end, own),
      octetPs: end.link.octetPs,
      latencyPs: end.link.latencyPs,
      pipelinePs: this.pipelinePs(end.device),
      peerPipelinePs: this.pipelinePs(end.link.peerDevice),
      longestAnyOctets: this.longestOctets,
      longestOctets: Math.max(...this.context.frameLengths[priority]),
    });
  }

  private roundTripPs(end: LinkEnd): number {
    const pipelines = this.pipelinePs(end.device) + this.pipelinePs(end.link.peerDevice);
    return 2 * (end.link.latencyPs + wireOctets(this.longestOctets) * end.link.octetPs) + pipelines;
  }

  private pipelinePs(device: number): number {
    const { hostCount, devices } = this.context;
    return device < hostCount ? 0 : devices[device].pipelinePs;
  }

  private endAt(device: number, port: number): LinkEnd {
    return { device, port, link: this.context.devices[device].links[port] };
  }

  private ownOf({ device }: LinkEnd): CreditSettings {
    return this.context.devices[device].section;
  }

  private peerOf({ link }: LinkEnd): CreditSettings {
    return this.context.devices[link.peerDevice].section;
  }

  private unitOf({ unit }: CreditSettings): number {
    return unit === 'mtu' ? this.longestOctets : unit;
  }
}

/** Priorities of a port that may exchange credit, one bit each. */
function prioritiesOf({ link }: LinkEnd): number {
  return link.flowControl.reduce(
    (mask, method, priority) => (needsGrants(method) ? mask | (1 << priority) : mask),
    0,
  );
}

/** A setting, or what stands for it where it is `auto` or `off`. */
function given(value: number | 'auto' | 'off', otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

const CREDIT_TERMS: readonly (readonly [keyof CreditLoopTerms, string, string])[] = [
  ['frameOctets', 'F', 'longest frame of the priority, whole'],
  ['roundTripOctets', '2C + 2ID', 'link and interfaces, there and back'],
  ['pipelineOctets', 'pipelines', 'of both ends'],
  ['waitOctets', 'W', 'longest frame that the granting port may just have begun'],
  ['controlOctets', 'P', 'grant'],
];

/** Buffer reserved for what is granted, and the octets of one loop. */
function sizeOf(margin: CreditMargin): MemorySize {
  const { port, priority, unitOctets, bufferUnits, neededUnits, terms, octetPs } = margin;
  const inUnits = neededUnits * unitOctets - terms.totalOctets;
  const termOf = (octets: number, term: string, meaning: string): SizeTerm => ({
    ...{ term, meaning, ps: octets * octetPs, octets },
  });
  return {
    ...{ title: 'credit buffer', port, priority },
    terms: [
      ...CREDIT_TERMS.map(([key, term, meaning]) => termOf(terms[key], term, meaning)),
      {
        ...{ term: 'units', meaning: `whole frames, in units of ${unitOctets} bytes` },
        ...{ ps: null, octets: inUnits },
      },
    ],
    neededOctets: neededUnits * unitOctets,
    givenOctets: bufferUnits * unitOctets,
    thresholds: {},
  };
}
