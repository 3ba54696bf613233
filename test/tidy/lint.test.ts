import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { it } from 'node:test';

it('linter, layers and formatter have nothing to say', () => {
  const lint = spawnSync('npm', ['run', '--silent', 'lint'], { encoding: 'utf8' });
  assert.equal(lint.status, 0, `${lint.stdout}${lint.stderr}`);
});
