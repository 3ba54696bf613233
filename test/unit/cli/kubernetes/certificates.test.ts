import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { connect, createServer } from 'node:tls';
import type { Credentials } from '../../../../services/cli/kubernetes/certificates.js';
import { issueCredentials } from '../../../../services/cli/kubernetes/certificates.js';

describe('certificates of a run', () => {
  const names = ['coordinator', 'nats-0.nats', '127.0.0.1'];
  const own = issueCredentials('demo', names);
  const other = issueCredentials('demo', names);

  it('are those of an authority and of one that it signed', () => {
    const [authority, leaf] = [own.authority, own.certificate].map(
      (text) => new X509Certificate(text),
    );
    assert.ok(authority!.ca && !leaf!.ca);
    assert.ok(authority!.verify(authority!.publicKey));
    assert.ok(leaf!.checkIssued(authority!) && leaf!.verify(authority!.publicKey));
    assert.ok(!leaf!.verify(new X509Certificate(other.authority).publicKey));
    assert.equal(leaf!.checkHost('coordinator'), 'coordinator');
    assert.equal(leaf!.checkHost('nats-0.nats'), 'nats-0.nats');
    assert.equal(leaf!.checkHost('elsewhere'), undefined);
    assert.equal(leaf!.checkIP('127.0.0.1'), '127.0.0.1');
    assert.ok(Date.parse(leaf!.validFrom) < Date.now() && Date.parse(leaf!.validTo) > Date.now());
    assert.notEqual(leaf!.serialNumber, new X509Certificate(other.certificate).serialNumber);
  });

  const tls = ({ authority, certificate, key }: Credentials) => ({
    ca: authority,
    cert: certificate,
    key,
  });
  const greeted = async (client: Credentials): Promise<string> => {
    const options = { ...tls(own), requestCert: true, rejectUnauthorized: true };
    const server = createServer(options, (socket) => socket.end('welcome'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const socket = connect({ ...tls(client), ca: own.authority, host: '127.0.0.1', port });
    let text = '';
    socket.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    socket.on('error', () => socket.destroy());
    await once(socket, 'close');
    server.close();
    return text;
  };

  it('let processes of one run connect, and none of another', async () => {
    assert.equal(await greeted(own), 'welcome');
    assert.equal(await greeted(other), '');
  });
});
