import type { RetriedFrames } from '../../engine/contract/spec.js';
import { formatPs } from '../../engine/units/time.js';
import { EXCHANGE, needsGrants, type FabricContext } from '../fabric-context.js';
import type { CreditEnds, LinkEnd } from './link-ends.js';
import { costOf, WINDOW_MOST } from './machine.js';
import { CREDIT_UNIT } from './managed.js';
import type { CreditSettings } from './settings.js';
import type { BufferPlan } from './sizes.js';
import type { CreditGrantingSpec, CreditPortSpec } from './spec.js';

/** Refuses settings of the two ends of a link that do not go together. */
export class CreditChecks {
  constructor(
    private readonly context: FabricContext<CreditSettings>,
    private readonly ends: CreditEnds,
  ) {}

  /** What needs no buffer sizes. */
  link(end: LinkEnd): void {
    this.units(end);
    this.requests(end);
    this.loans(end);
    this.keep(end);
    this.sync(end);
    this.tags(end);
  }

  /** Entries of an Application Protocol TLV have no room for a unit, or for counts of 31 bits. */
  literal(end: LinkEnd, { unitOctets, isWide: wide }: CreditGrantingSpec): void {
    const { cet } = this.ends.ownOf(end);
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

  /** Increments have no epoch: what is still to come after the link was down is unknown. */
  counts(
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

  /** A buffer that no count can hold, or that one frame would not fit in. */
  buffer(end: LinkEnd, bufferUnits: number, leastUnits: number): void {
    const own = this.ends.ownOf(end);
    const unitOctets = this.ends.unitOf(own, end);
    const { channels } = this.ends.terms(end);
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

  /** Where the buffer is set, or a part of it, and is less than full rate needs. */
  warnOfBuffer(end: LinkEnd, plan: BufferPlan): void {
    const { device, link } = end;
    const { channels, smallestShare } = this.ends.terms(end);
    const own = this.ends.ownOf(end);
    const { priority, unitOctets, bufferUnits, neededUnits } = plan;
    const isGiven = own.buffer !== 'auto' || own.grantFactor < 1;
    if (!isGiven || own.shaper !== 'off') return;
    const kept = this.ends.keepUnits(own, end)[priority] * (channels.length - 1);
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

  /** A unit beyond MAX_CR_BLK of an end; where ends negotiate, they find that they do not agree. */
  private units(end: LinkEnd): void {
    const { devices, negotiates, fail } = this.context;
    const own = this.ends.ownOf(end);
    const unitOctets = this.ends.unitOf(own, end);
    const most = this.ends.maxUnitOf(own, end);
    const peer = this.ends.peerOf(end);
    const peerMost = peer.maxUnit === 'auto' ? Infinity : this.ends.maxUnitOf(peer, end);
    const isOwn = unitOctets > most;
    if (!isOwn && (negotiates || unitOctets <= peerMost)) return;
    const whose = isOwn ? 'its own' : `that of ${devices[end.link.peerDevice].name},`;
    throw fail(
      devices[end.device].placeOf('unit'),
      `credit unit of ${unitOctets} bytes at ${end.link.name} is beyond maxUnit (MAX_CR_BLK), ` +
        `${whose} ${isOwn ? most : peerMost} bytes; a smaller unit, or a larger maxUnit`,
    );
  }

  private requests(end: LinkEnd): void {
    const own = this.ends.ownOf(end);
    if (own.age !== 'off' && this.ends.peerOf(end).grant === 'static') {
      throw this.context.fail(
        ['credit', 'age'],
        'ageing needs grant: demand at the other end of the link',
      );
    }
    if (!own.unsolicited && this.ends.peerOf(end).request === 'never') {
      const message = 'grants are answers only, and the other end never requests credit';
      throw this.context.fail(['credit', 'unsolicited'], message);
    }
  }

  private loans(end: LinkEnd): void {
    const own = this.ends.ownOf(end);
    const { counts, channels } = this.ends.terms(end);
    const isLent = own.grant === 'demand' && channels.length > 1;
    if (isLent && counts === 'incremental') {
      throw this.context.fail(
        ['credit', 'counts'],
        `counts: incremental with grant: demand and ${channels.length} channels: amounts ` +
          'cannot be taken back, so an idle channel would keep for ever what it was lent; ' +
          'counts: cumulative, or grant: static',
      );
    }
  }

  /** Without requests, the minimum of an idle account is all that its first frame can use. */
  private keep(end: LinkEnd): void {
    const own = this.ends.ownOf(end);
    if (own.grant !== 'demand' || this.ends.peerOf(end).request !== 'never') return;
    const unitOctets = this.ends.unitOf(own, end);
    const kept = this.ends.keepUnits(own, end);
    end.link.flowControl.forEach((method, priority) => {
      const least = costOf(Math.max(...end.link.frameLengths[priority]), unitOctets);
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

  /** An end that requests again before the answer can arrive discards what was agreed. */
  private sync(end: LinkEnd): void {
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
  private tags(end: LinkEnd): void {
    const natives = this.context.devices[end.device].links.flatMap(
      ({ nativeVlan }) => nativeVlan ?? [],
    );
    this.ends.terms(end).channels.forEach(({ channel, vlans }, slot) => {
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
}
