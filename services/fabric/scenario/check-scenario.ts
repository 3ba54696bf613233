/** What must hold within a scenario before any topology is built. */

import { checkCongestion } from './check-congestion.js';
import { checkFlowControl } from './check-flow-control.js';
import { checkOutside } from './check-outside.js';
import { CollectedErrors } from '../../settings/collected-errors.js';
import { show } from '../../settings/errors.js';
import type { Located } from './located.js';
import type { LoadSection, Scenario } from './scenario.js';

export function checkScenario(scenario: Scenario, located: Located): void {
  const errors = new CollectedErrors();
  for (const check of [checkFabric, checkOutside, checkFlowControl, checkCongestion, checkLoad]) {
    errors.attempt(() => {
      check(scenario, located);
    });
  }
  errors.settle();
}

function checkFabric({ fabric }: Scenario, located: Located): void {
  if (fabric.generator.kind === 'none' && fabric.devices.length === 0) {
    const message = 'the fabric is empty: give a generator such as star, or devices and links';
    throw located.errorAt(['fabric'], message);
  }
  const names = new Set<string>();
  for (const [index, { name }] of fabric.devices.entries()) {
    if (names.has(name)) {
      const path = ['fabric', 'devices', index, 'name'];
      throw located.errorAt(path, `two devices of the same name: ${show(name)}`);
    }
    names.add(name);
  }
}

function checkLoad({ load, durationPs }: Scenario, located: Located): void {
  for (const [index, section] of load.entries()) {
    const path = ['load', index];
    if (durationPs === null && section.endPs === null && isEndless(section)) {
      const bytes = section.kind === 'random' ? '' : 'bytes, ';
      const remedy = `give it ${bytes}an end, or the run a duration`;
      throw located.errorAt(path, `the load ${section.name} never ends: ${remedy}`);
    }
    if (durationPs !== null && section.startPs >= durationPs) {
      throw located.errorAt([...path, 'start'], 'it starts after the end of the run (duration)');
    }
  }
}

function isEndless(section: LoadSection): boolean {
  switch (section.kind) {
    case 'stream':
    case 'permutation':
      return section.bytes === null;
    case 'random':
      return true;
    case 'incast':
    case 'all-to-all':
    case 'all-reduce':
    case 'job':
    case 'replay':
    case 'plugin':
      return false;
  }
}
