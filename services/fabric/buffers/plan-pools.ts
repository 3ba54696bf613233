/**
 * Pools and profiles of a switch, by the accounting of its chip: what each slice may share of each
 * pool, and what each group and queue may take. Sizes are those that are configured; whole cells,
 * slices and reserves are the chip's.
 */

import type {
  AccountSpec,
  BufferSpec,
  PooledGroupSpec,
  PooledSpec,
  PoolsSpec,
  WredCurve,
  WredSpec,
} from '../../engine/contract/memory.js';
import type { HeadroomTerms } from '../../engine/analysis/headroom/headroom.js';
import type { LinkEnd } from '../assembly/link-ends.js';
import { PS_PER_MM } from '../link-length.js';
import type { BufferSection } from '../scenario/scenario.js';
import type { ProfileSection, WredInput } from '../scenario/schema-buffer.js';
import { CollectedErrors } from '../../settings/collected-errors.js';
import type { Path } from '../topology/cabling.js';
import type { Asic } from './asics.js';
import { HEADROOM_CHIPS } from './asics.js';
import { need } from './need.js';
import { scriptedProfile } from './headroom-script.js';
import type { PgProfile } from './pg-profiles.js';

const NUMBERS = [0, 1, 2, 3, 4, 5, 6, 7];

/** What groups without a profile, and queues, may take: all of the memory. */
const UNLIMITED: PooledSpec = {
  pool: -1,
  isByGroups: false,
  reservedOctets: 0,
  alpha: Infinity,
  limitOctets: Infinity,
};

interface PoolsInput {
  readonly device: string;
  readonly section: BufferSection;
  readonly ends: readonly LinkEnd[];
  /** By port, then group: as flow control has them, which knows nothing of profiles. */
  readonly accounts: readonly (readonly AccountSpec[])[];
  /** What may arrive at a lossless group after XOFF. */
  readonly termsOf: (port: number, group: number) => HeadroomTerms;
  /** `keys` are those of the buffer. */
  readonly fail: (keys: Path, message: string) => Error;
}

/** A profile at a port, where a script may have computed its sizes. */
interface Profile extends Omit<ProfileSection, 'headroom'> {
  readonly headroom: number | 'auto';
}

/** A port's profiles, by group or by queue; null: none. */
type Assigned = readonly (readonly (Profile | null)[])[];

export function hasPools({ pools }: BufferSection): boolean {
  return Object.keys(pools).length > 0;
}

export function planPools(input: PoolsInput): BufferSpec {
  const { section, ends } = input;
  const { asic, pools } = section;
  checkNames(input);
  const names = Object.keys(pools);
  const groups = assigned(input, 'groups');
  const queues = assigned(input, 'queues');
  const accounts = input.accounts.map((own, port) =>
    own.map((account, group) => accountOf(input, account, { port, group, of: groups[port]! })),
  );
  const sizes = sharedSizes(input, { accounts, groups });
  const spec: PoolsSpec = {
    frameOctets: asic.frameBytes,
    slices: asic.slices,
    sliceOf: ends.map((_, port) => Math.floor((port * asic.slices) / ends.length)),
    pools: names.map((name, i) => ({ name, octets: sizes[i]! })),
    headroomOctets: headroomOctets(section),
    groups: groups.map((own) => own.map((profile) => groupSpec(section, profile))),
    queues: queues.map((own) => own.map((profile) => queueSpec(section, profile))),
    portAlphas: ends.map((_, port) => names.map((name) => portAlpha(input, port, name))),
    ...plannedWred(section, ends),
    steadyXon: asic.xonFrom === 'steady',
  };
  const shared = spec.pools.reduce(
    (sum, { name, octets }) => (pools[name]!.type === 'egress' ? sum : sum + octets),
    0,
  );
  const apart = accounts.flat().reduce((sum, own) => sum + setApart(own), 0);
  return {
    sizeOctets: shared * asic.slices + apart,
    cellOctets: asic.cellBytes,
    egressReservedOctets: 0,
    egressAlpha: 0,
    accounts,
    pools: spec,
  };
}

/** Where a group comes to rest at its threshold while nothing else is in its pool. */
export function restingOctets(
  { pools }: BufferSpec,
  port: number,
  group: number,
  cellOctets: number,
): number {
  const own = pools!.groups[port]![group]!;
  const size = pools!.pools[own.pool]!.octets;
  const { alpha } = own;
  const share = alpha === Infinity ? Infinity : (alpha / (1 + alpha)) * size;
  const most = Math.min(share, own.limitOctets, size);
  return own.reservedOctets + Math.floor(most / cellOctets) * cellOctets;
}

const setApart = ({ reservedOctets, headroomOctets: own }: AccountSpec): number =>
  reservedOctets + own;

/** Whole cells of a size. */
function cells({ cellBytes, rounding }: Asic, bytes: number): number {
  return rounding === 'up' ? Math.ceil(bytes / cellBytes) : Math.floor(bytes / cellBytes);
}

const inCells = (asic: Asic, bytes: number): number => cells(asic, bytes) * asic.cellBytes;

/** Shared headroom in each slice; Infinity where each group has its own. */
function headroomOctets({ asic, pools }: BufferSection): number {
  const whole = Object.values(pools).reduce((sum, { headroom }) => sum + headroom, 0);
  if (whole === 0) return Infinity;
  return Math.floor(whole / asic.cellBytes / asic.slices) * asic.cellBytes;
}

/** Of every pool, or the errors of all of them. */
function sharedSizes(
  input: PoolsInput,
  plan: { readonly accounts: PoolsInput['accounts']; readonly groups: Assigned },
): (number | null)[] {
  const errors = new CollectedErrors();
  const sizes = Object.keys(input.section.pools).map((name) => {
    errors.attempt(() => {
      checkMemory(input, name);
    });
    return errors.attempt(() => sharedOctets(input, name, plan));
  });
  errors.settle();
  return sizes;
}

/** What a pool asks of the chip, where its memory is known, or of what the switch is given. */
function checkMemory({ section, fail }: PoolsInput, name: string): void {
  const { cellBytes, memoryCells } = section.asic;
  const { size, headroom } = section.pools[name]!;
  const asked = Math.ceil(size / cellBytes) + Math.ceil(headroom / cellBytes);
  if (section.sizeBytes !== null && size + headroom > section.sizeBytes) {
    const asks = `${size + headroom} bytes with its headroom`;
    throw fail(
      ['pools', name, 'size'],
      `above the size of the buffer: ${asks}, of ${section.sizeBytes}; make that larger, or auto`,
    );
  }
  if (memoryCells === null || asked <= memoryCells) return;
  const what = headroom > 0 ? 'size and shared headroom are' : 'its size is';
  throw fail(
    ['pools', name, 'size'],
    `above the chip: ${what} ${asked} cells of ${cellBytes} bytes, and the chip has ` +
      `${memoryCells}; the switch would leave its lossless profiles unprogrammed`,
  );
}

/** Of a pool, in each slice: what is left when headroom and reserves are taken from it. */
function sharedOctets(
  { section, ends, fail }: PoolsInput,
  name: string,
  plan: { readonly accounts: PoolsInput['accounts']; readonly groups: Assigned },
): number {
  const { asic, pools } = section;
  const { size, headroom } = pools[name]!;
  const { cellBytes, slices } = asic;
  const lossless = plan.accounts.flatMap((own, port) =>
    own.filter((account, g) => account.lossless && plan.groups[port]![g]?.pool === name),
  );
  const isGross = asic.poolSize === 'gross' && lossless.length > 0;
  const isShared = headroomOctets(section) !== Infinity;
  const reserves = lossless.reduce(
    (sum, own) => sum + (isShared ? own.reservedOctets : setApart(own)),
    0,
  );
  const apart = isGross
    ? Math.floor(headroom / cellBytes) + reserves / cellBytes + asic.portReserveCells * ends.length
    : 0;
  const left = Math.floor(size / cellBytes) - apart;
  if (left < 0) {
    throw fail(
      ['pools', name, 'size'],
      `too small: the pool has ${size} bytes, and headroom and reserves of its groups take ` +
        `${apart * cellBytes} of them; give it more, or fewer groups`,
    );
  }
  return Math.floor(left / slices) * cellBytes;
}

/** Profiles that the list assigns, by port and group, or queue. */
function assigned(input: PoolsInput, to: 'groups' | 'queues'): Assigned {
  const { section, ends } = input;
  return ends.map((end) => {
    const own = new Array<Profile | null>(NUMBERS.length).fill(null);
    for (const entry of section.assign) {
      if (entry.profile === undefined || !selects(entry, end)) continue;
      const profile = profileAt(input, entry.profile, end);
      for (const number of entry[to]) own[number] = profile;
    }
    return own;
  });
}

function profileAt(input: PoolsInput, name: string, { link, name: port }: LinkEnd): Profile {
  const { pools, profiles } = input.section;
  const profile = profiles[name]!;
  const { headroom } = profile;
  if (typeof headroom !== 'object') return { ...profile, headroom };
  const isShared = pools[profile.pool]!.headroom > 0;
  if ('table' in headroom) {
    const { rateBps, propagationPs } = link;
    const row = headroom.table.ofLink(rateBps / 1e6, propagationPs / PS_PER_MM / 1000);
    if (typeof row !== 'string') return withRow(profile, row, isShared);
    const key = ['profiles', name, 'headroom', 'table'];
    throw input.fail(key, `${row}; without one ${port} would have no headroom`);
  }
  const { chip, gearbox, smallPackets, ...rest } = headroom;
  const { xon, xoff, size } = scriptedProfile(HEADROOM_CHIPS[chip], {
    ...rest,
    rateMbps: link.rateBps / 1e6,
    cableMetres: link.propagationPs / PS_PER_MM / 1000,
    smallPercent: smallPackets,
    gearboxNs: gearbox / 1000,
    isShared,
  });
  // Without shared headroom the size has the group's headroom in it.
  return { ...profile, headroom: xoff, xon, reserved: isShared ? size : Math.max(0, size - xoff) };
}

/** As buffermgr makes a profile of a line: its threshold applies where the profile has none. */
function withRow(profile: ProfileSection, row: PgProfile, isShared: boolean): Profile {
  const { size, xoff, xon, xonOffset, threshold } = row;
  const isOwn = profile.alpha !== undefined || profile.limit !== undefined;
  return {
    ...profile,
    ...(isOwn ? {} : { alpha: 2 ** threshold }),
    ...{ headroom: xoff, xon, xonOffset: xonOffset ?? 0 },
    reserved: isShared ? size : Math.max(0, size - xoff),
  };
}

/** WRED of queues: what the list assigns, by port and queue. */
function plannedWred(
  section: BufferSection,
  ends: readonly LinkEnd[],
): Pick<PoolsSpec, 'wreds' | 'wredOf'> {
  const names = Object.keys(section.wred);
  const whole = Object.values(section.pools).reduce((sum, { size }) => sum + size, 0);
  return {
    wreds: names.map((name) => wredSpec(section.wred[name]!, whole)),
    wredOf: ends.map((end) => {
      const own = new Array<number>(NUMBERS.length).fill(-1);
      for (const entry of section.assign) {
        if (entry.wred === undefined || !selects(entry, end)) continue;
        for (const queue of entry.queues) own[queue] = names.indexOf(entry.wred);
      }
      return own;
    }),
  };
}

/** `whole`: where a colour has no upper threshold, as SAI has it. */
function wredSpec({ weight, mark, green, yellow }: WredInput, whole: number): WredSpec {
  const curveOf = (curve: typeof green, colour: 'green' | 'yellow'): WredCurve | null => {
    if (curve === undefined) return null;
    const { min, max = Math.max(whole, min), probability, drop } = curve;
    const range = { minOctets: min, maxOctets: max, probability };
    return { ...range, marks: mark.includes(colour), drops: drop };
  };
  return {
    share: 2 ** -weight,
    green: curveOf(green, 'green'),
    yellow: curveOf(yellow, 'yellow'),
  };
}

interface Where {
  readonly ports?: readonly number[];
  readonly rate?: number;
  readonly cable?: number;
}

function selects({ ports, rate, cable }: Where, { port, link }: LinkEnd): boolean {
  if (ports !== undefined && !ports.includes(port + 1)) return false;
  if (rate !== undefined && rate !== link.rateBps) return false;
  return cable === undefined || cable * PS_PER_MM === link.propagationPs;
}

function portAlpha({ section, ends }: PoolsInput, port: number, pool: string): number | null {
  const own = section.portLimits.findLast(
    (entry) => entry.pool === pool && selects(entry, ends[port]!),
  );
  return own?.alpha ?? null;
}

/** The account of a group as its profile has it. */
function accountOf(
  { section, device, ends, termsOf, fail }: PoolsInput,
  account: AccountSpec,
  at: { readonly port: number; readonly group: number; readonly of: Assigned[number] },
): AccountSpec {
  const { asic } = section;
  const { port, group } = at;
  const profile = at.of[group] ?? null;
  if (profile === null) {
    if (!account.lossless) return { ...account, reservedOctets: 0, headroomOctets: 0 };
    throw fail(
      ['assign'],
      `no profile for group ${group} of ${device}:p${port + 1}, which pauses its link partner: ` +
        `it would have no headroom; assign one, or flowControl: none`,
    );
  }
  const { rateBps } = ends[port]!.link;
  const lost = asic.headroomLost.findLast(({ fromBps }) => fromBps <= rateBps)?.cells ?? 0;
  const isShared = headroomOctets(section) !== Infinity;
  function headroomCells(): number {
    const { headroom } = profile!;
    if (headroom !== 'auto') return cells(asic, headroom);
    const memory = { cellOctets: asic.cellBytes, frameOctets: asic.frameBytes };
    const link = { octetPs: ends[port]!.octetPs, rateMbps: rateBps / 1e6 };
    const { neededOctets } = need(termsOf(port, group), memory, link);
    return neededOctets / asic.cellBytes + (isShared ? 0 : lost);
  }
  const own = account.lossless ? headroomCells() : 0;
  const usable = isShared ? own * asic.headroomTimes : Math.max(0, own - lost);
  return {
    ...account,
    reservedOctets: inCells(asic, profile.reserved),
    headroomOctets: account.lossless ? usable * asic.cellBytes : 0,
    xoffOctets: Infinity,
    xonGapOctets: inCells(asic, profile.xonOffset),
  };
}

function queueSpec(section: BufferSection, profile: Profile | null): PooledSpec {
  if (profile === null) return UNLIMITED;
  const { asic, pools } = section;
  return {
    pool: Object.keys(pools).indexOf(profile.pool),
    isByGroups: pools[profile.pool]!.type === 'both',
    reservedOctets: inCells(asic, profile.reserved),
    alpha: profile.alpha ?? Infinity,
    limitOctets: profile.limit === undefined ? Infinity : inCells(asic, profile.limit),
  };
}

function groupSpec(section: BufferSection, profile: Profile | null): PooledGroupSpec {
  const { asic } = section;
  return {
    ...queueSpec(section, profile),
    xonOctets: inCells(asic, profile?.xon ?? 0),
    xonOffsetOctets: inCells(asic, profile?.xonOffset ?? 0),
  };
}

/** Profiles name pools of the right kind, and entries profiles. */
function checkNames({ section, ends, fail }: PoolsInput): void {
  const { pools, profiles, wred: wreds, assign, portLimits } = section;
  const listed = (names: object): string => Object.keys(names).join(', ') || 'none';
  for (const [name, { pool }] of Object.entries(profiles)) {
    if (pool in pools) continue;
    throw fail(['profiles', name, 'pool'], `no such pool: ${pool}; there are ${listed(pools)}`);
  }
  assign.forEach(({ profile, wred, groups, queues, ports }, i) => {
    if (wred !== undefined && wreds[wred] === undefined) {
      throw fail(['assign', i, 'wred'], `no such WRED: ${wred}; there are ${listed(wreds)}`);
    }
    if (profile === undefined) {
      if (wred === undefined) throw fail(['assign', i], 'nothing to assign: profile, or wred');
      return;
    }
    const own = profiles[profile];
    if (own === undefined) {
      const message = `no such profile: ${profile}; there are ${listed(profiles)}`;
      throw fail(['assign', i, 'profile'], message);
    }
    const { type } = pools[own.pool]!;
    const wrong = type === 'both' ? [] : type === 'ingress' ? queues : groups;
    if (wrong.length > 0) {
      const [which, of] =
        type === 'ingress' ? (['queues', 'egress'] as const) : (['groups', 'ingress'] as const);
      const message = `${profile} is of the ${type} pool ${own.pool}; ${which} need an ${of} pool`;
      throw fail(['assign', i, which], message);
    }
    const beyond = ports?.find((port) => port > ends.length);
    if (beyond === undefined) return;
    throw fail(['assign', i, 'ports'], `no port ${beyond}: the switch has ${ends.length}`);
  });
  portLimits.forEach(({ pool }, i) => {
    if (pools[pool] !== undefined && pools[pool].type !== 'egress') return;
    throw fail(['portLimits', i, 'pool'], `no such ingress pool: ${pool}`);
  });
}
