import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { repeatFor } from '../../../../services/runtime/checkpoints/repeat.js';
import { StoreError } from '../../../../services/runtime/checkpoints/store-error.js';

describe('what a store does not answer', () => {
  const failing = (errors: Error[]): (() => Promise<string>) => {
    return () => {
      const error = errors.shift();
      return error === undefined ? Promise.resolve('done') : Promise.reject(error);
    };
  };

  it('is repeated', async () => {
    const attempt = failing([new Error('away'), new StoreError('still away', false)]);
    assert.equal(await repeatFor(60_000, 'no answer', attempt), 'done');
  });

  it('is not repeated where that cannot help', async () => {
    const errors = [new StoreError('no JetStream'), new Error('never seen')];
    await assert.rejects(repeatFor(60_000, 'no answer', failing(errors)), /^Error: no JetStream$/);
    assert.equal(errors.length, 1);
  });

  it('fails when patience ends, also where an attempt never does', async () => {
    const away = (): Promise<string> => Promise.reject(new Error('away'));
    await assert.rejects(repeatFor(10, 'no answer', away), /no answer for 0.01 s: away/);
    const never = (): Promise<string> => new Promise(() => undefined);
    await assert.rejects(repeatFor(10, 'no answer', never), /for 0.01 s: no answer/);
  });
});
