import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CoordinatorClient } from '../../../../services/cli/fleet/coordinator-client.js';
import { issueCredentials } from '../../../../services/cli/kubernetes/certificates.js';
import type { RunRequests } from '../../../../services/coordinator/control-requests.js';
import { ControlServer } from '../../../../services/coordinator/control-server.js';
import type { TlsFiles } from '../../../../services/runtime/links/control-channel.js';

describe('a control channel with TLS to an address', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-channel-'));
  const servers: ControlServer[] = [];
  const warnings: string[] = [];
  const onWarning = (warning: Error): void => {
    // Others are of tests that share the process.
    if (warning.name === 'DeprecationWarning') warnings.push(warning.message);
  };

  before(() => {
    process.on('warning', onWarning);
  });
  after(() => {
    process.off('warning', onWarning);
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true });
  });

  const filesOf = (name: string): TlsFiles => {
    const { authority, certificate, key } = issueCredentials('run', [name]);
    const write = (part: string, text: string): string => {
      const file = join(folder, `${name}.${part}`);
      writeFileSync(file, text);
      return file;
    };
    return { ca: write('ca', authority), cert: write('crt', certificate), key: write('key', key) };
  };
  const isServedAs = async (name: string): Promise<boolean> => {
    const tls = filesOf(name);
    const server = new ControlServer({} as RunRequests, null, '00');
    servers.push(server);
    const port = await server.listen('127.0.0.1:0', tls);
    const client = new CoordinatorClient(`127.0.0.1:${port}`, '00', tls);
    try {
      return await client.healthy();
    } finally {
      client.close();
    }
  };

  it('takes a certificate of that address, and sends no address as a server name', async () => {
    assert.equal(await isServedAs('127.0.0.1'), true);
    assert.deepEqual(warnings, []);
  });

  it('refuses a certificate of another address, or of a name', async () => {
    assert.equal(await isServedAs('127.0.0.2'), false);
    assert.equal(await isServedAs('selvage'), false);
  });
});
