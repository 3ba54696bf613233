import { wireOctets } from '../../engine/units/ethernet.js';
import type { PortRow } from '../../engine/units/indices.js';
import { needsGrants, type FabricContext, type LinkContext } from '../fabric-context.js';
import { costOf } from './machine.js';
import { channelsOf, type CreditSettings } from './settings.js';
import type { CreditPortSpec } from './spec.js';

/** A port with its link. */
export interface LinkEnd {
  readonly device: number;
  readonly port: PortRow;
  readonly link: LinkContext;
}

/** What the ends of a link come to: the resolution of the CET TLV. */
interface LinkTerms {
  readonly counts: CreditPortSpec['counts'];
  readonly channels: CreditPortSpec['channels'];
  readonly tags: boolean;
  /** Of the channel with the smallest share, as a part of all. */
  readonly smallestShare: number;
}

/** Settings of both ends of links, and what they come to. */
export class CreditEnds {
  constructor(private readonly context: FabricContext<CreditSettings>) {}

  /** The longest frame of all priorities on a link. */
  longestOctets({ link }: LinkEnd): number {
    return Math.max(...link.longestFrameOctets);
  }

  terms(end: LinkEnd): LinkTerms {
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

  /** By priority: the minimum of an idle channel. */
  keepUnits(own: CreditSettings, end: LinkEnd): number[] {
    const unitOctets = this.unitOf(own, end);
    return end.link.frameLengths.map((lengths) =>
      costOf(given(own.keep, Math.max(...lengths)), unitOctets),
    );
  }

  roundTripPs(end: LinkEnd): number {
    const pipelines = this.pipelinePs(end.device) + this.pipelinePs(end.link.peerDevice);
    return (
      2 * (end.link.latencyPs + wireOctets(this.longestOctets(end)) * end.link.octetPs) + pipelines
    );
  }

  pipelinePs(device: number): number {
    const { hostCount, devices } = this.context;
    return device < hostCount ? 0 : devices[device].pipelinePs;
  }

  endAt(device: number, port: number): LinkEnd {
    return { device, port, link: this.context.devices[device].links[port] };
  }

  ownOf({ device }: LinkEnd): CreditSettings {
    return this.context.devices[device].section;
  }

  peerOf({ link }: LinkEnd): CreditSettings {
    return this.context.devices[link.peerDevice].section;
  }

  /** Octets of a unit of one of the ends of a link. */
  unitOf({ unit }: CreditSettings, end: LinkEnd): number {
    return unit === 'mtu' ? this.longestOctets(end) : unit;
  }

  /** MAX_CR_BLK of one of the ends of a link. */
  maxUnitOf(own: CreditSettings, end: LinkEnd): number {
    return maxUnitOf(own, this.longestOctets(end));
  }
}

/** MAX_CR_BLK of a port, whose longest frame this is. */
export function maxUnitOf({ unit, maxUnit }: CreditSettings, longestOctets: number): number {
  if (typeof maxUnit === 'number') return maxUnit;
  return maxUnit === 'mtu' || unit === 'mtu' ? longestOctets : Math.max(longestOctets, unit);
}

/** Priorities of a port that may exchange credit, one bit each. */
export function prioritiesOf({ link }: LinkEnd): number {
  return link.flowControl.reduce(
    (mask, method, priority) => (needsGrants(method) ? mask | (1 << priority) : mask),
    0,
  );
}

/** A setting, or what stands for it where it is `auto` or `off`. */
export function given(value: number | 'auto' | 'off', otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
