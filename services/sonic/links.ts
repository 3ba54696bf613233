/** Links between switches: what their files say of each other. */

import { portCalled, type SonicPort, type SonicSwitch } from './configuration.js';
import type { FileErrors } from './file-errors.js';

/** Types of neighbours that are no switches (DEVICE_NEIGHBOR_METADATA). */
const STATIONS = ['Server', 'SmartCable', 'BmcMgmtToRRouter', 'MgmtToRRouter'];

/** Of several switches, each has a file, and both ends of a link say the same. */
export function checkLinks(switches: readonly SonicSwitch[], errors: FileErrors): void {
  if (switches.length === 1) return;
  const byName = new Map(switches.map((own) => [own.name, own]));
  for (const { ports } of switches) {
    for (const port of ports) {
      if (port.neighbor === null) continue;
      const { name, role, place } = port.neighbor;
      const peer = byName.get(name);
      if (peer !== undefined) checkEnds(port, peer, errors);
      else if (role !== null && !STATIONS.includes(role)) {
        const message = `${name}, a ${role}, is not in the files: give its file, too`;
        errors.add(place, message);
      }
    }
  }
}

function checkEnds(port: SonicPort, peer: SonicSwitch, errors: FileErrors): void {
  const { name, port: called, place } = port.neighbor!;
  const far = portCalled(peer, called);
  if (far === undefined) {
    errors.add(place, `${name} has no port ${called}`);
    return;
  }
  const at = `${name} ${far.name}`;
  if (far.speedMbps !== port.speedMbps && far.speedMbps > 0) {
    errors.add(port.place, `speed is ${port.speedMbps}, and ${far.speedMbps} at ${at}`);
  }
  if (far.cable !== null && port.cable !== null && far.cable !== port.cable) {
    errors.add(port.place, `its cable is ${port.cable}, and ${far.cable} at ${at}`);
  }
}
