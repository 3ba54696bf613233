import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { selvage } from '#contracts';
import { Requests } from '../../../services/coordinator/requests.js';

const { Action } = selvage.v1.SteerRequest;

describe('what people want of a run', () => {
  it('is a step that ends where it was to end, whatever was executed last', () => {
    const requests = new Requests();
    requests.take(Action.ACTION_STEP, 100, 50);
    assert.equal(requests.isHeldAt(149), false);
    assert.equal(requests.beginRound(), 150);
    assert.equal(requests.reachedPs(120, 140), 140);
    assert.equal(requests.isHeldAt(170), true);
    assert.equal(requests.reachedPs(120, 170), 150);
  });

  it('is a pause that ends a step before its time', () => {
    const requests = new Requests();
    requests.take(Action.ACTION_STEP, 100, 0);
    requests.take(Action.ACTION_RESUME, 0, 20);
    assert.equal(requests.isHeldAt(200), false);
    requests.take(Action.ACTION_PAUSE, 0, 40);
    assert.equal(requests.isHeldAt(60), true);
    assert.equal(requests.reachedPs(40, 60), 40);
  });
});
