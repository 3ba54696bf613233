import { firstBroken } from '../../engine/contract/broken.js';
import type { Path } from '../../settings/source-tree.js';
import type { MechanismSlice } from '../mechanism-slice.js';
import type { Places } from '../rate-control-slice.js';
import * as invariants from './invariants.js';
import { EcnMechanism } from './mechanism.js';
import { EcnPlan } from './plan.js';
import type { EcnTypes } from './results.js';
import { ecnResults } from './results.js';
import type { EcnKey } from './settings.js';
import { ecnKey } from './settings.js';

/**
 * Octets that the slowest link carries in 8 and 32 us (100 and 400 KB at 100 Gb/s); at least two
 * frames.
 */
const SUGGESTED = { minUs: 8, maxUs: 32, leastMin: 3000, leastMax: 12_000, probability: '20%' };

export const ecn: MechanismSlice<EcnTypes> = {
  name: 'ecn',
  slot: null,
  create: (tools) => new EcnMechanism(tools),
  priority: { schema: ecnKey.prefault('off'), isFlag: false, check: checkCurve },
  alsoCalled: ['kmax', 'kmin', 'marking', 'red', 'wred'],
  topic:
    'Switches mark ECN-capable frames by the length of their egress queue: from a ' +
    'threshold on (step), or with a probability that rises between two lengths.',
  marking: {
    brokenOf: (frameClass) => firstBroken('ecn', invariants, frameClass),
    isOn: (key) => key !== 'off',
    from: (key) => (typeof key === 'string' ? null : 'step' in key ? key.step : key.min),
    outside: (key) => (typeof key === 'string' && key !== 'off' ? key : null),
    levels: (key) => {
      if (typeof key === 'string') return [];
      if ('step' in key) return [{ label: 'ECN', octets: key.step }];
      return [
        { label: 'ECN min', octets: key.min },
        { label: 'ECN max', octets: key.max },
      ];
    },
    suggested: (rateBps) => {
      const octets = (us: number, least: number): string =>
        `${Math.max(least, Math.round((us * rateBps) / 8e6))}B`;
      const { minUs, maxUs, leastMin, leastMax, probability } = SUGGESTED;
      return { min: octets(minUs, leastMin), max: octets(maxUs, leastMax), probability };
    },
    remedy: (priority) =>
      `priorities: { ${priority}: { ecn: ` +
      '{ min: 400KB, max: 1600KB, probability: 20% } } }, or a step',
  },
  plan: (context) => new EcnPlan(context),
  results: ecnResults,
};

function checkCurve(key: EcnKey, path: Path, places: Places): void {
  if (typeof key === 'string' || 'step' in key || key.min < key.max) return;
  throw places.errorAt([...path, 'max'], 'max is not above min');
}
