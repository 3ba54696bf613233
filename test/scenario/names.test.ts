import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runScenario } from '../kit/emulate.js';

/** A fabric whose hosts are called by `names`, in an order of declaration of its own. */
function scenario(names: Readonly<Record<string, string>>, order: readonly string[]): string {
  const n = (name: string): string => names[name] ?? name;
  const hosts = ['a', 'b', 'c', 'd'];
  const device = (name: string): string =>
    `    - { name: ${n(name)}, kind: ${hosts.includes(name) ? 'host' : 'switch'} }`;
  return `
duration: 200us
fabric:
  devices:
${order.map(device).join('\n')}
  links:
    - { between: [${n('a')}, ${n('x')}], rate: 100G, length: 10m }
    - { between: [${n('b')}, ${n('x')}], rate: 100G, length: 10m }
    - { between: [${n('x')}, ${n('y')}], rate: 100G, length: 10m }
    - { between: [${n('y')}, ${n('c')}], rate: 100G, length: 10m }
    - { between: [${n('y')}, ${n('d')}], rate: 25G, length: 10m }
switches: { pipeline: 500ns, buffer: { size: 2MB } }
priorities: { 3: { flowControl: pfc, xoff: 50KB, responseDelay: 200ns } }
load:
  - { name: one, stream: { from: ${n('a')}, to: ${n('c')} }, rate: line, priority: 3 }
  - { name: two, stream: { from: ${n('b')}, to: ${n('c')} }, rate: line, priority: 3 }
  - { name: three, stream: { from: ${n('b')}, to: ${n('d')} }, rate: line, priority: 3 }
  - { name: back, stream: { from: ${n('d')}, to: ${n('a')} }, bytes: 200KB, priority: 3, transport: reliable }
`;
}

const ORDER = ['a', 'b', 'c', 'd', 'x', 'y'];

function byDevice(text: string, names: Readonly<Record<string, string>>): Record<string, string> {
  const digests = new Map(runScenario(text).deviceDigests.map((d) => [d.device, d.digest]));
  return Object.fromEntries(ORDER.map((name) => [name, digests.get(names[name] ?? name)!]));
}

describe('names of devices', () => {
  const expected = byDevice(scenario({}, ORDER), {});

  it('permuted, give the permuted result', () => {
    const names = { a: 'd', b: 'c', c: 'b', d: 'a', x: 'y', y: 'x' };
    assert.deepEqual(byDevice(scenario(names, ORDER), names), expected);
  });

  it('replaced by others, change nothing', () => {
    const names = { a: 'zebra', b: 'ant', c: 'm1', d: 'k9', x: 'spine7', y: 'tor' };
    assert.deepEqual(byDevice(scenario(names, ORDER), names), expected);
  });

  it('may be declared in any order, which moves addresses but no frame', () => {
    const results = (order: readonly string[]): unknown => {
      const { flows, ports, virtualPs } = runScenario(scenario({}, order));
      const byName = [...ports].sort((p, q) => (p.port < q.port ? -1 : 1));
      return { flows, ports: byName, virtualPs };
    };
    for (const order of [
      ['y', 'd', 'c', 'x', 'b', 'a'],
      ['c', 'x', 'a', 'y', 'd', 'b'],
    ]) {
      assert.deepEqual(results(order), results(ORDER));
    }
  });
});
