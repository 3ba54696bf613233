import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DeafProbe } from '../../../../services/engine/contract/probe.js';
import type { Engine } from '../../../../services/engine/device/engine.js';
import type { FramePool } from '../../../../services/engine/frame/frame-pool.js';
import { SEQUENCE } from '../../../../services/engine/frame/frame-pool.js';
import { RECEIVED, SENT } from '../../../../services/engine/frame/trace-mask.js';
import { nameOf } from '../../../../services/engine/analysis/trace/frame-sampler.js';
import { Session } from '../../../../services/runtime/session.js';
import { fabricOf } from '../../../kit/emulate.js';

/** Keeps who was told of what. */
class Ear extends DeafProbe {
  readonly sent = new Map<string, Set<string>>();

  override frameSent(...[d, port, , pool, frame]: Parameters<DeafProbe['frameSent']>): void {
    this.keep(`${d} ${port}`, pool, frame);
  }

  private keep(place: string, pool: FramePool, frame: number): void {
    const names = this.sent.get(place) ?? new Set<string>();
    this.sent.set(place, names.add(nameOf(pool, frame)));
  }
}

/** Wants to hear no more of every second frame of a connection. */
class Refuser extends DeafProbe {
  constructor(private readonly engine: Engine) {
    super();
  }

  override frameQueued(...[, , , , { words }, frame]: Parameters<DeafProbe['frameQueued']>): void {
    if ((words[frame + SEQUENCE]! & 1) !== 0) this.engine.forgetFrame(frame);
  }
}

function heard(hearsFrames: boolean, prepare: ((engine: Engine) => void) | null = null): Ear {
  const session = new Session(fabricOf('examples/victim-behind-pfc.yaml'), { check: false });
  const ear = new Ear();
  session.engine.listen(ear, session.engine.devices.keys(), hearsFrames);
  prepare?.(session.engine);
  while (session.advance(1000) === 'running');
  return ear;
}

describe('a listener', () => {
  it('is told of no frames that it did not ask for', () => {
    assert.equal(heard(false).sent.size, 0);
  });

  it('is told of all frames of the ports that it follows, until it does not any more', () => {
    const all = heard(true).sent;
    const place = [...all.keys()][0]!;
    const [device, port] = place.split(' ').map(Number) as [number, number];
    const followed = heard(false, (engine) => {
      engine.follow(device, port, SENT, true);
    });
    assert.deepEqual([...followed.sent], [[place, all.get(place)]]);
    const ceased = heard(false, (engine) => {
      engine.follow(device, port, SENT, true);
      engine.follow(device, port, SENT, false);
    });
    assert.equal(ceased.sent.size, 0);
    const other = heard(false, (engine) => {
      engine.follow(device, port, RECEIVED, true);
    });
    assert.equal(other.sent.size, 0);
  });

  it('of followed frames is told of the same at every device', () => {
    const all = heard(true).sent;
    const some = heard(false, (engine) => {
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

  it('hears no more of a frame that it forgets', () => {
    const some = heard(false, (engine) => {
      engine.listen(new Refuser(engine), engine.devices.keys(), false);
      engine.sample(0.25);
    }).sent;
    const names = [...some.values()].flatMap((own) => [...own]);
    const numbers = names.map((name) => Number(name.slice(name.lastIndexOf(' '))));
    assert.ok(numbers.length > 0 && numbers.every((number) => number % 2 === 0));
  });
});
