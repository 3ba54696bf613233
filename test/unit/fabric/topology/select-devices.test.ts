import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { selectDevices } from '../../../../services/fabric/topology/select-devices.js';
import type { DeviceKind } from '../../../../services/fabric/topology/topology.js';
import { build, buildExplicit } from './fabrics.js';

const FABRIC = build({ kind: 'leaf-spine', leaves: 2, spines: 1, hostsPerLeaf: 6 });

function select(selector: string, kind: DeviceKind | 'device', fabric = FABRIC): string {
  const items = selector.split(' ').filter((item) => item !== '');
  const indices = selectDevices(fabric, items, kind, (message) => new Error(message));
  return indices.map((index) => fabric.devices[index]!.name).join(' ');
}

describe('device selectors', () => {
  it('take names in the order given, each once', () => {
    assert.equal(select('h3 h1 h3', 'host'), 'h3 h1');
  });

  it('take globs and all, of the given kind only', () => {
    assert.equal(select('leaf* h1?', 'device'), 'leaf1 leaf2 h10 h11 h12');
    assert.equal(select('*1', 'switch'), 'leaf1 spine1');
    assert.equal(select('all', 'switch'), 'leaf1 leaf2 spine1');
  });

  it('take ranges by number', () => {
    assert.equal(select('h9..h11 h2..h2', 'host'), 'h9 h10 h11 h2');
  });

  it('take ranges of numbers with leading zeros', () => {
    const fabric = buildExplicit('h09 h10 s1', ['h09 s1', 'h10 s1']);
    assert.equal(select('h09..h10', 'host', fabric), 'h09 h10');
  });

  it('read special characters of a glob as they are', () => {
    const fabric = buildExplicit('h.1 hx1', ['h.1 hx1']);
    assert.equal(select('h.*', 'host', fabric), 'h.1');
  });

  it('refuse what selects nothing, with the nearest name', () => {
    assert.throws(
      () => select('leef2', 'switch'),
      /there is no switch leef2; did you mean leaf2\?/,
    );
    assert.throws(() => select('h10..h13', 'host'), /there is no host h13; did you mean h1/);
    assert.throws(() => select('gateway', 'switch'), /no switch gateway; there are leaf1, leaf2/);
    assert.throws(() => select('leaf1', 'host'), /leaf1 is a switch, not a host/);
    assert.throws(() => select('core*', 'switch'), /no switch has a name like core\*/);
    assert.throws(() => select('', 'host'), /no host is selected/);
    assert.throws(() => select('h4..h2', 'host'), /h4\.\.h2 is not a range/);
    assert.throws(() => select('h1..leaf2', 'host'), /is not a range/);
  });
});
