import assert from 'node:assert/strict';
import { it } from 'node:test';
import { InputError } from '../../../services/cli/exit.js';
import { spelledWords } from '../../../services/cli/spelled-words.js';

it('--check takes no word behind it, and has the value deep', () => {
  assert.deepEqual(spelledWords(['run', '--check', 'a.yaml']), ['run', '--check', 'a.yaml']);
  assert.deepEqual(spelledWords(['run', '--check=deep', 'a.yaml']), [
    ...['run', '--check-deep', 'a.yaml'],
  ]);
});

it('another value of --check is an error that names what there is', () => {
  assert.throws(
    () => spelledWords(['run', 'a.yaml', '--check=dep']),
    (error: Error) => error instanceof InputError && error.message.includes('or deep'),
  );
});
