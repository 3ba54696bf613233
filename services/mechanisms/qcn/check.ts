import { EXCHANGE } from '../fabric-context.js';
import type { PrioritiesView } from '../mechanism-slice.js';
import type { QcnSettings } from './settings.js';

/** Throws where CNPVs contradict classes, flow control or each other. */
export function checkPriorities(settings: QcnSettings, view: PrioritiesView): void {
  checkClasses(settings, view);
  checkRoom(settings, view);
  checkGrants(settings, view);
}

/** Each CNPV has queues of its own, and messages do not use a CNPV (802.1Q 30). */
function checkClasses(settings: QcnSettings, view: PrioritiesView): void {
  const { priorities, cnmPriority, alternatePriority } = settings;
  priorities.forEach((priority, index) => {
    const path = ['qcn', 'priorities', index];
    if (priority === cnmPriority) {
      const message = `priority ${priority} is that of the messages (cnmPriority), too`;
      throw view.errorAt(path, message);
    }
    if (priority === alternatePriority) {
      const message = `priority ${priority} is what outsiders are remapped to (alternatePriority)`;
      throw view.errorAt(path, message);
    }
    const trafficClass = view.transmit[priority];
    const other = view.transmit.findIndex(
      (tc, p) => tc === trafficClass && !priorities.includes(p),
    );
    if (other >= 0) {
      throw view.errorAt(
        path,
        `priorities ${priority} and ${other} share the traffic class ${trafficClass}, but only ` +
          `${priority} is a CNPV; change classes.transmit`,
      );
    }
  });
}

/**
 * Sources react late: without flow control frames may be lost until then, so `none` must be
 * explicit.
 */
function checkRoom({ priorities }: QcnSettings, view: PrioritiesView): void {
  if (view.pauses) return;
  priorities.forEach((priority, index) => {
    if (view.isFlowControlWritten(priority)) return;
    throw view.errorAt(
      ['qcn', 'priorities', index],
      `priority ${priority} is a CNPV without flow control, whose frames are dropped where ` +
        `memory is short; give priorities: { ${priority}: pfc }, or { ${priority}: none } if ` +
        'that is meant',
    );
  });
}

/** A frame without a grant may not be created, or change its priority, within a switch. */
function checkGrants(settings: QcnSettings, view: PrioritiesView): void {
  const { priorities, cnmPriority, alternatePriority, defence, outside, ports } = settings;
  if (priorities.length > 0 && view.countingOf(cnmPriority).includes(EXCHANGE)) {
    throw view.errorAt(
      ['qcn', 'cnmPriority'],
      `priority ${cnmPriority} has ${EXCHANGE}, and none is granted for messages that switches ` +
        'make; choose another',
    );
  }
  const edges = defence === 'edge' || outside.length > 0 || Object.values(ports).includes('edge');
  if (!edges || priorities.length === 0) return;
  const remapped = [...priorities, alternatePriority].find(
    (own) => view.countingOf(own).length > 0,
  );
  if (remapped === undefined) return;
  const [method] = view.countingOf(remapped);
  throw view.errorAt(
    ['qcn'],
    `priority ${remapped} has ${method}, and the ${EXCHANGE} of a frame that is remapped at an ` +
      `edge would return to another priority; leave out edges, or ${method}`,
  );
}
