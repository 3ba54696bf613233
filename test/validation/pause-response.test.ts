import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DeafProbe } from '../../services/engine/contract/probe.js';
import type { FramePool } from '../../services/engine/frame/frame-pool.js';
import { CLASS, PRIORITY_MASK } from '../../services/engine/frame/frame-pool.js';
import {
  blankPauseFrame,
  decodePause,
} from '../../services/engine/wire/mac-control/pause-frame.js';
import { blankPfcFrame, decodePfc } from '../../services/engine/wire/mac-control/pfc-frame.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf } from '../kit/emulate.js';

interface Heard {
  readonly time: number;
  readonly quanta: number;
}

/** What one host sends on a priority, and what it is told. */
class HostWatch extends DeafProbe {
  readonly starts: number[] = [];
  readonly told: Heard[] = [];

  constructor(
    private readonly device: number,
    private readonly priority: number,
    private readonly quantaOf: (octets: Uint8Array) => number | null,
  ) {
    super();
  }

  override frameSent(
    device: number,
    _port: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    const priority = pool.words[frame + CLASS]! & PRIORITY_MASK;
    if (device === this.device && priority === this.priority) this.starts.push(now);
  }

  override controlReceived(device: number, _port: number, now: number, octets: Uint8Array): void {
    const quanta = this.quantaOf(octets);
    if (device === this.device && quanta !== null) this.told.push({ time: now, quanta });
  }
}

function pfcQuanta(octets: Uint8Array): number | null {
  const frame = blankPfcFrame();
  if (decodePfc(octets, 0, frame) !== 'ok' || (frame.enableVector & 8) === 0) return null;
  return frame.quanta[3]!;
}

function pauseQuanta(octets: Uint8Array): number | null {
  const frame = blankPauseFrame();
  return decodePause(octets, 0, frame) === 'ok' ? frame.quanta : null;
}

function scenario(method: string): string {
  return `
duration: 300us
fabric: { generator: star, hosts: 4, hostLink: { rate: 100G, length: 100m } }
switches: { pipeline: 500ns, buffer: { size: 4MB } }
${method}
load:
  - { name: s, stream: { from: h2..h4, to: h1 }, rate: line, frame: 1518, priority: 3 }
`;
}

const methods = [
  {
    name: 'PFC',
    section:
      'priorities: { 3: { flowControl: pfc, responseDelay: 600ns, xoff: 60KB, quanta: 900, refresh: 30% } }',
    quantaOf: pfcQuanta,
  },
  {
    name: 'PAUSE',
    section: 'pause: { xoff: 60KB, responseDelay: 600ns, quanta: 900, refresh: 30% }',
    quantaOf: pauseQuanta,
  },
];

for (const { name, section, quantaOf } of methods) {
  describe(`a port stopped by ${name}`, () => {
    const session = new Session(fabricOf(scenario(section)), { check: true });
    const watch = new HostWatch(1, 3, quantaOf);
    session.engine.listen(watch);
    while (session.advance(1000) === 'running');

    it('was told to stop, again and to go on, many times', () => {
      assert.equal(session.results('complete').status, 'complete');
      assert.ok(watch.told.filter(({ quanta }) => quanta === 900).length > 5);
      assert.ok(watch.told.filter(({ quanta }) => quanta === 0).length > 3);
    });

    it('starts nothing from the moment the stop acts until it expires or is lifted', () => {
      const quantumPs = 64 * 80;
      watch.told.forEach(({ time, quanta }, i) => {
        const next = watch.told[i + 1]?.time ?? Infinity;
        const until = Math.min(time + quanta * quantumPs, next);
        const inside = watch.starts.filter((start) => start >= time && start < until);
        assert.deepEqual(inside, []);
      });
    });

    it('is refreshed before it expires, so that no frame slips through', () => {
      const quantumPs = 64 * 80;
      watch.told.forEach(({ time, quanta }, i) => {
        const next = watch.told[i + 1];
        if (quanta === 0 || next === undefined) return;
        assert.ok(next.time <= time + quanta * quantumPs);
      });
    });
  });
}
