import { ASIC_NAMES, HEADROOM_CHIP_NAMES } from '../../fabric/buffers/asics.js';
import { PRIORITY_NUMBERS } from '../../engine/units/ethernet.js';
import type { Sampler } from './sampler.js';

type Draft = Record<string, unknown>;

const WORLDS = 0.2;
const ALPHAS = [1 / 64, 1 / 8, 1, 8];

/** Buffers with pools, of every switch or of one, small enough that thresholds are reached. */
export function addPools(draft: Draft, sampler: Sampler, switches: readonly string[]): void {
  if (!sampler.chance(WORLDS)) return;
  if (sampler.chance(0.4) || switches.length === 0) {
    const of = (draft['switches'] ?? {}) as Draft;
    draft['switches'] = { ...of, buffer: { ...(of['buffer'] as object), ...buffer(sampler) } };
    return;
  }
  const devices = (draft['devices'] ?? {}) as Record<string, Draft>;
  const name = sampler.pick(switches);
  const of = devices[name] ?? {};
  const changed = { ...of, buffer: { ...(of['buffer'] as object), ...buffer(sampler) } };
  draft['devices'] = { ...devices, [name]: changed };
}

/** A switch is configured anew; those that have no pools know only links. */
export function setting(sampler: Sampler): Draft {
  const numbers = (): number[] => sampler.some(PRIORITY_NUMBERS, 1, 8);
  const place = sampler.pick([{}, { kind: 'switch' }, { port: '*:p1' }, { tier: 'leaf' }]);
  const what = sampler.pick<() => Draft>([
    () => ({ rate: sampler.pick(['1G', '10G', '25G']), cable: sampler.pick(['30m', '1km']) }),
    () => ({ cable: sampler.pick(['100m', '2km']) }),
    () => ({ profile: sampler.pick(['lossless', 'lossy']), groups: numbers() }),
    () => ({ profile: 'queue', queues: numbers() }),
    () => ({ profile: sampler.pick(['lossless', 'queue']), ...threshold(sampler) }),
    () => ({
      profile: 'lossless',
      headroom: sampler.pick(['10KB', '400KB']),
      xon: sampler.pick(['0B', '10KB']),
      xonOffset: sampler.pick(['0B', '3KB']),
    }),
    () => ({ pool: sampler.pick(['ingress', 'egress']), size: sampler.pick(['40KB', '4MB']) }),
    () => ({ pool: 'ingress', headroom: sampler.pick(['1MB', '32MB']) }),
  ]);
  return { kind: 'set', where: place, ...what() };
}

/** Headroom is enough for any link of a world, so that no lossless frame is lost. */
function buffer(sampler: Sampler): Draft {
  const isShared = sampler.chance(0.6);
  return {
    asic: asic(sampler),
    pools: {
      ingress: {
        size: sampler.pick(['60KB', '400KB', '80MB']),
        ...(isShared && { headroom: sampler.pick(['16MB', '32MB']) }),
        ...(sampler.chance(0.3) && { type: sampler.pick(['ingress', 'both']) }),
      },
      egress: { type: 'egress', size: sampler.pick(['40KB', '400KB', '4MB']) },
    },
    profiles: {
      lossless: {
        pool: 'ingress',
        ...threshold(sampler),
        headroom: sampler.pick(['auto', '200KB', '400KB']),
        ...(sampler.chance(0.4) && { xon: sampler.pick(['1KB', '10KB']) }),
        ...(sampler.chance(0.6) && { xonOffset: sampler.pick(['500B', '3KB']) }),
      },
      // Its priority may be paused all the same.
      lossy: { pool: 'ingress', ...threshold(sampler), headroom: '400KB' },
      queue: { pool: 'egress', ...threshold(sampler) },
      // It may be less than the link needs: no group has it.
      ...(sampler.chance(0.3) && { scripted: scripted(sampler) }),
    },
    wred: { early: wred(sampler) },
    assign: [
      { groups: PRIORITY_NUMBERS, profile: 'lossless' },
      ...(sampler.chance(0.3) ? [{ ...where(sampler), groups: [0], profile: 'lossy' }] : []),
      ...(sampler.chance(0.6)
        ? [{ ...where(sampler), queues: sampler.some(PRIORITY_NUMBERS, 1, 8), profile: 'queue' }]
        : []),
      ...(sampler.chance(0.4)
        ? [{ ...where(sampler), queues: sampler.some(PRIORITY_NUMBERS, 1, 8), wred: 'early' }]
        : []),
    ],
    ...(sampler.chance(0.4) && {
      portLimits: [{ ...where(sampler), pool: 'ingress', alpha: sampler.pick(ALPHAS) }],
    }),
  };
}

/** One that is known, or one that is not. */
function asic(sampler: Sampler): unknown {
  if (sampler.chance(0.7)) return sampler.pick(ASIC_NAMES);
  return {
    cell: sampler.pick([1, 80, 254]),
    ...(sampler.chance(0.3) && { frame: sampler.pick([0, 32]) }),
    ...(sampler.chance(0.5) && { slices: sampler.pick([1, 2, 3]) }),
    ...(sampler.chance(0.3) && { poolSize: sampler.pick(['net', 'gross']) }),
    ...(sampler.chance(0.2) && { portReserve: sampler.pick([0, 4]) }),
    ...(sampler.chance(0.3) && { rounding: sampler.pick(['down', 'up']) }),
    ...(sampler.chance(0.3) && { headroomTimes: sampler.pick([1, 2]) }),
    ...(sampler.chance(0.2) && { headroomLost: sampler.pick([0, 2]) }),
    ...(sampler.chance(0.4) && { xonFrom: sampler.pick(['present', 'steady']) }),
    ...(sampler.chance(0.2) && { memory: 1_000_000_000 }),
  };
}

/** It drops nothing: a queue may be that of a lossless priority. */
function wred(sampler: Sampler): Draft {
  const curve = (): Draft => ({
    min: sampler.pick(['0B', '5KB', '50KB']),
    ...(sampler.chance(0.7) && { max: sampler.pick(['60KB', '400KB']) }),
    ...(sampler.chance(0.6) && { probability: sampler.pick(['5%', '50%', '100%']) }),
    drop: false,
  });
  return {
    green: curve(),
    ...(sampler.chance(0.4) && { yellow: curve() }),
    ...(sampler.chance(0.8) && { mark: sampler.pick([['green'], ['green', 'yellow']]) }),
    ...(sampler.chance(0.4) && { weight: sampler.pick([1, 9, 15]) }),
  };
}

function scripted(sampler: Sampler): Draft {
  const headroom = {
    chip: sampler.pick(HEADROOM_CHIP_NAMES),
    ...(sampler.chance(0.5) && { mtu: 9100, losslessMtu: sampler.pick([1024, 9100]) }),
    ...(sampler.chance(0.5) && { smallPackets: sampler.below(101), gearbox: '200ns', lanes: 8 }),
  };
  return { pool: 'ingress', alpha: 1, headroom };
}

function threshold(sampler: Sampler): Draft {
  const isStatic = sampler.chance(0.3);
  return {
    ...(isStatic
      ? { limit: sampler.pick(['0B', '8KB', '60KB']) }
      : { alpha: sampler.pick(ALPHAS) }),
    ...(sampler.chance(0.4) && { reserved: sampler.pick(['500B', '2KB']) }),
  };
}

function where(sampler: Sampler): Draft {
  return {
    ...(sampler.chance(0.3) && { ports: [1] }),
    ...(sampler.chance(0.3) && { rate: sampler.pick(['10G', '100G']) }),
    ...(sampler.chance(0.3) && { cable: sampler.pick(['2m', '30m']) }),
  };
}
