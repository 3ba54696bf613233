/** Flow control of single ports: islands, and edges between them. */

import { CODINGS } from '../../engine/wire/code-points.js';
import type { JsonSchema } from '../../settings/decided-unions.js';
import type { Draft } from './drafter.js';
import type { Sampler } from './sampler.js';
import type { Place } from './samples.js';
import { type Drawer, resolve, sectionNode, shapesOf } from './schema-values.js';

/** Of worlds. */
const PART = 0.3;

/** Most loads fit. */
const MTUS = [1500, 4200, 9198, 9216];

const RULE = ['ports', '[]'];

/** In some worlds ports differ; others are left as they are. */
export function addIslands(draft: Draft, drawer: Drawer, place: Place, isSlow: boolean): void {
  const { sampler } = drawer;
  if (!sampler.chance(PART)) return;
  const { properties = {} } = resolve(resolve(sectionNode('ports')).items!);
  draft['ports'] = Array.from({ length: sampler.between(1, 3) }, () => {
    const where = placeOf(properties['where']!, drawer, place);
    const mtu = sampler.chance(0.25) && { mtu: sampler.pick(MTUS) };
    const coding = sampler.chance(0.12) && codingOf(sampler);
    const maps = sampler.chance(0.08) && { maps: mapsOf(sampler) };
    const tag = sampler.chance(0.2) && { tag: sampler.pick(['none', 'priority', 'priority', 7]) };
    if (sampler.chance(isSlow ? 0.9 : 0.3)) {
      return {
        where,
        ...mtu,
        ...tag,
        ...coding,
        ...maps,
        pause: drawer.value(properties['pause']!, [...RULE, 'pause']),
      };
    }
    return {
      where,
      ...mtu,
      ...tag,
      ...coding,
      ...maps,
      priorities: prioritiesOf(properties['priorities']!, drawer, place),
    };
  });
}

/** How ports read and write priorities; most have flow control for few of them. */
function codingOf(sampler: Sampler): Draft {
  const priority = (): number => sampler.below(8);
  return {
    ...(sampler.chance(0.5) && { pcp: sampler.pick(CODINGS) }),
    ...(sampler.chance(0.3) && { useDei: sampler.chance(0.5) }),
    ...(sampler.chance(0.3) && { defaultPriority: priority() }),
    ...(sampler.chance(0.5) && { regeneration: { [priority()]: priority() } }),
  };
}

/** Maps that agree with each other: others lose frames of lossless priorities, as on a switch. */
function mapsOf(sampler: Sampler): Draft {
  const plain = [0, 1, 2, 3, 4, 5, 6, 7];
  const isMoved = sampler.chance(0.3);
  const queues = isMoved ? [1, 0, ...plain.slice(2)] : plain;
  return {
    ...(sampler.chance(0.5) && { groups: plain, pfcGroups: plain }),
    ...(sampler.chance(0.5) && { queues, pfcQueues: queues }),
  };
}

/** Both ends of some links; sometimes any ports, whose link partners may differ. */
function placeOf(node: JsonSchema, drawer: Drawer, { links, switches }: Place): unknown {
  const { sampler } = drawer;
  if (sampler.chance(0.15)) return drawer.mapping(node, [...RULE, 'where'], 0.3);
  if (sampler.chance(0.6)) {
    const [a, b] = sampler.pick(links);
    return { link: `${a} ${b}` };
  }
  return { link: `${sampler.pick([...switches, 'h*'])} *` };
}

function prioritiesOf(node: JsonSchema, drawer: Drawer, { priorities }: Place): unknown {
  const shape = resolve(node).additionalProperties as JsonSchema;
  const method = methodOf(shape, drawer.sampler);
  const keys = drawer.sampler.chance(0.5) ? ['all'] : priorities.map(String);
  const entries = keys.map((key): readonly [string, unknown] => {
    if (drawer.sampler.chance(0.5)) return [key, method];
    const long = shapesOf(shape).find(({ properties }) => properties !== undefined)!;
    const own = drawer.mapping(long, [...RULE, 'priorities', '*'], 0.2);
    return [key, { ...own, flowControl: method }];
  });
  return Object.fromEntries(entries);
}

function methodOf(shape: JsonSchema, sampler: Sampler): unknown {
  return sampler.pick(shapesOf(shape).flatMap(({ enum: words = [] }) => words));
}
