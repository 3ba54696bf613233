import { list, text } from '../../settings/parts.js';
import { faultKind } from './fault-kind.js';

const PORT_NAME = /^[A-Za-z_][A-Za-z0-9_-]*:p[1-9][0-9]*$/;

/** The topology has the swapped links already (`topology/swap-links`): here it is only named. */
export const misCabling = faultKind({
  name: 'mis-cabling',
  effect: 'the links of two ports are swapped from the start; routes follow the links',
  must: {
    swap: list(text('a port', PORT_NAME, 'a port such as leaf1:p3'), 'two ports')
      .length(2, 'not two ports; write [leaf1:p3, leaf2:p3]')
      .describe('The links of these two ports are swapped (mis-cabling), from the start.'),
  },
  may: {},
  hits: 'port',
  beforeRun: true,
  portsOf: ({ swap }) => swap,
  check(_, written) {
    const strange = ['where', 'at', 'for', 'every', 'times', 'until', 'random', 'recover'];
    const key = strange.find((name) => written.has(name));
    if (key === undefined) return;
    const message = `${key} means nothing to mis-cabling: links are connected before the run`;
    throw written.errorAtKey(key, message);
  },
  place(at) {
    at.put({ kind: 'excuse' });
    return true;
  },
  look: 'device',
});
