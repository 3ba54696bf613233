/** Ends of links that are configured differently, and negotiate: unit, messages, TLVs, tables. */

import { FALLBACKS } from '../../mechanisms/fabric-context.js';
import {
  EXCHANGE,
  FLOW_CONTROLS,
  GRANTING_CONTROLS,
  NEGOTIATED_CONTROL,
} from '../../mechanisms/registry.js';
import type { Draft } from './drafter.js';
import type { Sampler } from './sampler.js';
import type { Place } from './samples.js';

/** Of worlds. */
const PART = 0.25;

const UNITS = ['64B', '128B', '777B', '1536B', '2048B', '2548B', 'mtu'];
/** PAUSE is negotiated by nobody. */
const NEGOTIABLE = FALLBACKS.filter((fallback) => fallback !== 'pause');
const CODECS = ['ce', 'both', 'both', 'cbfc'];
const TLVS = ['tlv', 'tlv', 'both', 'application'];
const METHODS = [EXCHANGE, EXCHANGE, ...FLOW_CONTROLS, 'none'];
/** Shares of two classes: those that round to few frames, and to many. */
const SHARES = [
  ['80%', '20%'],
  ['90%', '10%'],
  ['50%', '50%'],
  ['99%', '1%'],
  ['95%', '5%'],
];

/** In some worlds devices differ in what they negotiate; others are left as they are. */
export function negotiate(draft: Draft, sampler: Sampler, place: Place): void {
  if (!sampler.chance(PART) || draft['pause'] !== undefined) return;
  if (sampler.chance(0.7)) differ(draft, sampler, place);
  if (sampler.chance(0.6)) shareUnevenly(draft, sampler, place);
}

/** Flow control, its fallbacks, and the settings of each end. */
function differ(draft: Draft, sampler: Sampler, place: Place): void {
  const second = `${Math.max(1, Math.round(place.spanPs / 20))}ps`;
  const discovery = typeof draft['discovery'] === 'object' ? (draft['discovery'] as Draft) : {};
  draft['discovery'] = { ...discovery, second };
  for (const name of [EXCHANGE, ...GRANTING_CONTROLS]) {
    draft[name] = {
      ...(draft[name] as Draft | undefined),
      fallback: sampler.pick(name === EXCHANGE ? NEGOTIABLE : FALLBACKS),
    };
  }
  const method = sampler.pick(METHODS);
  const priorities = draft['priorities'] as Record<string, unknown>;
  for (const priority of place.priorities) {
    if (sampler.chance(0.7)) priorities[priority] = method;
  }
  const common = sampler.chance(0.3) && { codec: sampler.pick(CODECS) };
  draft[EXCHANGE] = { ...(draft[EXCHANGE] as Draft), ...common };
  const devices = devicesOf(draft);
  for (const name of sampler.some([...place.hosts, ...place.switches], 1, 3)) {
    const own = (devices[name] ??= {});
    own[EXCHANGE] = {
      ...(sampler.chance(0.5) && { unit: sampler.pick(UNITS) }),
      ...(sampler.chance(0.4) && { codec: sampler.pick(CODECS) }),
      ...(sampler.chance(0.5) && { cet: sampler.pick(TLVS) }),
      ...(sampler.chance(0.2) && { maxChannels: sampler.pick([1, 2, 'all']) }),
      ...(sampler.chance(0.3) && { counts: sampler.pick(['cumulative', 'incremental']) }),
    };
    const priority = sampler.pick(place.priorities);
    if (sampler.chance(0.25)) {
      own['priorities'] = { [priority]: sampler.pick([method, 'none', ...FLOW_CONTROLS]) };
    } else if (sampler.chance(0.3)) {
      own['priorities'] = { all: { fallback: sampler.pick(NEGOTIABLE) } };
    }
    own['discovery'] = {
      willing: sampler.some(['ets', NEGOTIATED_CONTROL, EXCHANGE], 0, 3),
      ...(sampler.chance(0.2) && { [`${EXCHANGE}Capable`]: [priority] }),
      ...(sampler.chance(0.15) && { status: sampler.pick(['send', 'receive']) }),
      ...(sampler.chance(0.2) && { classes: joined(sampler, place) }),
    };
  }
}

/** One priority joins the class of another. */
function joined(sampler: Sampler, { priorities }: Place): number[] {
  const classes = [0, 1, 2, 3, 4, 5, 6, 7];
  const [moved, to] = [sampler.below(8), sampler.pick(priorities)];
  classes[sampler.chance(0.5) ? moved : sampler.pick(priorities)] = to;
  return classes;
}

/** Two classes share ports unevenly, by configuration or learned; often one of them is idle. */
function shareUnevenly(draft: Draft, sampler: Sampler, place: Place): void {
  const [first, second = (first! + 1) % 8] = sampler.some(place.priorities, 2, 2);
  const [more, less] = sampler.pick(SHARES);
  const ets = { [first!]: more, [second]: less };
  const arbiter = { ets: sampler.chance(0.5) ? ets : { [second]: more, [first!]: less } };
  if (draft['discovery'] !== undefined && sampler.chance(0.6)) {
    draft['switches'] = { ...(draft['switches'] as Draft | undefined), arbiter };
    draft['discovery'] = { ...(draft['discovery'] as Draft), recommend: true };
    const devices = devicesOf(draft);
    const own = (devices['h*'] ??= {});
    own['discovery'] = { ...(own['discovery'] as Draft | undefined), willing: ['ets'] };
  } else draft['classes'] = { ...(draft['classes'] as Draft | undefined), arbiter };
  if (sampler.chance(0.6)) monitor(draft, second, sampler, place);
}

/** A queue that several senders fill is monitored, and its class is one that shares. */
function monitor(draft: Draft, priority: number, sampler: Sampler, place: Place): void {
  const priorities = draft['priorities'] as Record<string, unknown>;
  priorities[priority] = { flowControl: NEGOTIATED_CONTROL, sfc: true };
  draft['sfc'] = { ...(draft['sfc'] as Draft | undefined), pause: 'auto', receive: true };
  const [to, ...from] = sampler.some(place.hosts, place.hosts.length, place.hosts.length);
  if (from.length < 2) return;
  const load = { stream: { from, to }, priority, end: `${3 * place.spanPs}ps` };
  draft['load'] = [...(draft['load'] as unknown[]), load];
  if (sampler.chance(0.7)) draft['faults'] = [];
}

function devicesOf(draft: Draft): Record<string, Draft> {
  const devices = { ...(draft['devices'] as Record<string, Draft> | undefined) };
  draft['devices'] = devices;
  return devices;
}
