/** An operator configures a switch anew: its links, pools or profiles, or who has a profile. */

import { rateOfBps } from '../../engine/units/rates.js';
import { listed } from '../../settings/errors.js';
import { integer, list, name, positive, quantity } from '../../settings/parts.js';
import { length, LINK_RATES, size } from '../../settings/quantities.js';
import type { BufferSection } from '../scenario/scenario.js';
import type { ProfileSection } from '../scenario/schema-buffer.js';
import { faultKind, type Written } from './fault-kind.js';
import { KEYS } from './keys.js';
import { type BufferEdit, NoSuchName } from './setting.js';

const numbers = list(integer(0, 7), 'numbers from 0 to 7').min(1, 'no number is named');
const OF_PROFILES = ['alpha', 'limit', 'headroom', 'reserved', 'xon', 'xonOffset'] as const;
const TIMES = ['for', 'every', 'times', 'until', 'random', 'recover'];

/** Its keys as they are read. */
interface Given {
  readonly pool?: string;
  readonly size?: number;
  readonly profile?: string;
  readonly groups?: readonly number[];
  readonly queues?: readonly number[];
  readonly alpha?: number;
  readonly limit?: number;
  readonly headroom?: number;
  readonly reserved?: number;
  readonly xon?: number;
  readonly xonOffset?: number;
}

export const set = faultKind({
  name: 'set',
  effect:
    'an operator sets the rate or cable of a link, or profiles and pools; profiles by ' +
    'rate and cable follow',
  must: {},
  may: {
    rate: KEYS.rate,
    cable: quantity(length).describe('Length of the link from now on.'),
    profile: name().describe(
      'Profile that groups or queues of these ports have from now on, or that changes itself.',
    ),
    groups: numbers.describe('Priority groups that have the profile.'),
    queues: numbers.describe('Queues that have the profile.'),
    pool: name().describe('Pool of the switch that is set.'),
    size: KEYS.size,
    alpha: positive().describe('New dynamic threshold of the profile.'),
    limit: quantity(size).describe('New static threshold of the profile.'),
    headroom: quantity(size).describe(
      'New headroom of the profile, or shared headroom of the pool.',
    ),
    reserved: quantity(size).describe('New reservation of the profile.'),
    xon: quantity(size).describe('New XON of the profile.'),
    xonOffset: quantity(size).describe('New distance of XON from the threshold of the profile.'),
  },
  hits: 'port',
  configures: true,
  needs: 'pools (switches.buffer.pools)',
  check(given, written) {
    const timed = TIMES.find((key) => written.has(key));
    if (timed !== undefined) {
      const says = 'a switch keeps what it is set to: set it again';
      throw written.errorAtKey(timed, `${timed} means nothing to set; ${says}`);
    }
    if (given.rate !== undefined && rateOfBps(given.rate) === undefined) {
      throw written.error(`not a rate of Ethernet; there are ${listed(LINK_RATES)}`, 'rate');
    }
    checkWhat(given, written);
  },
  place(at, given) {
    const { rate, cable } = given;
    const isOfLink = rate !== undefined || cable !== undefined;
    if (isOfLink) at.setLink({ rateBps: rate ?? null, lengthMm: cable ?? null });
    const edit = editOf(given, at.portNumber);
    return (edit !== null && at.setBuffer(edit)) || isOfLink;
  },
  look: 'device',
  form: {
    says: 'an operator gives the profile another threshold',
    fields: [
      { key: 'profile', text: 'lossless' },
      { key: 'alpha', text: '0.5' },
    ],
  },
});

function checkWhat(given: Given & { rate?: number; cable?: number }, written: Written): void {
  const { pool, profile, groups, queues } = given;
  const isBinding = groups !== undefined || queues !== undefined;
  const values = OF_PROFILES.filter((key) => given[key] !== undefined);
  if (pool !== undefined && profile !== undefined) {
    throw written.errorAtKey('pool', 'a pool or a profile: set the other at the same time');
  }
  if (pool !== undefined) {
    const strange = ['groups', 'queues', ...values].find(
      (key) => key !== 'headroom' && written.has(key),
    );
    if (strange !== undefined) throw written.errorAtKey(strange, `a pool has no ${strange}`);
    if (given.size === undefined && given.headroom === undefined) {
      throw written.error(`nothing to set of ${pool}: give size or headroom`, 'pool');
    }
    return;
  }
  if (given.size !== undefined) throw written.errorAtKey('size', 'size needs pool');
  if (profile === undefined) {
    const strange = ['groups', 'queues', ...values].find((key) => written.has(key));
    if (strange !== undefined) throw written.errorAtKey(strange, `${strange} needs profile`);
    if (given.rate !== undefined || given.cable !== undefined) return;
    throw written.error('nothing to set: give rate, cable, profile or pool');
  }
  if (isBinding && values.length > 0) {
    const says = `the profile itself changes for all that have it: set ${values[0]!} apart`;
    throw written.errorAtKey(values[0]!, says);
  }
  if (isBinding || values.length > 0) return;
  const all = listed(['groups', 'queues', ...OF_PROFILES]);
  throw written.error(`nothing to set with ${profile}: give one of ${all}`, 'profile');
}

/** What it does to the buffer of a switch; null: nothing. `port` counts from 1. */
function editOf(given: Given, port: number): BufferEdit | null {
  const { pool, profile, groups, queues } = given;
  if (pool !== undefined) return (buffer) => withPool(buffer, pool, given);
  if (profile === undefined) return null;
  if (groups === undefined && queues === undefined) {
    return (buffer) => withProfile(buffer, profile, given);
  }
  const entry = {
    ports: [port],
    groups: [...(groups ?? [])],
    queues: [...(queues ?? [])],
    profile,
  };
  return (buffer) => ({ ...buffer, assign: [...buffer.assign, entry] });
}

function withPool(buffer: BufferSection, pool: string, { size: bytes, headroom }: Given) {
  const own = buffer.pools[pool];
  if (own === undefined) throw missing('pool', pool, buffer.pools);
  const changed = {
    ...own,
    ...(bytes !== undefined && { size: bytes }),
    ...(headroom !== undefined && { headroom }),
  };
  return { ...buffer, pools: { ...buffer.pools, [pool]: changed } };
}

function withProfile(buffer: BufferSection, profile: string, given: Given) {
  const own = buffer.profiles[profile];
  if (own === undefined) throw missing('profile', profile, buffer.profiles);
  const changes = Object.fromEntries(
    OF_PROFILES.flatMap((key) => (given[key] === undefined ? [] : [[key, given[key]]])),
  ) as Partial<ProfileSection>;
  return { ...buffer, profiles: { ...buffer.profiles, [profile]: { ...own, ...changes } } };
}

function missing(key: string, given: string, names: object): NoSuchName {
  const there = Object.keys(names).join(', ') || 'none';
  return new NoSuchName(key, `no such ${key}: ${given}; there are ${there}`);
}
