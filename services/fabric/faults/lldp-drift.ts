import { integer } from '../../settings/parts.js';
import { faultKind } from './fault-kind.js';

export const lldpDrift = faultKind({
  name: 'lldp-drift',
  effect: 'the clock of the LLDP timers of the port is too fast, or (negative) too slow',
  must: {
    ppm: integer(-500_000, 500_000).describe(
      'How much too fast the clock of LLDP timers is, in parts per million.',
    ),
  },
  may: {},
  hits: 'port',
  needs: 'LLDP',
  place(at, { ppm }) {
    if (at.port.discovery === null) return false;
    at.put({ kind: 'drift', ppm });
    return true;
  },
  look: 'device',
});
