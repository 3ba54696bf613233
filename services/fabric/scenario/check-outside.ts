/** Keys that name a plugin of switches: one of that kind is there. */

import { MARKINGS } from '../../mechanisms/registry.js';
import { arbitersOf, balancingsOf, markingsOf } from '../../plugins/plugins.js';
import { didYouMean, listed, show } from '../../settings/errors.js';
import type { Path } from '../../settings/source-tree.js';
import { EQUAL_COST } from './equal-cost.js';
import type { Located } from './located.js';
import type { Scenario } from './scenario.js';

const ARBITERS = ['strict', 'round-robin', 'dwrr', 'ets'];

export function checkOutside(scenario: Scenario, located: Located): void {
  checkChoices(scenario, located);
  checkArbiters(scenario, located);
  checkMarkings(scenario, located);
}

function checkChoices({ plugins, switches, overrides }: Scenario, located: Located): void {
  const known = [...EQUAL_COST, ...namesOf(balancingsOf(plugins))];
  checkName(switches.ecmp.name, known, ['switches', 'ecmp'], located);
  for (const { match, switch: change } of overrides) {
    if (change.ecmp !== undefined) {
      checkName(change.ecmp.name, known, ['devices', match, 'ecmp'], located);
    }
  }
}

function checkArbiters(scenario: Scenario, located: Located): void {
  const { plugins, hosts, switches, classes, discovery, overrides } = scenario;
  const known = [...ARBITERS, ...namesOf(arbitersOf(plugins))];
  const check = (arbiter: Scenario['switches']['arbiter'], path: Path): void => {
    if (arbiter?.kind === 'outside') checkName(arbiter.name, known, path, located);
  };
  check(classes.arbiter, ['classes', 'arbiter']);
  check(hosts.arbiter, ['hosts', 'arbiter']);
  check(switches.arbiter, ['switches', 'arbiter']);
  for (const { match, host, switch: change } of overrides) {
    check(host.arbiter ?? change.arbiter ?? null, ['devices', match, 'arbiter']);
  }
  for (const { arbiter, index } of discovery.changes) {
    if (arbiter?.kind !== 'outside') continue;
    const path = ['discovery', 'changes', index, 'arbiter'];
    const message = 'DCBX tells shares, and no arbiter of a plugin: write ets or strict';
    throw located.errorAt(path, message);
  }
}

function checkMarkings({ plugins, priorities, overrides }: Scenario, located: Located): void {
  const known = ['off', ...namesOf(markingsOf(plugins))];
  const check = ({ priority, mechanisms }: MarkedPriority, path: Path): void => {
    for (const { name, marking } of MARKINGS) {
      const key = mechanisms[name];
      const outside = key === undefined ? null : marking.outside(key);
      if (outside === null) continue;
      const own = [...path, String(priority), name];
      checkName(outside, known, located.has(own) ? own : [...path, 'all', name], located);
    }
  };
  for (const section of priorities) check(section, ['priorities']);
  for (const { match, priorities: changes } of overrides) {
    for (const section of changes) check(section, ['devices', match, 'priorities']);
  }
}

type MarkedPriority = Pick<Scenario['priorities'][number], 'priority' | 'mechanisms'>;

function namesOf(plugins: readonly { readonly name: string }[]): string[] {
  return plugins.map(({ name }) => name);
}

function checkName(name: string, known: readonly string[], path: Path, located: Located): void {
  if (known.includes(name)) return;
  const remedy = `or name a file under plugins that has it${didYouMean(name, known)}`;
  const problem = `${path.join('.')}: unknown: ${show(name)}`;
  throw located.errorAt(path, `${problem}; one of ${listed(known)}, ${remedy}`);
}
