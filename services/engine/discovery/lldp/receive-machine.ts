import type { DiscoveryPortSpec } from '../../contract/discovery.js';
import type { Decoded } from '../../wire/decoded.js';
import { blankLldpFrame, decodeLldp, type LldpFrame } from '../../wire/lldp/lldpdu.js';
import type { LldpStatistics } from './lldp-managed.js';
import { readRemote, type Remote, spokenBy } from './remote.js';
import { assert } from '../../kernel/assert.js';

/** A neighbor, identified by chassis ID and port ID together (its MSAP identifier). */
export interface Neighbor {
  chassisId: Uint8Array;
  portId: Uint8Array;
  mac: number;
  /** Its last LLDPDU, as received. */
  octets: Uint8Array;
  remote: Remote;
  /** Its advertised time to live, and rxInfoTTL: ticks until it ages out. */
  ttlStated: number;
  ttl: number;
}

/** The remote database of one agent, with its receive machine (802.1AB 9.2.9). */
export interface LldpReceive {
  neighbors: Neighbor[];
  /** While it runs, tooManyNeighbors is set. */
  tooManyNeighborsTimer: number;
}

type Reception =
  /** Counted and dropped. */
  | 'bad'
  /** An LLDPDU without changes. */
  | 'unchanged'
  | 'changed'
  | 'new'
  /** A shutdown LLDPDU. */
  | 'gone'
  /** There is no room for one more. */
  | 'refused';

/** Why an LLDPDU is discarded as a whole. */
const REASONS: Partial<Record<Decoded, keyof LldpStatistics>> = {
  'bad-order': 'misorderedTotal',
  repeated: 'repeatedMandatoryTotal',
  'bad-length': 'mandatoryLengthErrorsTotal',
};

export function blankReceive(): LldpReceive {
  return { neighbors: [], tooManyNeighborsTimer: 0 };
}

/** RX_LLDP_INITIALIZE. */
export function resetReceive(rx: LldpReceive): void {
  rx.neighbors = [];
}

/** Counts ticks; returns how many neighbors aged out (DELETE_INFO). */
export function countDownReceive(rx: LldpReceive, stats: LldpStatistics, ticks: number): number {
  rx.tooManyNeighborsTimer = Math.max(0, rx.tooManyNeighborsTimer - ticks);
  let aged = 0;
  for (const neighbor of rx.neighbors) {
    neighbor.ttl = Math.max(0, neighbor.ttl - ticks);
    if (neighbor.ttl === 0) aged++;
  }
  if (aged > 0) rx.neighbors = rx.neighbors.filter(({ ttl }) => ttl > 0);
  stats.statsAgeoutsTotal += aged;
  stats.statsRemTablesDeletes += aged;
  return aged;
}

export function ticksToReceive(rx: LldpReceive): number {
  let least = Infinity;
  for (const { ttl } of rx.neighbors) if (ttl < least) least = ttl;
  return least;
}

/** RX_FRAME: applies an LLDPDU to the database. The octets are valid during the call only. */
export function receiveLldp(
  rx: LldpReceive,
  stats: LldpStatistics,
  spec: Pick<DiscoveryPortSpec, 'neighborsMost' | 'identifier'>,
  octets: Uint8Array,
): Reception {
  stats.statsFramesInTotal++;
  const again = rx.neighbors.find((neighbor) => same(neighbor.octets, octets));
  if (again !== undefined) return refresh(again, stats);
  const frame = blankLldpFrame();
  const decoded = decodeLldp(octets, 0, frame);
  if (decoded !== 'ok') {
    stats.statsFramesInErrorsTotal++;
    stats.statsFramesDiscardedTotal++;
    stats[REASONS[decoded] ?? 'truncatedTotal']++;
    return 'bad';
  }
  const { chassisId, portId, ttlSeconds } = frame;
  const known = rx.neighbors.find(
    (neighbor) => same(neighbor.chassisId, chassisId) && same(neighbor.portId, portId),
  );
  if (ttlSeconds === 0) return takeLeave(rx, stats, known);
  if (known === undefined && rx.neighbors.length >= spec.neighborsMost) {
    stats.statsFramesDiscardedTotal++;
    stats.refusedNeighborsTotal++;
    rx.tooManyNeighborsTimer = Math.max(rx.tooManyNeighborsTimer, ttlSeconds);
    return 'refused';
  }
  const neighbor = neighborOf(octets, frame, spec.identifier);
  countTlvs(stats, neighbor.remote);
  if (known !== undefined) rx.neighbors[rx.neighbors.indexOf(known)] = neighbor;
  else insert(rx, stats, neighbor);
  return known === undefined ? 'new' : 'changed';
}

function neighborOf(octets: Uint8Array, frame: LldpFrame, identifier: number): Neighbor {
  return {
    chassisId: frame.chassisId.slice(),
    portId: frame.portId.slice(),
    mac: frame.source,
    octets: octets.slice(),
    remote: readRemote(frame.tlvs, identifier),
    ttlStated: frame.ttlSeconds,
    ttl: frame.ttlSeconds,
  };
}

function refresh(neighbor: Neighbor, stats: LldpStatistics): Reception {
  neighbor.ttl = neighbor.ttlStated;
  countTlvs(stats, neighbor.remote);
  return 'unchanged';
}

function insert(rx: LldpReceive, stats: LldpStatistics, neighbor: Neighbor): void {
  assert(neighbor.ttl > 0, 'lldp.neighbor-has-time-to-live');
  rx.neighbors.push(neighbor);
  stats.statsRemTablesInserts++;
  if (rx.neighbors.length > 1) stats.severalPeersTotal++;
}

function takeLeave(rx: LldpReceive, stats: LldpStatistics, known: Neighbor | undefined): Reception {
  stats.shutdownsInTotal++;
  if (known === undefined) return 'unchanged';
  stats.statsRemTablesDeletes++;
  rx.neighbors = rx.neighbors.filter((neighbor) => neighbor !== known);
  return 'gone';
}

function countTlvs(stats: LldpStatistics, remote: Remote): void {
  stats.statsTLVsUnrecognizedTotal += remote.unrecognized.length;
  const { discarded, duplicates, wrongLengths, wrongSums } = remote;
  stats.statsTLVsDiscardedTotal += discarded + duplicates;
  stats.duplicateTlvsTotal += duplicates;
  stats.tlvLengthErrorsTotal += wrongLengths;
  stats.etsSumErrorsTotal += wrongSums;
  stats.tlvValueErrorsTotal += discarded - wrongLengths - wrongSums;
  const spoken = spokenBy(remote);
  if (spoken.ieee && spoken.cee) stats.dcbxConflictsTotal++;
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
