/** Rate controls against priorities, classes and loads, as far as no topology is needed. */

import type { Located } from './located.js';
import type { LoadSection, Scenario } from './scenario.js';

export function checkCongestion(scenario: Scenario, located: Located): void {
  checkPriorities(scenario, located);
  for (const [index, load] of scenario.load.entries()) {
    const path = ['load', index, 'congestion'];
    if (load.congestion === 'none') continue;
    if (load.kind === 'stream' && load.group) {
      const message = `${load.congestion} slows down a flow with one receiver, not to a group`;
      throw located.errorAt(path, message);
    }
    if (load.congestion === 'dcqcn') checkMarks(scenario, load, index, located);
    else if (!scenario.qcn.priorities.includes(load.priority)) {
      throw located.errorAt(
        path,
        `qcn on priority ${load.priority}, which no queue watches; give qcn: ` +
          `{ priorities: [${load.priority}] }`,
      );
    }
  }
}

/** Without marks nobody would ever be told. */
function checkMarks(scenario: Scenario, load: LoadSection, index: number, located: Located): void {
  const { priority } = load;
  if (!load.ect) {
    const message = 'dcqcn needs packets that may be marked: leave ect out, or set it true';
    throw located.errorAt(['load', index, 'ect'], message);
  }
  const marks =
    scenario.priorities[priority]!.ecn.kind !== 'off' ||
    scenario.overrides.some(({ priorities }) =>
      priorities.some(
        (change) => change.priority === priority && (change.ecn?.kind ?? 'off') !== 'off',
      ),
    );
  if (marks) return;
  throw located.errorAt(
    ['load', index, 'congestion'],
    `dcqcn without marking on priority ${priority}; give priorities: { ${priority}: { ecn: ` +
      '{ min: 400KB, max: 1600KB, probability: 20% } } }, or a step',
  );
}

/** Each CNPV has queues of its own, and messages are not among what they are about (802.1Q 30). */
function checkPriorities({ qcn, classes }: Scenario, located: Located): void {
  qcn.priorities.forEach((priority, index) => {
    const path = ['qcn', 'priorities', index];
    if (priority === qcn.cnmPriority) {
      const message = `priority ${priority} is that of the messages (cnmPriority), too`;
      throw located.errorAt(path, message);
    }
    if (priority === qcn.alternatePriority) {
      const message = `priority ${priority} is what outsiders are remapped to (alternatePriority)`;
      throw located.errorAt(path, message);
    }
    const trafficClass = classes.transmit[priority]!;
    const other = classes.transmit.findIndex(
      (tc, p) => tc === trafficClass && !qcn.priorities.includes(p),
    );
    if (other >= 0) {
      throw located.errorAt(
        path,
        `priorities ${priority} and ${other} share the traffic class ${trafficClass}, but only ` +
          `${priority} is a CNPV; change classes.transmit`,
      );
    }
  });
}
