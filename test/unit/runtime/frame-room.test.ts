import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  FramePool,
  FramesExhausted,
  LEAST_FRAMES,
} from '../../../services/engine/frame/frame-pool.js';
import { frameRoom, memoryOctets } from '../../../services/runtime/frame-room.js';
import { fabricOf, runScenario } from '../../kit/emulate.js';

describe('room for frames', () => {
  it('is for the shortest frames that long links hold', () => {
    // 400 Gb/s, 64 octets and 20 of preamble and gap: a frame each 1.68 ns, over 25 ms each way.
    const { specs } = fabricOf(`
fabric: { generator: pair, link: { rate: 400G, length: 5000km } }
load: [ { stream: { from: h1, to: h2 }, bytes: 1MB } ]
`);
    const held = 2 * (25e9 / 1680);
    const room = frameRoom(specs);
    assert.ok(room >= Math.min(held, (0.7 * memoryOctets()) / 64), `${room}`);
    assert.ok(room < 1.1 * held, `${room}`);
  });

  it('is for the frames that buffers hold, and never less than a small pool', () => {
    const specsOf = (size: string) =>
      fabricOf(`
fabric: { generator: star, hosts: 2 }
switches: { buffer: { size: ${size} } }
load: [ { stream: { from: h1, to: h2 }, bytes: 1MB } ]
`).specs;
    assert.equal(frameRoom(specsOf('1MB')), LEAST_FRAMES);
    assert.ok(frameRoom(specsOf('64MB')) >= 64e6 / 64);
  });

  it('lets a run have more frames under way than a small pool holds', () => {
    // A frame each 1.68 ns for 1.5 ms: 890,000, and the first arrives after 2 ms.
    const results = runScenario(`
duration: 1500us
fabric: { generator: pair, link: { rate: 400G, length: 400km } }
priorities: { 0: { flowControl: none } }
load: [ { stream: { from: h1, to: h2 }, frame: 64 } ]
`);
    assert.equal(results.status, 'complete');
    const sent = results.ports.flatMap(({ priorities }) => priorities);
    const frames = sent.reduce((sum, { txFrames }) => sum + txFrames, 0);
    assert.ok(frames > 3 * LEAST_FRAMES, `${frames}`);
  });

  it('is refused with the figure and a remedy where it ends', () => {
    const pool = new FramePool(16);
    for (let i = 0; i < 16; i++) pool.allocate();
    assert.throws(
      () => pool.allocate(),
      (error) =>
        error instanceof FramesExhausted && /more than 16 frames .* memory/.test(error.message),
    );
  });
});
