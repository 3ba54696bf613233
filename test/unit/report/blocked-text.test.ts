import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blockedText } from '../../../services/report/blocked-text.js';

describe('what keeps a port from sending', () => {
  it('is named as standards do: PAUSE of 802.3x and PFC pause, others block', () => {
    assert.equal(blockedText('pause'), 'paused by PAUSE');
    assert.equal(blockedText('pfc'), 'paused by PFC');
    assert.equal(blockedText('cbfc'), 'blocked by CBFC');
  });
});
