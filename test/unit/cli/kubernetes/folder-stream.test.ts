import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { FolderReader, SEND_FOLDER } from '../../../../services/cli/kubernetes/folder-stream.js';

describe('a folder as a stream', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-stream-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });
  const source = join(folder, 'source');
  mkdirSync(join(source, 'run/deep'), { recursive: true });
  const large = Buffer.alloc(200_000, 'line\n');
  writeFileSync(join(source, 'run/large'), large);
  writeFileSync(join(source, 'run/empty'), '');
  writeFileSync(join(source, 'run/deep/null\n'), 'null\n');
  const sent = (root: string): Buffer =>
    spawnSync(process.execPath, ['-e', SEND_FOLDER, root], { maxBuffer: 1 << 24 }).stdout;

  for (const pieceSize of [1000, 65_536, 1 << 20]) {
    it(`arrives whole in pieces of ${pieceSize} bytes`, () => {
      const into = join(folder, `into${pieceSize}`);
      const reader = new FolderReader(into);
      const stream = sent(source);
      for (let at = 0; at < stream.length; at += pieceSize) {
        assert.ok(!reader.isComplete());
        reader.take(stream.subarray(at, at + pieceSize));
      }
      assert.ok(reader.isComplete());
      assert.equal(reader.files, 3);
      assert.deepEqual(readFileSync(join(into, 'run/large')), large);
      assert.equal(readFileSync(join(into, 'run/empty'), 'utf8'), '');
      assert.equal(readFileSync(join(into, 'run/deep/null\n'), 'utf8'), 'null\n');
    });
  }

  it('is empty for a folder that does not exist', () => {
    const reader = new FolderReader(folder);
    reader.take(sent(join(folder, 'missing')));
    assert.deepEqual([reader.isComplete(), reader.files], [true, 0]);
  });

  it('is not complete when its end is missing, and stays within its folder', () => {
    const reader = new FolderReader(folder);
    reader.take(Buffer.from('{"path":"x","size":3}\nab'));
    assert.ok(!reader.isComplete());
    const hostile = Buffer.from('{"path":"../y","size":0}\n');
    assert.throws(() => {
      new FolderReader(folder).take(hostile);
    }, /leaves the folder/);
  });
});
