import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { LiveServer } from '../../../services/live/live-server.js';
import type { LiveAddress } from '../../../services/live/live-server.js';
import type { LiveRun } from '../../../services/live/live-run.js';
import type { LiveNews } from '../../../services/report/page/live-data.js';

const TOKEN = 'correct horse battery';
const NEWS: LiveNews = {
  status: { state: 'running', virtualPs: 5, endPs: 10, share: 0.5, frameHops: 7, detail: '' },
  ...{ spans: [], isAnew: true, faults: [] },
};

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

class Recorder implements LiveRun {
  readonly heard: unknown[] = [];
  order(order: unknown): Promise<{ done: boolean; detail: string }> {
    this.heard.push(order);
    return Promise.resolve({ done: true, detail: '' });
  }
  request(request: unknown): Promise<{ done: boolean; detail: string }> {
    this.heard.push(request);
    return Promise.resolve({ done: false, detail: 'no such port' });
  }
  trees(): Promise<null> {
    return Promise.resolve(null);
  }
  watched(isWatched: boolean): void {
    this.heard.push(isWatched);
  }
}

const servers: LiveServer[] = [];
after(() => {
  for (const server of servers) server.close();
});

async function serve(more: Partial<LiveAddress> = {}): Promise<{ url: URL; run: Recorder }> {
  const run = new Recorder();
  const address = { host: '127.0.0.1', port: 0, token: null, ...more };
  const server = new LiveServer(address, { runs: [] }, run, () => NEWS);
  servers.push(server);
  return { url: new URL(await server.listen()), run };
}

function ask(
  url: URL,
  path: string,
  headers: Record<string, string> = {},
  body: string | null = null,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = url;
    const method = body === null ? 'GET' : 'POST';
    const call = request({ hostname, port, path, method, headers }, (response) => {
      let text = '';
      response.on('data', (piece: Buffer) => {
        text += piece.toString();
        if (path === '/events') response.destroy();
      });
      response.on('close', () => {
        resolve({ status: response.statusCode!, text, headers: response.headers });
      });
    });
    call.on('error', reject);
    call.end(body ?? undefined);
  });
}

describe('the server of a live page', () => {
  it('serves this machine, and no page of another origin', async () => {
    const { url, run } = await serve();
    assert.equal((await ask(url, '/')).status, 200);
    assert.equal((await ask(url, '/', { host: 'evil.example' })).status, 403);
    const order = JSON.stringify({ action: 'stop' });
    const foreign = await ask(url, '/steer', { origin: 'http://evil.example' }, order);
    assert.equal(foreign.status, 403);
    assert.equal((await ask(url, '/steer', { origin: url.origin }, order)).status, 200);
    assert.deepEqual(run.heard, [{ action: 'stop', stepPs: 0 }]);
  });

  it('asks for a token where it has one, and keeps it out of addresses', async () => {
    const { url, run } = await serve({ token: TOKEN });
    const shut = await ask(url, '/');
    assert.equal(shut.status, 401);
    assert.match(shut.text, /The token of this run/);
    for (const path of ['/events', '/report.json', '/events?token=wrong']) {
      assert.equal((await ask(url, path)).status, 401);
    }
    assert.equal((await ask(url, '/steer', {}, '{"action":"stop"}')).status, 401);
    assert.equal((await ask(url, '/login', {}, 'token=wrong')).status, 401);
    const login = await ask(url, '/login', {}, `token=${encodeURIComponent(TOKEN)}`);
    assert.equal(login.status, 303);
    const cookie = String(login.headers['set-cookie']);
    assert.match(cookie, /HttpOnly; SameSite=Strict/);
    const known = { cookie: cookie.split(';')[0]! };
    assert.equal((await ask(url, '/', known)).status, 200);
    assert.equal((await ask(url, '/', { authorization: `Bearer ${TOKEN}` })).status, 200);
    const moved = await ask(url, `/?token=${encodeURIComponent(TOKEN)}`);
    assert.deepEqual([moved.status, moved.headers['location']], [303, '/']);
    assert.deepEqual(run.heard, []);
  });

  it('sends new viewers the present state, and notifies the run of viewers', async () => {
    const { url, run } = await serve();
    const { text } = await ask(url, '/events');
    assert.deepEqual(JSON.parse(text.replace(/^data: /, '')), NEWS);
    while (run.heard.length < 2) await setImmediate();
    assert.deepEqual(run.heard, [true, false]);
  });

  it('says what it does not understand, and passes on why a fault is refused', async () => {
    const { url, run } = await serve();
    for (const body of [
      '',
      'no json',
      '[]',
      '{"action":"explode"}',
      '{"action":"step","stepPs":-1}',
    ]) {
      const { text } = await ask(url, '/steer', {}, body);
      assert.match(text, /an order is one of pause, resume, step, stop/);
    }
    assert.match((await ask(url, '/faults', {}, '{"kind":"inject"}')).text, /what fault is that/);
    assert.deepEqual(run.heard, []);
    const request = { kind: 'inject', fault: { kind: 'loss' } };
    assert.match((await ask(url, '/faults', {}, JSON.stringify(request))).text, /no such port/);
    assert.deepEqual(run.heard, [request]);
    await assert.rejects(ask(url, '/steer', {}, ' '.repeat(100_000)));
    assert.equal((await ask(url, '/nothing')).status, 404);
  });
});
