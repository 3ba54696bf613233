import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FAULT_KINDS, KEYS_OF_KINDS } from '../../../../services/fabric/faults/registry.js';
import { fabricOf } from '../../../kit/emulate.js';

const FABRIC = `
fabric: { generator: star, hosts: 2 }
load: [{ stream: { from: h1, to: h2 }, bytes: 100KB }]
duration: 1ms
`;

/** A valid value of each key that any kind has. */
const VALUES: Readonly<Record<string, string>> = {
  priority: '3',
  probability: '10%',
  errorRate: '1e-6',
  delay: '1us',
  jitter: '1ns',
  rate: '1G',
  frames: 'pfc',
  action: 'lose',
  interval: '5us',
  quanta: '100',
  octets: 'ffffffffffffffff',
  to: 'h1',
  source: 'h2',
  pause: '1us',
  size: '1KB',
  table: 'mac',
  entries: '1',
  ppm: '100',
  classes: '[0, 1, 2, 3, 4, 5, 6, 7]',
  swap: '["h1:p1", "h2:p1"]',
  cable: '1km',
  profile: 'lossless',
  groups: '[3]',
  queues: '[3]',
  pool: 'ingress',
  alpha: '1',
  limit: '1KB',
  headroom: '1KB',
  reserved: '1KB',
  xon: '1KB',
  xonOffset: '1KB',
};

describe('a kind of fault', () => {
  for (const [name, { must, may, mustBe = [] }] of FAULT_KINDS) {
    const own = new Set([...Object.keys(must), ...Object.keys(may)]);
    it(`refuses each key that is not its own, where it is written: ${name}`, () => {
      for (const key of Object.keys(KEYS_OF_KINDS).filter((other) => !own.has(other))) {
        assert.throws(
          () => fabricOf(`${FABRIC}faults:\n  - kind: ${name}\n    ${key}: ${VALUES[key]!}\n`),
          new RegExp(`yaml:8:5: ${key} means nothing to ${name}; its own keys`),
        );
      }
      for (const key of [...Object.keys(must), ...mustBe]) {
        const others = Object.keys(must).filter((other) => other !== key);
        const given = others.map((other) => `, ${other}: ${VALUES[other]!}`).join('');
        assert.throws(
          () => fabricOf(`${FABRIC}faults: [{ kind: ${name}${given} }]\n`),
          new RegExp(`${name} needs ${key}`),
        );
      }
    });
  }
});
