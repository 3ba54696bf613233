/** What goes wrong with the grants that a port has, or is sent. */

import type { PortSpec } from '../../engine/contract/spec.js';
import { CONTROL_FRAMES } from '../../engine/faults/control-frames.js';
import { EXCHANGE, GRANTING_CONTROLS } from '../../mechanisms/registry.js';
import { faultKind, priorityMask } from './fault-kind.js';
import { KEYS } from './keys.js';

const NEEDS = [`${EXCHANGE} exchange`, ...GRANTING_CONTROLS].join(' or ');

/** Names of the messages that bring grants to a port. */
function grantMessagesOf({ grants, grantMessages }: PortSpec): string[] {
  return [...(grants === null ? [] : ['ce-grant']), ...(grantMessages ? [grantMessages] : [])];
}

export const stealGrants = faultKind({
  name: `steal-${EXCHANGE}`,
  effect: `available ${EXCHANGE} of the port is lost`,
  must: { size: KEYS.size, interval: KEYS.interval },
  may: { priority: KEYS.priority },
  hits: 'port',
  needs: NEEDS,
  place(at, { size: octets, interval: everyPs, priority }) {
    if (grantMessagesOf(at.port).length === 0) return false;
    at.put({ kind: 'steal', priorities: priorityMask(priority), octets, everyPs });
    return true;
  },
  look: 'device',
  form: {
    says: `${EXCHANGE} in the hand of the port is gone`,
    fields: [
      { key: 'size', text: '6KB' },
      { key: 'interval', text: '5us' },
    ],
  },
});

export const stuckGrants = faultKind({
  name: `stuck-${EXCHANGE}`,
  effect: `the port ignores the ${EXCHANGE} that it is granted`,
  must: {},
  may: { priority: KEYS.priority },
  hits: 'port',
  needs: NEEDS,
  place(at, { priority }) {
    const messages = grantMessagesOf(at.port);
    for (const name of messages) {
      const match = { ...CONTROL_FRAMES[name]!, priorities: priorityMask(priority) };
      at.put({ kind: 'control', match, action: 'lose', probability: 1, delayPs: 0 });
    }
    if (messages.length > 0) at.putAtPeer({ kind: 'excuse' });
    return messages.length > 0;
  },
  look: 'device',
  form: { says: `the port's ${EXCHANGE} counter takes no grant`, fields: [] },
});
