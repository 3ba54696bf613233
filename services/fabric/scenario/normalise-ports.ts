/** `ports` of the file -> changes to the ports that a place selects. */

import { PRIORITY_NUMBERS } from '../../engine/units/ethernet.js';
import { besidePause } from './check-flow-control.js';
import type { Located } from './located.js';
import { pauseChange, priorityChanges } from './normalise-flow-control.js';
import { placeFrom } from './place.js';
import type { PortRule, PortTag } from './scenario.js';
import type { PortRuleInput } from './schema-ports.js';

const DSCPS = 64;

export function portRules(input: readonly PortRuleInput[], located: Located): readonly PortRule[] {
  return input.map(({ where, pause, mtu, tag, maps, priorities = {}, ...coding }, index) => {
    const path = ['ports', index];
    const rule = {
      where: { ...placeFrom(where), rateBps: where.rate ?? null },
      path,
      pause: pause === undefined ? null : pauseChange(pause, [...path, 'pause']),
      mtuOctets: mtu ?? null,
      tag: tag === undefined ? null : vlanOf(tag),
      coding: codingOf(coding),
      maps: maps === undefined ? null : mapsOf(maps),
      priorities: priorityChanges(priorities, [...path, 'priorities'], located),
    };
    const ruled = rule.priorities.find(({ flowControl = 'none' }) => flowControl !== 'none');
    if (rule.pause?.enabled === true && ruled !== undefined) {
      throw located.errorAt(ruled.path, besidePause(ruled.flowControl!));
    }
    return rule;
  });
}

function codingOf({
  pcp,
  useDei,
  defaultPriority,
  regeneration,
}: Pick<PortRuleInput, 'pcp' | 'useDei' | 'defaultPriority' | 'regeneration'>): PortRule['coding'] {
  const changed = {
    ...(pcp !== undefined && { pcp }),
    ...(useDei !== undefined && { usesDei: useDei }),
    ...(defaultPriority !== undefined && { defaultPriority }),
    ...(regeneration !== undefined && {
      regeneration: PRIORITY_NUMBERS.map((priority) => regeneration[priority] ?? priority),
    }),
  };
  return Object.keys(changed).length === 0 ? null : changed;
}

function mapsOf({
  dscp,
  ...others
}: NonNullable<PortRuleInput['maps']>): NonNullable<PortRule['maps']> {
  if (dscp === undefined) return others;
  const other = dscp['other'] ?? 0;
  return { ...others, dscp: Array.from({ length: DSCPS }, (_, code) => dscp[code] ?? other) };
}

/** VID of a C-TAG; 0: it has a priority only. */
function vlanOf(tag: NonNullable<PortRuleInput['tag']>): PortTag {
  if (typeof tag === 'number') return { vlan: tag };
  return { vlan: tag === 'priority' ? 0 : null };
}
