import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { freePort } from '../../services/cli/fleet/free-port.js';
import { ROOT } from '../kit/emulate.js';
import type { ReceivedSpan } from '../kit/otlp-receiver.js';
import { checkTrees, EPISODES } from '../kit/span-trees.js';
import { grpcReceiver, httpReceiver } from '../kit/otlp-receiver.js';

describe('metrics for Prometheus', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });
  const command = (metrics: string): string[] => [
    ...[join(ROOT, 'dist/programs/selvage.js'), 'run', join(ROOT, 'examples/incast-pfc.yaml')],
    ...['--quiet', '--out', join(folder, 'run'), '--set', 'load.0.bytes=5GB'],
    ...['--metrics', metrics],
  ];

  for (const placed of [[], ['--threads', '2'], ['--services', '2']]) {
    const skip = placed[0] === '--services' && !isInstalled() ? 'no nats-server' : false;
    it(`are served while the run goes on ${placed.join(' ')}`, { skip }, async () => {
      const port = await freePort();
      const child = spawn(process.execPath, [...command(String(port)), ...placed]);
      try {
        let text = '';
        for (let tries = 0; !/^selvage_sent_frames_total\{.*\} [1-9]/m.test(text); tries++) {
          assert.ok(tries < 600, text);
          await setTimeout(50);
          text = await fetch(`http://127.0.0.1:${port}/metrics`).then(
            (answer) => answer.text(),
            () => '',
          );
        }
        assert.match(
          text,
          /^selvage_blocked_seconds_total\{device="h2",port="h2:p1",priority="3"/m,
        );
        for (const name of ['progress_ratio', 'virtual_time_seconds_total', 'link_frames_total']) {
          assert.match(text, new RegExp(`^selvage_${name}`, 'm'));
        }
      } finally {
        child.kill('SIGINT');
        await new Promise((resolve) => child.once('exit', resolve));
      }
    });
  }

  it('need a port', () => {
    const { status, stderr } = spawnSync(process.execPath, command('http'), { encoding: 'utf8' });
    assert.equal(status, 2);
    assert.match(stderr, /--metrics http: not a port from 1 to 65535/);
  });
});

describe('spans over OTLP', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });

  const run = (url: string, ...args: string[]): Promise<{ status: number; stderr: string }> => {
    const scenario = join(ROOT, 'examples/victim-behind-pfc.yaml');
    const every = 'observe.traces.flows=[]';
    const sampled = [every, 'observe.traces.share=2%', 'observe.traces.slowest=5'];
    const set = ['observe.episodes=true', ...sampled, 'duration=60us'];
    // By itself it would lie in the last hour, elsewhere in each run.
    const clock = args.some((arg) => arg.startsWith('--otlp'))
      ? []
      : ['--otlp-epoch', 'fixed', '--otlp-scale', '1'];
    const words = [
      ...[
        join(ROOT, 'dist/programs/selvage.js'),
        'run',
        scenario,
        '--quiet',
        '--otlp',
        url,
        ...clock,
      ],
      ...['--out', join(folder, 'run'), ...set.flatMap((s) => ['--set', s]), '--set', 'expect=[]'],
    ];
    return new Promise((resolve) => {
      const child = spawn(process.execPath, [...words, ...args]);
      let stderr = '';
      child.stderr.on('data', (piece: Buffer) => (stderr += piece.toString()));
      child.on('exit', (status) => {
        resolve({ status: status!, stderr });
      });
    });
  };

  let overHttp: readonly ReceivedSpan[] = [];

  it('are whole trees over HTTP, of frames and of episodes', async () => {
    const receiver = await httpReceiver();
    const { status, stderr } = await run(receiver.url);
    receiver.close();
    assert.equal(status, 0, stderr);
    assert.match(stderr, /^\d+ spans were sent .*\nmetrics of 20 ports were sent\n$/);
    assert.ok(receiver.metrics.some(({ name }) => name === 'selvage.blocked.seconds'));
    overHttp = receiver.spans;
    checkTrees(overHttp);
    const count = (name: string): number => overHttp.filter((span) => span.name === name).length;
    assert.ok(count('frame') >= 10);
    for (const name of EPISODES) assert.ok(count(name) > 0, name);
    assert.ok(overHttp.some(({ links }) => links.length > 0));
  });

  it('belong to the device where they were, its pipeline with it', () => {
    const byId = new Map(overHttp.map((span) => [span.spanId, span]));
    const parts = overHttp.filter(({ attributes }) => 'selvage.port' in attributes);
    for (const { attributes, service } of parts) {
      assert.match(String(attributes['selvage.port']), new RegExp(`^(${service}:p\\d+)?$`));
    }
    const pipelines = overHttp.filter(({ name }) => name === 'process');
    assert.ok(pipelines.length > 0);
    for (const { service, parentSpanId, start } of pipelines) {
      const hop = byId.get(parentSpanId)!;
      assert.deepEqual([hop.service, hop.start], [service, start]);
      assert.match(service, /^(leaf|spine)/);
    }
    assert.equal(new Set(overHttp.map(({ namespace }) => namespace)).size, 1);
    assert.match(overHttp[0]!.namespace, /^victim-behind-pfc-[0-9a-f]{8}$/);
    for (const { service, serviceName, namespace } of overHttp) {
      assert.equal(serviceName, `${service}@${namespace}`);
    }
    const [producer, consumer] = [4, 5];
    const kindsOf = (name: string): Set<number> =>
      new Set(overHttp.filter((span) => span.name === name).map(({ kind }) => kind));
    assert.deepEqual(kindsOf('frame'), new Set([producer]));
    assert.ok(kindsOf('hop').has(consumer));
  });

  it('end now, and are a thousand times as long, unless it is said otherwise', async () => {
    const receiver = await httpReceiver();
    const before = BigInt(Date.now()) * 1_000_000n;
    const { status, stderr } = await run(receiver.url, '--otlp-epoch', 'now');
    const after = BigInt(Date.now() + 1) * 1_000_000n;
    receiver.close();
    assert.equal(status, 0, stderr);
    checkTrees(receiver.spans);
    const ends = receiver.spans.map(({ end }) => end).sort((a, b) => Number(a - b));
    // 60 us are shown as 60 ms, and end when they are sent.
    assert.ok(ends.at(-1)! <= after && ends.at(-1)! > before - 60_000_000n);
    const first = overHttp[0]!;
    const shown = receiver.spans.find(({ spanId }) => spanId === first.spanId)!;
    assert.equal(shown.timeScale, 1000);
    const exact =
      Number(first.attributes['selvage.end_ps']) - Number(first.attributes['selvage.start_ps']);
    assert.ok(Math.abs(Number(shown.end - shown.start) - exact) <= 1);
  });

  it('are not shown in ways that there are not', async () => {
    const epoch = await run('http://127.0.0.1:9', '--otlp-epoch', 'later');
    assert.equal(epoch.status, 2);
    assert.match(epoch.stderr, /--otlp-epoch later: not fixed \(2000-01-01\) or now/);
    const scale = await run('http://127.0.0.1:9', '--otlp-scale', '0.5');
    assert.equal(scale.status, 2);
    assert.match(scale.stderr, /--otlp-scale 0.5: not a whole number from 1 to 1000000/);
  });

  it('of frames alone are those frames, without links to what was not observed', async () => {
    const receiver = await httpReceiver();
    const { status, stderr } = await run(receiver.url, '--set', 'observe.episodes=false');
    receiver.close();
    assert.equal(status, 0, stderr);
    const isOfFrame = ({ attributes }: ReceivedSpan): boolean => !('selvage.episode' in attributes);
    const alone = overHttp.filter(isOfFrame).map((span) => {
      const { 'selvage.root': _, ...attributes } = span.attributes;
      return { ...span, attributes, links: [] };
    });
    assert.deepEqual(receiver.spans, alone);
    const blocked = alone.filter(({ name }) => name === 'blocked');
    assert.ok(blocked.length > 0);
    for (const { attributes } of blocked) {
      assert.equal(attributes['selvage.mechanism'], 'pfc');
      assert.match(String(attributes['selvage.link_partner']), /^(leaf|spine)\d:p\d$/);
    }
  });

  it('are the same over gRPC, and from another placement', async () => {
    const receiver = await grpcReceiver();
    const { status, stderr } = await run(receiver.url, '--threads', '4');
    receiver.close();
    assert.equal(status, 0, stderr);
    assert.deepEqual(receiver.spans, overHttp);
  });

  it('have faults: a trace of each, and links to and from what they caused', async () => {
    const receiver = await httpReceiver();
    const fault = 'faults=[{ name: jam, kind: storm, where: { device: h1 }, at: 10us, for: 20us }]';
    const { status, stderr } = await run(receiver.url, '--set', fault);
    receiver.close();
    assert.equal(status, 0, stderr);
    const { spans } = receiver;
    const ofFault = spans.filter(({ name }) => name === 'storm');
    const [whole, active] = ofFault as [ReceivedSpan, ReceivedSpan];
    assert.equal(ofFault.length, 2);
    assert.deepEqual([whole.parentSpanId, active.parentSpanId], ['', whole.spanId]);
    assert.deepEqual(
      [active.attributes['selvage.port'], active.attributes['selvage.start_ps']],
      ['h1:p1', 10e6],
    );
    assert.equal(active.end - active.start, 20_000n);
    const caused = spans.filter(
      ({ name, attributes }) => EPISODES.includes(name) && attributes['selvage.fault'] === 'jam',
    );
    assert.ok(caused.length > 0);
    for (const { links } of caused) assert.deepEqual(links, [whole.spanId]);
    assert.equal(whole.attributes['selvage.episodes'], caused.length);
    const ids = new Set(caused.map(({ spanId }) => spanId));
    assert.ok(active.links.length > 0 && active.links.every((id) => ids.has(id)));
  });

  it('are sent without metrics to a viewer that takes none, which is said', async () => {
    const viewer = createServer((request, response) => {
      if (request.url === '/v1/traces') {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      } else response.writeHead(404).end('404 page not found');
      request.resume();
    });
    await new Promise<void>((resolve) => viewer.listen(0, '127.0.0.1', resolve));
    const { port } = viewer.address() as AddressInfo;
    const { status, stderr } = await run(`http://127.0.0.1:${port}`);
    viewer.closeAllConnections();
    viewer.close();
    assert.equal(status, 0);
    assert.match(stderr, /^\d+ spans were sent to http.*\n.*takes no metrics: none were sent\n$/);
  });

  it('that are refused are counted, and change nothing', async () => {
    const { status, stderr } = await run('http://127.0.0.1:9');
    assert.equal(status, 0);
    assert.match(stderr, /^\d+ spans were not accepted by http:\/\/127\.0\.0\.1:9\/v1\/traces: /);
  });

  it('without an answer are not waited for: this is reported, and the run ends as usual', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const { status, stderr } = await run(`http://127.0.0.1:${port}`);
    silent.closeAllConnections();
    silent.close();
    assert.equal(status, 0);
    assert.match(stderr, /^\d+ spans were not accepted by http.*\nmetrics were not accepted: /);
    assert.match(readFileSync(join(folder, 'run', 'status'), 'utf8'), /complete/);
  });

  it('need a collector that can be spoken to', async () => {
    const { status, stderr } = await run('ftp://somewhere');
    assert.equal(status, 2);
    assert.match(stderr, /--otlp ftp:\/\/somewhere: not a collector such as grpc:/);
  });
});

describe('a file for Perfetto', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('that would be too large is refused with its size, and with what makes it smaller', () => {
    const selvage = (...words: string[]): ReturnType<typeof spawnSync> =>
      spawnSync(process.execPath, [join(ROOT, 'dist/programs/selvage.js'), ...words], {
        cwd: folder,
        encoding: 'utf8',
      });
    const example = join(ROOT, 'examples/victim-behind-pfc.yaml');
    selvage('run', example, '--quiet', '--out', 'run', '--set', 'duration=60us');
    const trace = ['trace', 'run', '--perfetto', 'all.pftrace', '--share', '100%'];
    const refused = selvage(...trace, '--most', '100KB');
    assert.equal(refused.status, 2);
    const size = /all\.pftrace would have ([\d.]+) MB, more than 100 KB: follow fewer frames/;
    assert.match(String(refused.stderr), size);
    assert.equal(existsSync(join(folder, 'all.pftrace')), false);
    const written = selvage(...trace);
    assert.equal(written.status, 0);
    assert.match(String(written.stdout), /episodes in [1-9]\d* slices, [1-9]\d* arrows/);
    const megabytes = statSync(join(folder, 'all.pftrace')).size / 1e6;
    const said = Number(size.exec(String(refused.stderr))![1]);
    assert.ok(Math.abs(said - megabytes) < 0.01, `${said} of ${megabytes} MB`);
  });
});
