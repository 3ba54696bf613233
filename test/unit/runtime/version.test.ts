import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readBuild, readVersion } from '../../../services/runtime/version.js';

describe('a build', () => {
  it('is another one with other modules of the same version', () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvage-build-'));
    const buildOf = (...names: string[]): string => {
      for (const name of names) writeFileSync(join(folder, name), '');
      return readBuild(folder);
    };
    try {
      const one = buildOf('engine-a.js', 'registry-b.js');
      assert.equal(one, readBuild(folder));
      assert.ok(one.startsWith(`${readVersion()}+`));
      assert.equal(buildOf('engine-a.js.map'), one);
      assert.notEqual(buildOf('engine-c.js'), one);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is the same for every process of this one', () => {
    assert.match(readBuild(), /^\d+\.\d+\.\d+\+[0-9a-f]{12}$/);
    assert.equal(readBuild(), readBuild());
  });
});
