import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { MechanismKind } from '../../services/engine/contract/slice.js';
import { restoreDevice, saveDevice } from '../../services/engine/device/checkpoint.js';
import { Engine } from '../../services/engine/device/engine.js';
import { DROP_FRAMES, RX_FRAMES, TX_FRAMES } from '../../services/engine/port/counters.js';
import { ENGINE_KINDS } from '../../services/mechanisms/registry.js';
import { fabricOf, ROOT } from '../kit/emulate.js';
import { stopAndGo } from './stop-and-go.js';

const LINES_MOST = 60;
const END_PS = 100e6;
const PRIORITY = 3;

/** Three senders with three times what a link carries; buffers have headroom for pauses. */
const FABRIC = fabricOf(`
duration: 100us
fabric: { generator: star, hosts: 4 }
switches: { buffer: { size: 1MB } }
priorities: { 3: { flowControl: pfc, xoff: 60KB } }
load:
  - { stream: { from: h2..h4, to: h1 }, rate: line, priority: 3 }
`);

/** The same devices with these mechanisms in place of all that are registered. */
function blank(...mechanisms: MechanismKind[]): Engine {
  const engine = new Engine(FABRIC.specs, { ...ENGINE_KINDS, mechanisms });
  for (const { a, b } of FABRIC.topology.links) {
    engine.connect([a.device, a.port], [b.device, b.port]);
  }
  return engine;
}

/** Event after event, whichever device it is of. */
function execute(engine: Engine, untilPs: number): Engine {
  const { horizon } = engine.shared;
  for (;;) {
    const next = engine.devices.reduce((d, _, i) => (horizon[i]! < horizon[d]! ? i : d), 0);
    if (horizon[next]! >= untilPs) return engine;
    engine.run(next, horizon[next]! + 1);
  }
}

/** Of all ports. */
function framesOf({ shared: { ports, counters } }: Engine, word: number): number {
  let frames = 0;
  for (let port = 0; port < ports.count; port++) frames += counters.get(port, PRIORITY, word);
  return frames;
}

/** Frames that the last host has received. */
function received({ shared: { counters }, devices }: Engine): number {
  const host = devices.find(({ spec }) => spec.name === 'h1')!;
  return counters.get(host.firstPort, PRIORITY, RX_FRAMES);
}

describe('the mechanism of ARCHITECTURE.md', () => {
  it('is the one that is tested here, in sixty lines', () => {
    const source = readFileSync(join(ROOT, 'test/architecture/stop-and-go.ts'), 'utf8');
    const page = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
    const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text]) => text!);
    assert.equal(blocks.join('\n'), source);
    assert.ok(source.trimEnd().split('\n').length <= LINES_MOST);
  });

  it('keeps a switch from losing frames, which loses them without it', () => {
    assert.ok(framesOf(execute(blank(), END_PS), DROP_FRAMES) > 0);
    assert.equal(framesOf(execute(blank(stopAndGo), END_PS), DROP_FRAMES), 0);
  });

  it('stops senders and lets them go again: the bottleneck never idles for long', () => {
    const without = execute(blank(), END_PS);
    const stopped = execute(blank(stopAndGo), END_PS);
    assert.ok(framesOf(stopped, TX_FRAMES) < framesOf(without, TX_FRAMES));
    assert.ok(received(stopped) >= 0.99 * received(without));
  });

  it('has state in tables: a run that is taken up again ends as one that was not', () => {
    const [whole, first, second] = [1, 2, 3].map(() => blank(stopAndGo));
    execute(whole!, END_PS);
    execute(first!, END_PS / 2);
    FABRIC.specs.forEach((_, d) => {
      restoreDevice(second!, d, saveDevice(first!, d));
    });
    execute(second!, END_PS);
    FABRIC.specs.forEach((_, d) => {
      assert.equal(second!.shared.digests.hex(d), whole!.shared.digests.hex(d));
    });
  });
});
