import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NullProbe } from '../../../../services/engine/contract/probe.js';
import type { Engine } from '../../../../services/engine/device/engine.js';
import type { FramePool } from '../../../../services/engine/frame/frame-pool.js';
import { SEQUENCE } from '../../../../services/engine/frame/frame-pool.js';
import { RECEIVED, SENT } from '../../../../services/engine/frame/trace-mask.js';
import { nameOf } from '../../../../services/engine/analysis/trace/frame-sampler.js';
import { Session } from '../../../../services/runtime/session.js';
import { fabricOf } from '../../../kit/emulate.js';

/** Records the frames of each port. */
class Recorder extends NullProbe {
  readonly sent = new Map<string, Set<string>>();

  override frameSent(...[d, port, , pool, frame]: Parameters<NullProbe['frameSent']>): void {
    this.keep(`${d} ${port}`, pool, frame);
  }

  private keep(place: string, pool: FramePool, frame: number): void {
    const names = this.sent.get(place) ?? new Set<string>();
    this.sent.set(place, names.add(nameOf(pool, frame)));
  }
}

/** Stops tracing every second frame of a connection. */
class Refuser extends NullProbe {
  constructor(private readonly engine: Engine) {
    super();
  }

  override frameQueued(...[, , , , { words }, frame]: Parameters<NullProbe['frameQueued']>): void {
    if ((words[frame + SEQUENCE]! & 1) !== 0) this.engine.forgetFrame(frame);
  }
}

function observed(
  withFrames: boolean,
  prepare: ((engine: Engine) => void) | null = null,
): Recorder {
  const session = new Session(fabricOf('examples/victim-behind-pfc.yaml', 'observe={}'), {
    check: false,
  });
  const recorder = new Recorder();
  session.engine.listen(recorder, session.engine.devices.keys(), withFrames);
  prepare?.(session.engine);
  while (session.advance(1000) === 'running');
  return recorder;
}

describe('a listener', () => {
  it('receives no frames that it did not select', () => {
    assert.equal(observed(false).sent.size, 0);
  });

  it('receives all frames of the ports that it follows, until it stops following', () => {
    const all = observed(true).sent;
    const place = [...all.keys()][0]!;
    const [device, port] = place.split(' ').map(Number) as [number, number];
    const followed = observed(false, (engine) => {
      engine.follow(device, port, SENT, true);
    });
    assert.deepEqual([...followed.sent], [[place, all.get(place)]]);
    const ceased = observed(false, (engine) => {
      engine.follow(device, port, SENT, true);
      engine.follow(device, port, SENT, false);
    });
    assert.equal(ceased.sent.size, 0);
    const other = observed(false, (engine) => {
      engine.follow(device, port, RECEIVED, true);
    });
    assert.equal(other.sent.size, 0);
  });

  it('receives sampled frames at every device on their path', () => {
    const all = observed(true).sent;
    const some = observed(false, (engine) => {
      engine.sample(0.25);
    }).sent;
    const names = new Set([...some.values()].flatMap((own) => [...own]));
    for (const [place, own] of all) {
      const expected = [...own].filter((name) => names.has(name));
      assert.deepEqual([...(some.get(place) ?? [])], expected);
    }
    const total = new Set([...all.values()].flatMap((own) => [...own])).size;
    assert.ok(names.size > 0.2 * total && names.size < 0.3 * total);
  });

  it('receives no more events of a frame that it stops tracing', () => {
    const some = observed(false, (engine) => {
      engine.listen(new Refuser(engine), engine.devices.keys(), false);
      engine.sample(0.25);
    }).sent;
    const names = [...some.values()].flatMap((own) => [...own]);
    const numbers = names.map((name) => Number(name.slice(name.lastIndexOf(' '))));
    assert.ok(numbers.length > 0 && numbers.every((number) => number % 2 === 0));
  });
});
