/** Keys that name a plugin of switches: one of that kind is there. */

import { MARKINGS } from '../../mechanisms/registry.js';
import { arbitersOf, balancingsOf, markingsOf } from '../../plugins/plugins.js';
import { didYouMean, listed, show } from '../../settings/errors.js';
import type { Path } from '../../settings/source-tree.js';
import type { Located } from './located.js';
import type { Scenario } from './scenario.js';

const EQUAL_COST = ['flow', 'packet'];
const ARBITERS = ['strict', 'round-robin', 'dwrr', 'ets'];

export function checkOutside(scenario: Scenario, located: Located): void {
  const { plugins, hosts, switches, classes, discovery, overrides, priorities } = scenario;
  const choices = [...EQUAL_COST, ...balancingsOf(plugins).map(({ name }) => name)];
  checkName(switches.ecmp, choices, ['switches', 'ecmp'], located);
  for (const { match, switch: change } of overrides) {
    if (change.ecmp !== undefined) {
      checkName(change.ecmp, choices, ['devices', match, 'ecmp'], located);
    }
  }
  const arbiters = [...ARBITERS, ...arbitersOf(plugins).map(({ name }) => name)];
  checkArbiter(classes.arbiter, ['classes', 'arbiter']);
  checkArbiter(hosts.arbiter, ['hosts', 'arbiter']);
  checkArbiter(switches.arbiter, ['switches', 'arbiter']);
  for (const { match, host, switch: change } of overrides) {
    checkArbiter(host.arbiter ?? change.arbiter ?? null, ['devices', match, 'arbiter']);
  }
  for (const { arbiter, index } of discovery.changes) {
    if (arbiter?.kind !== 'outside') continue;
    const path = ['discovery', 'changes', index, 'arbiter'];
    throw located.errorAt(
      path,
      'DCBX tells shares, and no arbiter of a plugin: write ets or strict',
    );
  }

  function checkArbiter(arbiter: Scenario['switches']['arbiter'], path: Path): void {
    if (arbiter?.kind === 'outside') checkName(arbiter.name, arbiters, path, located);
  }

  const markings = markingsOf(plugins).map(({ name }) => name);
  for (const { priority, mechanisms } of priorities) {
    checkMarkings(mechanisms, ['priorities'], priority);
  }
  for (const { match, priorities: changes } of overrides) {
    for (const { priority, mechanisms } of changes) {
      checkMarkings(mechanisms, ['devices', match, 'priorities'], priority);
    }
  }

  function checkMarkings(
    keys: Readonly<Record<string, unknown>>,
    path: Path,
    priority: number,
  ): void {
    for (const { name, marking } of MARKINGS) {
      const key = keys[name];
      const outside = key === undefined ? null : marking.outside(key);
      if (outside === null) continue;
      const own = [...path, String(priority), name];
      const at = located.has(own) ? own : [...path, 'all', name];
      checkName(outside, ['off', ...markings], at, located);
    }
  }
}

function checkName(name: string, known: readonly string[], path: Path, located: Located): void {
  if (known.includes(name)) return;
  const remedy = `or name a file under plugins that has it${didYouMean(name, known)}`;
  const problem = `${path.join('.')}: unknown: ${show(name)}`;
  throw located.errorAt(path, `${problem}; one of ${listed(known)}, ${remedy}`);
}
