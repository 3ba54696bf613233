import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findLoop } from '../../../../services/fabric/routing/find-loop.js';
import type { Topology } from '../../../../services/fabric/topology/topology.js';
import { build, buildExplicit } from '../topology/fabrics.js';

function loopAmong(topology: Topology, names: RegExp): string[] | null {
  const devices = [...topology.devices.keys()].filter((i) => names.test(topology.devices[i]!.name));
  return findLoop(topology, devices);
}

describe('loop among bridges', () => {
  it('is found in a ring, in its order', () => {
    const ring = build({ kind: 'ring', switches: 5, hostsPerSwitch: 1 });
    assert.deepEqual(loopAmong(ring, /^s/), ['s1', 's2', 's3', 's4', 's5']);
  });

  it('is found between two switches with two links', () => {
    assert.deepEqual(loopAmong(buildExplicit('s1 s2', ['s1 s2', 's1 s2']), /./), ['s1', 's2']);
  });

  it('is found behind a tree, without the way to it', () => {
    const fabric = buildExplicit('s1 s2 s3 s4', ['s1 s2', 's2 s3', 's3 s4', 's4 s2']);
    assert.deepEqual([...loopAmong(fabric, /./)!].sort(), ['s2', 's3', 's4']);
  });

  it('is not seen in a tree or where a router interrupts it', () => {
    assert.equal(loopAmong(build({ kind: 'dumbbell', left: 2, right: 2 }), /^s/), null);
    assert.equal(
      loopAmong(build({ kind: 'ring', switches: 4, hostsPerSwitch: 1 }), /^s[124]/),
      null,
    );
  });

  it('goes through neighbors only', () => {
    const fabric = build({ kind: 'leaf-spine', leaves: 3, spines: 2, hostsPerLeaf: 1 });
    const loop = loopAmong(fabric, /leaf|spine/)!;
    assert.equal(loop.length, 4);
    loop.forEach((name, i) => {
      const next = loop[(i + 1) % loop.length]!;
      assert.notEqual(name.startsWith('leaf'), next.startsWith('leaf'));
    });
  });
});
