import { NIC } from '../../mechanisms/registry.js';
import { integer, list } from '../../settings/parts.js';
import { faultKind } from './fault-kind.js';

export const wrongMap = faultKind({
  name: 'wrong-map',
  effect: 'a NIC pauses these classes, and not those of its software',
  must: {
    classes: list(integer(0, 7), 'eight classes')
      .length(8, 'not eight classes; write one for each priority, such as [0, 1, 2, 5, 4, 3, 6, 7]')
      .describe('By priority: the class that a NIC stops when it is paused (RTTUP2TC).'),
  },
  may: {},
  hits: 'port',
  needs: NIC?.needsOfMap ?? 'a NIC with classes',
  place(at, { classes }) {
    const { device, port } = at;
    const isMapped =
      device.kind === 'host' && device.nic?.dcb === true && port.pausing?.wholePort === false;
    if (NIC === null || !isMapped) return false;
    at.put({ kind: 'map', table: NIC.mapOf(classes) });
    const count = device.nic.classes;
    const beyond = classes.find((tc) => tc >= count);
    if (beyond !== undefined) {
      const has = `its NIC has ${count}, 0 to ${count - 1}`;
      throw at.error(`${device.name} has no class ${beyond}: ${has}`, 'classes');
    }
    // The class that should stop does not, and may overflow the buffer at the other end.
    at.putAtPeer({ kind: 'excuse' });
    return true;
  },
  look: 'device',
  form: {
    says: 'the NIC pauses by another table of classes than software',
    fields: [{ key: 'classes', text: '0, 1, 2, 4, 3, 5, 6, 7' }],
  },
});
