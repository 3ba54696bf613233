import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { endBrokers } from '../../../services/cli/fleet/broker-end.js';
import { PodApi } from '../../../services/cli/fleet/pod-api.js';
import { killPod } from '../../../services/cli/fleet/pod-breaker.js';
import { issueCredentials } from '../../../services/cli/kubernetes/certificates.js';

describe('the API server, for a pod', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-account-'));
  const { authority, certificate, key } = issueCredentials('run', ['127.0.0.1']);
  const requests: { readonly line: string; readonly body: string }[] = [];
  /** Of the next requests; then all are granted. */
  const answers: number[] = [];
  const server = createServer({ cert: certificate, key }, (request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      body += piece;
    });
    request.on('end', () => {
      requests.push({ line: `${request.method} ${request.url}`, body });
      response.writeHead(answers.shift() ?? 200).end('{}');
    });
  });

  before(async () => {
    const files = { 'ca.crt': authority, namespace: 'lab', token: 'secret' };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });

  const open = (): PodApi => {
    requests.length = 0;
    const { port } = server.address() as AddressInfo;
    const env = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: `${port}` };
    return new PodApi(env, folder);
  };

  it('receives the options of a deletion, and then the next request', async () => {
    const api = open();
    await killPod('coordinator', api, { SELVAGE_RUN: 'demo' });
    await api.send('POST', 'events', { reason: 'Recovering' });
    await endBrokers({ SELVAGE_BROKERS: 'demo-nats' }, api);
    await endBrokers({}, api);
    const path = '/api/v1/namespaces/lab';
    assert.deepEqual(requests, [
      {
        line:
          `DELETE ${path}/pods?labelSelector=app.kubernetes.io%2Finstance%3Ddemo%2C` +
          'selvage%3Dcoordinator',
        body: '{"gracePeriodSeconds":0}',
      },
      { line: `POST ${path}/events`, body: '{"reason":"Recovering"}' },
      {
        line: 'PATCH /apis/apps/v1/namespaces/lab/statefulsets/demo-nats/scale',
        body: '{"spec":{"replicas":0}}',
      },
    ]);
  });

  it('receives a request again while it is overloaded, and not when it refuses', async () => {
    const api = open();
    answers.push(503, 429);
    await killPod('broker', api);
    assert.equal(requests.length, 3);
    answers.push(403);
    await assert.rejects(api.send('POST', 'events', {}), /POST .*events/);
    assert.equal(requests.length, 4);
  });
});
