import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadRun } from '../../services/cli/load-fabric.js';
import { fabricCount } from '../../services/fabric/sizing/fabric-count.js';
import { assemblyOctets, runEstimate } from '../../services/fabric/sizing/run-estimate.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf } from '../kit/emulate.js';
import { withFiles } from '../unit/fabric/scenario/written-files.js';

const refusal = (scenario: string, force = false): string =>
  withFiles({ 'main.yaml': `selvage: 1\n${scenario}` }, (folder) => {
    try {
      loadRun(`${folder}/main.yaml`, [], force);
      return '';
    } catch (error) {
      return (error as Error).message.replace(`${folder}/`, '');
    }
  });

const STREAM = `fabric: { generator: pair }
load: [ { stream: { from: h1, to: h2 }, frame: 64 } ]
`;

describe('before a run', () => {
  it('the size of each kind of fabric is what assembly makes', () => {
    const shapes = [
      '{ generator: pair }',
      '{ generator: star, hosts: 5 }',
      '{ generator: dumbbell, left: 2, right: 3 }',
      '{ generator: ring, switches: 5, hostsPerSwitch: 2 }',
      '{ generator: leaf-spine, leaves: 3, spines: 2, hostsPerLeaf: 4 }',
      '{ generator: fat-tree, k: 6 }',
      '{ generator: clos, pods: 3, leavesPerPod: 2, hostsPerLeaf: 4, planes: 5, spinesPerPlane: 2 }',
      '{ generator: star, hosts: 2, devices: [{ name: h3, kind: host }], links: [{ between: [h3, s1] }] }',
    ];
    for (const shape of shapes) {
      const { scenario, topology } = fabricOf(`fabric: ${shape}\n`);
      const ofKind = (kind: string): number =>
        topology.devices.filter((device) => device.kind === kind).length;
      assert.deepEqual(
        fabricCount(scenario.fabric),
        { hosts: ofKind('host'), switches: ofKind('switch'), links: topology.links.length },
        shape,
      );
    }
  });

  it('hops are estimated within a factor of two of what a run has', () => {
    const loads = [
      `duration: 100us\nfabric: { generator: fat-tree, k: 4 }\nload: [ { permutation: {} } ]`,
      `duration: 100us\nfabric: { generator: star, hosts: 4 }
load: [ { stream: { from: h1, to: h2 }, rate: 10% } ]`,
      `fabric: { generator: leaf-spine }\nload: [ { all-to-all: {}, bytes: 100KB } ]`,
      `fabric: { generator: pair }
load: [ { stream: { from: h1, to: h2 }, bytes: 1MB, transport: reliable } ]`,
    ];
    for (const load of loads) {
      const fabric = fabricOf(`${load}\n`);
      const session = new Session(fabric, { check: false });
      while (session.advance(1000) === 'running');
      const { ports } = session.results('complete');
      const hops = ports.flatMap((port) => port.priorities).reduce((n, p) => n + p.txFrames, 0);
      const { hops: expected } = runEstimate(fabric);
      assert.ok(expected > hops / 2 && expected < 2 * hops, `${load}: ${expected} for ${hops}`);
    }
  });

  it('a series with more rows than anybody reads is refused with the key and the number', () => {
    assert.match(
      refusal(`duration: 20us\n${STREAM}observe: { series: 1ps }\n`),
      /^main\.yaml:5:20: 20,000,000 samples .*; write a longer interval, .*--force/,
    );
  });

  it('a run of more than a day is refused at its duration, and one of minutes is not', () => {
    assert.match(
      refusal(`duration: 9000s\n${STREAM}`),
      /^main\.yaml:2:11: about \d+ hours in one thread, of [\d,]+ hops of frames; .*--force/,
    );
    assert.equal(refusal(`duration: 1s\n${STREAM}`), '');
    assert.equal(refusal(`duration: 9000s\n${STREAM}`, true), '');
  });

  it('a fabric that no memory holds is refused before it is built', () => {
    const clos = '{ generator: clos, pods: 256, leavesPerPod: 255, hostsPerLeaf: 255, planes: 2 }';
    assert.match(
      refusal(`duration: 1us\nfabric: ${clos}\n`),
      /^main\.yaml:3:1: 16,646,400 hosts, .* need about \d+ GB, and there are .*--force/,
    );
  });

  it('memory of a fabric is estimated from what runs needed', () => {
    // Fat-trees of k = 16, 24 and 32 that came to an end with 189, 411 and 768 MB.
    for (const [k, mb] of [
      [16, 189],
      [24, 411],
      [32, 768],
    ] as const) {
      const hosts = k ** 3 / 4;
      const octets = assemblyOctets({ hosts, switches: 1.25 * k * k, links: 3 * hosts });
      assert.ok(octets > (mb * 1e6) / 1.5 && octets < mb * 1e6 * 1.5, `${k}: ${octets}`);
    }
  });
});
