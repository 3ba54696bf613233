import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { adjacencyOf, portCount } from '../../../../services/fabric/topology/adjacency.js';
import { buildTopology } from '../../../../services/fabric/topology/build-topology.js';
import type { Topology } from '../../../../services/fabric/topology/topology.js';
import { hostCount, portName } from '../../../../services/fabric/topology/topology.js';
import { build, buildExplicit, fail, FABRIC_LINK, linkOf, section, SMALL } from './fabrics.js';

/** Links as `h1:p1 s1:p1`, in topology order. */
function linksOf(topology: Topology): string[] {
  return topology.links.map(({ a, b }) => `${portName(topology, a)} ${portName(topology, b)}`);
}

function namesOf(topology: Topology): string {
  return topology.devices.map((device) => device.name).join(' ');
}

describe('topology generators', () => {
  it('a pair is two hosts on one link', () => {
    const pair = build({ kind: 'pair' });
    assert.equal(namesOf(pair), 'h1 h2');
    assert.deepEqual(linksOf(pair), ['h1:p1 h2:p1']);
  });

  it('a star numbers its ports as its hosts', () => {
    assert.deepEqual(linksOf(build({ kind: 'star', hosts: 3 })), [
      'h1:p1 s1:p1',
      'h2:p1 s1:p2',
      'h3:p1 s1:p3',
    ]);
  });

  it('a dumbbell has hosts left and right of one link', () => {
    assert.deepEqual(linksOf(build({ kind: 'dumbbell', left: 1, right: 2 })), [
      'h1:p1 s1:p1',
      'h2:p1 s2:p1',
      'h3:p1 s2:p2',
      's1:p2 s2:p3',
    ]);
  });

  it('a ring closes', () => {
    assert.deepEqual(linksOf(build({ kind: 'ring', switches: 3, hostsPerSwitch: 0 })), [
      's1:p1 s2:p1',
      's2:p2 s3:p1',
      's3:p2 s1:p2',
    ]);
  });

  it('a leaf-spine joins every leaf to every spine, after the hosts', () => {
    const fabric = build({ kind: 'leaf-spine', leaves: 2, spines: 2, hostsPerLeaf: 1 });
    assert.equal(namesOf(fabric), 'h1 h2 leaf1 leaf2 spine1 spine2');
    assert.deepEqual(linksOf(fabric).slice(2), [
      'leaf1:p2 spine1:p1',
      'leaf1:p3 spine2:p1',
      'leaf2:p2 spine1:p2',
      'leaf2:p3 spine2:p2',
    ]);
    assert.equal(fabric.links[1]!.rateBps, 100e9);
    assert.equal(fabric.links[2]!.rateBps, FABRIC_LINK.rateBps);
  });

  it('a fat-tree of k has k^3/4 hosts, 5k^2/4 switches, and k ports on each of them', () => {
    for (const k of [2, 4, 8]) {
      const fabric = build({ kind: 'fat-tree', k });
      const hosts = hostCount(fabric);
      assert.equal(hosts, k ** 3 / 4);
      assert.equal(fabric.devices.length - hosts, (5 * k ** 2) / 4);
      const adjacency = adjacencyOf(fabric);
      fabric.devices.forEach((device, i) => {
        assert.equal(portCount(adjacency, i), device.kind === 'host' ? 1 : k, device.name);
      });
    }
  });

  it('a fat-tree numbers hosts edge by edge and joins pods through the core', () => {
    const links = linksOf(build({ kind: 'fat-tree', k: 4 }));
    assert.equal(links[2], 'h3:p1 edge2:p1');
    assert.ok(links.includes('edge2:p4 agg2:p2'));
    assert.ok(links.includes('agg1:p4 core2:p1'));
    assert.ok(links.includes('agg8:p3 core3:p4'));
  });

  it('a clos joins aggregation switches only to the spines of their plane', () => {
    const links = linksOf(
      build({
        kind: 'clos',
        pods: 2,
        leavesPerPod: 1,
        hostsPerLeaf: 1,
        planes: 2,
        spinesPerPlane: 1,
      }),
    );
    assert.deepEqual(links.slice(2), [
      'leaf1:p2 agg1:p1',
      'leaf1:p3 agg2:p1',
      'leaf2:p2 agg3:p1',
      'leaf2:p3 agg4:p1',
      'agg1:p2 spine1:p1',
      'agg2:p2 spine2:p1',
      'agg3:p2 spine1:p2',
      'agg4:p2 spine2:p2',
    ]);
  });

  it('8,192 hosts can be built', () => {
    const fabric = build({ kind: 'fat-tree', k: 32 });
    assert.equal(fabric.devices.length, 8192 + 1280);
    assert.equal(fabric.links.length, 3 * 8192);
  });

  it('refuse numbers that make no fabric', () => {
    const star = { kind: 'star' } as const;
    assert.throws(() => build({ ...star, hosts: 0 }), /^Error: fabric\.generator\.hosts: .* is 0/);
    assert.throws(() => build({ ...star, hosts: 1.5 }), /is 1\.5; it must be a whole number/);
    assert.throws(() => build({ kind: 'fat-tree', k: 5 }), /k of a fat-tree is 5; .* even/);
    assert.throws(
      () => build({ kind: 'ring', switches: 2, hostsPerSwitch: 1 }),
      /must be a whole number of at least 3/,
    );
    assert.throws(() => build({ ...star, hosts: 257 }), /no port s1:p257.* at most 256 ports/);
  });
});

describe('adjacency', () => {
  it('names for every port the port at the other end, which names it back', () => {
    for (const generator of SMALL) {
      const fabric = build(generator);
      const { firstSlot, peer, peerPort, link } = adjacencyOf(fabric);
      for (let device = 0; device < fabric.devices.length; device++) {
        for (let slot = firstSlot[device]!; slot < firstSlot[device + 1]!; slot++) {
          const back = firstSlot[peer[slot]!]! + peerPort[slot]!;
          assert.equal(peer[back], device);
          assert.equal(peerPort[back], slot - firstSlot[device]!);
          assert.equal(link[back], link[slot]);
        }
      }
    }
  });
});

describe('devices and links of one’s own', () => {
  it('are put on top of what the generator made', () => {
    const fabric = buildTopology(
      section(
        { kind: 'star', hosts: 2 },
        { devices: [{ name: 'nas', kind: 'host', tier: 'storage' }], links: [linkOf('nas s1')] },
      ),
      fail,
    );
    assert.equal(namesOf(fabric), 'h1 h2 nas s1');
    assert.deepEqual(linksOf(fabric)[2], 'nas:p1 s1:p3');
  });

  it('take named ports first and the lowest free ones for the others', () => {
    const fabric = buildExplicit('s1 h1 h2 h3', ['h1 s1', 'h2 s1:p1', 'h3 s1']);
    assert.deepEqual(linksOf(fabric), ['h1:p1 s1:p2', 'h2:p1 s1:p1', 'h3:p1 s1:p3']);
  });

  const refused: [string, string, string[], RegExp][] = [
    [
      'an unknown device, with the nearest name',
      'h1 h2 leaf1',
      ['h1 leaf1', 'h2 laef1'],
      /^Error: fabric\.links\.1: there is no device laef1; did you mean leaf1\?$/,
    ],
    ['an unknown device that resembles none', 'h1 h2', ['h1 tor-17'], /there is no device tor-17$/],
    [
      'a port used twice',
      's1 h1 h2',
      ['h1 s1:p1', 'h2 s1:p1'],
      /^Error: fabric\.links\.1: port s1:p1 is used twice$/,
    ],
    [
      'a link of a device to itself',
      's1 h1',
      ['h1 s1', 's1 s1'],
      /links\.1: s1 is linked to itself/,
    ],
    [
      'a second link of a host',
      'h1 h2 s1',
      ['h1 s1', 'h2 s1', 'h1 h2'],
      /no port h1:p2.* one port/,
    ],
    ['a host without a link', 'h1 h2 h3', ['h1 h2'], /fabric\.devices\.2: host h3 has no link/],
    ['two devices of one name', 'h1 h2 h1', ['h1 h2'], /devices\.2: there are two .* named h1/],
    ['port 0', 'h1 s1', ['h1 s1:p0'], /s1:p0: ports are counted from 1/],
    ['port 257', 'h1 s1', ['h1 s1:p257'], /no port s1:p257: a switch has at most 256/],
    ['a gap in the ports', 'h1 s1', ['h1 s1:p3'], /links\.0: s1 has a link on p3 but none on p1/],
  ];
  for (const [what, names, links, message] of refused) {
    it(`refuse ${what}`, () => {
      assert.throws(() => buildExplicit(names, links), message);
    });
  }

  it('refuse a fabric without devices', () => {
    assert.throws(
      () => buildTopology(section({ kind: 'none' }), fail),
      /fabric: the fabric has no devices/,
    );
  });
});
