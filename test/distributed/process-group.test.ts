import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { ProcessPlan } from '../../services/cli/fleet/process-group.js';
import { ProcessGroup } from '../../services/cli/fleet/process-group.js';

const PAUSE_MS = 10;
/** Creates its file when SIGTERM can be handled, and writes what it finds of the other then. */
const PROGRAM = `
const { existsSync, writeFileSync } = require('node:fs');
const [own, other] = process.argv.slice(1);
process.on('SIGTERM', () => {
  writeFileSync(own + '.ended', String(existsSync(other + '.ended')));
  process.exit(0);
});
setInterval(() => undefined, 1000);
writeFileSync(own, '');
`;

async function appears(file: string): Promise<void> {
  while (!existsSync(file)) await setTimeout(PAUSE_MS);
}

describe('a group of processes', { timeout: 60_000 }, () => {
  it('ends last what the others need until they have ended, and signals none of them then', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
    const [broker, service] = [join(folder, 'broker'), join(folder, 'service')];
    try {
      const group = new ProcessGroup(() => undefined);
      const command = process.execPath;
      const plan = (own: string, other: string): ProcessPlan => ({
        name: basename(own),
        command,
        args: ['-e', PROGRAM, own, other],
        env: {},
      });
      group.start({ ...plan(broker, service), endsLast: true });
      group.start(plan(service, broker));
      await Promise.all([broker, service].map(appears));
      await group.close();
      const ends = [broker, service].map((name) => readFileSync(`${name}.ended`, 'utf8'));
      assert.deepEqual(ends, ['true', 'false']);
      assert.equal(group.signal('service', 'SIGKILL'), false);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
