/** Rate controls against priorities, classes and loads, as far as no topology is needed. */

import type { Located } from './located.js';
import { rateControlOf } from '../../plugins/plugins.js';
import type { LoadSection, Scenario } from './scenario.js';
import type { Path } from '../../settings/source-tree.js';

export function checkCongestion(scenario: Scenario, located: Located): void {
  checkPriorities(scenario, located);
  checkRoom(scenario, located);
  checkCredit(scenario, located);
  for (const [index, load] of scenario.load.entries()) {
    const path = ['load', index, 'congestion'];
    const slice = rateControlOf(load.congestion, scenario.plugins);
    if (slice === null) continue;
    if (load.kind === 'stream' && load.group) {
      const message = `${load.congestion} slows down a flow with one receiver, not to a group`;
      throw located.errorAt(path, message);
    }
    const { feedback } = slice;
    if (feedback === 'acknowledgements' || feedback === 'telemetry') {
      checkAnswers(load, path, located);
    } else if (feedback === 'marks') checkMarks(scenario, load, index, located);
    else if (!scenario.rateControls.qcn.priorities.includes(load.priority)) {
      throw located.errorAt(
        path,
        `qcn on priority ${load.priority}, which no queue watches; give qcn: ` +
          `{ priorities: [${load.priority}] }`,
      );
    }
  }
}

/** A round trip ends with an acknowledgement. */
function checkAnswers({ transport, congestion }: LoadSection, path: Path, located: Located): void {
  if (transport.kind === 'reliable') return;
  const message = `${congestion} needs acknowledgements: set transport: reliable`;
  throw located.errorAt(path, message);
}

/** Without marks nobody would ever be told. */
function checkMarks(scenario: Scenario, load: LoadSection, index: number, located: Located): void {
  const { priority, congestion } = load;
  if (!load.ect) {
    const message = `${congestion} needs packets that may be marked: leave ect out, or set it true`;
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
    `${congestion} without marking on priority ${priority}; give ` +
      `priorities: { ${priority}: { ecn: ` +
      '{ min: 400KB, max: 1600KB, probability: 20% } } }, or a step',
  );
}

/** What no credit was promised for may not come, or change its priority, within a switch. */
function checkCredit({ rateControls: { qcn }, priorities }: Scenario, located: Located): void {
  const isCredited = (priority: number): boolean => priorities[priority]!.flowControl === 'credit';
  if (qcn.priorities.length > 0 && isCredited(qcn.cnmPriority)) {
    throw located.errorAt(
      ['qcn', 'cnmPriority'],
      `priority ${qcn.cnmPriority} has credit, and none is promised for messages that switches ` +
        'make; choose another',
    );
  }
  const edges =
    qcn.defence === 'edge' || qcn.outside.length > 0 || Object.values(qcn.ports).includes('edge');
  const remapped = [...qcn.priorities, qcn.alternatePriority].find(isCredited);
  if (!edges || remapped === undefined || qcn.priorities.length === 0) return;
  throw located.errorAt(
    ['qcn'],
    `priority ${remapped} has credit, which a frame would lose that is remapped at an edge; ` +
      'leave out edges, or the credit',
  );
}

/** Each CNPV has queues of its own, and messages are not among what they are about (802.1Q 30). */
function checkPriorities({ rateControls: { qcn }, classes }: Scenario, located: Located): void {
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

/** Feedback takes its time: what no one holds back meanwhile is lost, so that must be meant. */
function checkRoom({ rateControls: { qcn }, pause }: Scenario, located: Located): void {
  if (pause.enabled) return;
  qcn.priorities.forEach((priority, index) => {
    if (saysFlowControl(priority, located)) return;
    throw located.errorAt(
      ['qcn', 'priorities', index],
      `priority ${priority} is a CNPV without flow control, whose frames are dropped where ` +
        `memory is short; give priorities: { ${priority}: pfc }, or { ${priority}: none } if ` +
        'that is meant',
    );
  });
}

/** Whether the file says what holds back senders of a priority, if only that nothing does. */
function saysFlowControl(priority: number, located: Located): boolean {
  return [String(priority), 'all'].some((key) => {
    const path = ['priorities', key];
    return located.isText(path) || located.has([...path, 'flowControl']);
  });
}
