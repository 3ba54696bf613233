import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { selvage } from '#contracts';
import { Wishes } from '../../../services/coordinator/wishes.js';

const { Action } = selvage.v1.SteerRequest;

describe('what people want of a run', () => {
  it('is a step that ends where it was to end, whatever was executed last', () => {
    const wishes = new Wishes();
    wishes.take(Action.ACTION_STEP, 100, 50);
    assert.equal(wishes.isHeldAt(149), false);
    assert.equal(wishes.beginRound(), 150);
    assert.equal(wishes.reachedPs(120, 140), 140);
    assert.equal(wishes.isHeldAt(170), true);
    assert.equal(wishes.reachedPs(120, 170), 150);
  });

  it('is a pause that ends a step before its time', () => {
    const wishes = new Wishes();
    wishes.take(Action.ACTION_STEP, 100, 0);
    wishes.take(Action.ACTION_RESUME, 0, 20);
    assert.equal(wishes.isHeldAt(200), false);
    wishes.take(Action.ACTION_PAUSE, 0, 40);
    assert.equal(wishes.isHeldAt(60), true);
    assert.equal(wishes.reachedPs(40, 60), 40);
  });
});
