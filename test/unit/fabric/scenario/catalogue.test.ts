import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  describeScenario,
  scenarioJsonSchema,
} from '../../../../services/fabric/scenario/catalogue.js';
import type { LoadedScenario } from '../../../../services/fabric/scenario/load-scenario.js';
import { load } from './written-files.js';

const catalogue = describeScenario();
const entryOf = (path: string): (typeof catalogue)[number] | undefined =>
  catalogue.find((entry) => entry.path === path);

/** Keys that say nothing unless others beside them are given. */
const UNSETTLED =
  /^(devices\.|.*\[\]|.*\.(pools|profiles|wred)\.\*\.|.*\.(ecn|trim|detect|shaper|watchdog)\.|live\.|switches\.ecmp\.|hosts\.nic\.(bandwidth|drift|pools|receiveRings)\.|observe\.(captures|traces)\.)/;

describe('the catalogue of the scenario language', () => {
  it('describes every key once, with what is allowed', () => {
    assert.equal(new Set(catalogue.map(({ path }) => path)).size, catalogue.length);
    for (const { path, description, allowed } of catalogue) {
      assert.match(description, /\w.*[.:]/s, path);
      assert.notEqual(allowed, '', path);
    }
  });

  it('reaches into lists, into chosen names and into every shape of a value', () => {
    assert.deepEqual(entryOf('priorities.*.xonGap'), {
      path: 'priorities.*.xonGap',
      description: 'The sender may go on when the account is so far below the XOFF threshold.',
      default: '3KB',
      allowed: 'bytes as a plain number, or with B, KB, MB, GB (1000) or KiB, MiB, GiB (1024)',
    });
    assert.equal(entryOf('load[].incast.to')?.default, null);
    assert.equal(entryOf('devices.*.ports.*.native')?.allowed, 'a whole number from 1 to 4094');
    assert.equal(entryOf('devices.*.priorities.*.xonGap')?.default, null);
    assert.equal(
      entryOf('fabric.generator')?.allowed,
      'none, pair, star, dumbbell, ring, leaf-spine, fat-tree, clos',
    );
  });

  it('names defaults that are what a file without the key means', () => {
    const generators: Readonly<Record<string, string>> = {
      hosts: 'star',
      left: 'dumbbell',
      right: 'dumbbell',
      switches: 'ring',
      hostsPerSwitch: 'ring',
      leaves: 'leaf-spine',
      k: 'fat-tree',
      pods: 'clos',
      leavesPerPod: 'clos',
      planes: 'clos',
      spinesPerPlane: 'clos',
    };
    let checked = 0;
    for (const { path, default: written } of catalogue) {
      if (written === null || UNSETTLED.test(path)) continue;
      const [section, key = ''] = path.split('.');
      const generator = (section === 'fabric' ? generators[key] : null) ?? 'pair';
      const text = `selvage: 1\nfabric: { generator: ${generator} }\n`;
      const isSwitch = ['pause', 'discovery'].includes(section!);
      const inside = path.startsWith('hosts.nic.') ? 'hosts: { nic: { model: 82599 } }\n' : '';
      const base = isSwitch && key !== '' ? `${text}${section!}: {}\n` : `${text}${inside}`;
      if (path === 'fabric') continue;
      const set = `${path.replace('*', '3')}=${written}`;
      assert.deepEqual(withoutPaths(load(base, [set])), withoutPaths(load(base)), set);
      checked += 1;
    }
    assert.ok(checked > 50, `${checked} defaults`);
  });
});

/** What it says, and not where. */
function withoutPaths({ scenario }: LoadedScenario): unknown {
  return JSON.parse(
    JSON.stringify(scenario, (key, value: unknown) => (key === 'path' ? 0 : value)),
  );
}

describe('the JSON Schema of the scenario language', () => {
  const schema = scenarioJsonSchema() as Record<string, unknown>;

  it('is versioned, and of 2020-12', () => {
    assert.equal(schema['$schema'], 'https://json-schema.org/draft/2020-12/schema');
    assert.equal(schema['$id'], 'urn:selvage:scenario:1');
    assert.equal(schema['additionalProperties'], false);
  });

  it('refers only to what it defines', () => {
    const definitions = schema['$defs'] as Record<string, unknown>;
    const references = JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g);
    for (const [, name] of references) assert.ok(Object.hasOwn(definitions, name!), name);
  });
});
