import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settingsOf } from '../../../../services/fabric/scenario/device-settings.js';
import { hostSelector, matchesGlob } from '../../../../services/fabric/scenario/selector.js';
import { load, PAIR } from './written-files.js';

describe('the settings of a device', () => {
  const { scenario } = load(
    `${PAIR}switches: { pipeline: 1us }\n` +
      'priorities: { 3: { flowControl: pfc, xoff: 9KB, alpha: 2 } }\ndevices:\n' +
      "  'leaf*': { buffer: { size: 16MB }, priorities: { 3: { xoff: dynamic, alpha: 4 } } }\n" +
      '  leaf2: { cutThrough: true, buffer: { cell: 208 },\n' +
      '    priorities: { all: { reserved: 1KB } } }\n' +
      '  h1: { mac: 02-00-00-00-00-AA, arbiter: round-robin, priorities: { 3: none } }\n',
  );

  it('are those of the scenario if nothing overrides them', () => {
    const { host, switch: own, priorities } = settingsOf(scenario, 'spine1');
    assert.deepEqual(host, scenario.hosts);
    assert.deepEqual(own, scenario.switches);
    assert.deepEqual(priorities, scenario.priorities);
  });

  it('change key by key with every override that fits, in file order', () => {
    const { switch: own, priorities } = settingsOf(scenario, 'leaf2');
    assert.equal(own.pipelinePs, 1_000_000);
    assert.equal(own.cutThrough, true);
    assert.deepEqual([own.buffer.sizeBytes, own.buffer.cellBytes], [16e6, 208]);
    const [lossless, other] = [priorities[3]!, priorities[0]!];
    assert.deepEqual([lossless.flowControl, lossless.ingressAlpha], ['pfc', 4]);
    assert.deepEqual([lossless.pausing.xoff, lossless.pausing.xonGap], ['dynamic', 3000]);
    assert.deepEqual([lossless.ingressReservedBytes, other.ingressReservedBytes], [1000, 1000]);
  });

  it('keep the classes of all devices where a discovery section does not name any', () => {
    const { scenario: other } = load(
      `${PAIR}classes: { transmit: [0, 0, 0, 3, 0, 0, 0, 0] }\n` +
        'discovery: { changes: [{ at: 1ms, devices: h1, pfc: [3] }] }\n' +
        'devices: { h1: { discovery: { willing: [ets] } } }\n',
    );
    assert.equal(settingsOf(other, 'h1').discovery.classes, null);
    assert.equal(other.discovery.changes[0]!.end.classes, undefined);
  });

  it('have one form of an address', () => {
    const { host, priorities } = settingsOf(scenario, 'h1');
    assert.equal(host.mac, '02:00:00:00:00:aa');
    assert.deepEqual(host.arbiter, { kind: 'round-robin' });
    assert.equal(priorities[3]!.flowControl, 'none');
  });
});

describe('selections of names', () => {
  it('have globs in which only * and ? are special', () => {
    assert.ok(matchesGlob('leaf*', 'leaf12'));
    assert.ok(matchesGlob('h?', 'h3'));
    assert.ok(matchesGlob('*', 'anything'));
    assert.ok(!matchesGlob('h?', 'h12'));
    assert.ok(!matchesGlob('leaf*', 'xleaf1'));
    assert.ok(!matchesGlob('a.b', 'axb'));
  });

  it('have ranges that run up', () => {
    const places = { errorAt: (_: unknown, message: string) => new Error(message) };
    const selected = (text: string): readonly string[] => hostSelector(text, [], places);
    for (const range of ['h8..h10', 'pod1-h3..pod1-h3']) assert.deepEqual(selected(range), [range]);
    for (const none of ['h3..h2', 'h1..g2', 'h..h2', 'h1..', 'h1..h99999999']) {
      assert.throws(() => selected(none), /^Error: not a range: .*; write one that runs up/, none);
    }
  });
});
