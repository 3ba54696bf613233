import assert from 'node:assert/strict';
import { it } from 'node:test';
import { selvage } from '#contracts';
import {
  CoordinatorClient,
  CoordinatorError,
} from '../../../services/cli/fleet/coordinator-client.js';
import { freePort } from '../../../services/cli/fleet/free-port.js';

const { ACTION_PAUSE } = selvage.v1.SteerRequest.Action;

it('a coordinator that has ended is no fault of the command', async () => {
  const client = new CoordinatorClient(`127.0.0.1:${await freePort()}`, 'token', null);
  try {
    await assert.rejects(client.steer(ACTION_PAUSE), (error: Error) => {
      assert.ok(error instanceof CoordinatorError);
      return error.message === 'the coordinator does not answer';
    });
  } finally {
    client.close();
  }
});
