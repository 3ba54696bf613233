import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { placeInServices } from '../../services/fabric/placement/parts.js';
import { planPartitions } from '../../services/fabric/placement/partition-plan.js';
import { Session } from '../../services/runtime/session.js';
import { ThreadsRun } from '../../services/runtime/threads/run-threads.js';
import { CF_UPDATE } from '../../services/engine/wire/cf-update.js';
import { LLR_ACK, LLR_INIT, LLR_INIT_ECHO } from '../../services/engine/wire/llr.js';
import { LINKTYPE_ETHERNET, LINKTYPE_USER0 } from '../../services/engine/wire/pcapng/blocks.js';
import type { ReadCapture } from '../../services/engine/wire/pcapng/reader.js';
import { readCapture } from '../../services/engine/wire/pcapng/reader.js';
import type { CapturedPacket } from '../../services/engine/wire/pcapng/writer.js';
import { captureOctets, packetLines } from '../kit/captures.js';
import { fabricOf, ROOT } from '../kit/emulate.js';

const CASES: readonly (readonly [string, ...string[]])[] = [
  ['incast-credit.yaml', 'load.0.bytes=40KB'],
  ['incast-cbfc.yaml', 'load.0.bytes=40KB'],
  ['incast-dcqcn.yaml', 'load.0.bytes=100KB'],
  ['incast-sfc.yaml', 'load.0.bytes=100KB'],
  ['incast-qcn.yaml', 'duration=200us'],
  ['flap.yaml'],
  ['link-retry.yaml', 'load.0.bytes=200KB', 'fabric.link.postFecBer=1.0e-6'],
];
const ALL = 'observe.captures.ports=["*"]';

function whole(session: Session): Session {
  while (session.advance(1000) === 'running');
  return session;
}

describe('a capture', () => {
  for (const [name, ...set] of CASES) {
    it(`is the same from threads, and from a run that was saved half-way: ${name}`, async () => {
      const fabric = fabricOf(`examples/${name}`, ...set, 'expect=[]', ALL);
      const alone = whole(new Session(fabric, { check: false }));
      const octets = captureOctets(fabric, alone.captures());
      const half = new Session(fabric, { check: false });
      half.runTo(alone.results('complete').virtualPs / 2);
      const rest = new Session(fabric, { check: false });
      rest.restore(half.save());
      const continued = captureOctets(fabric, whole(rest).captures());
      assert.ok(octets.equals(continued));
      const plans = planPartitions(fabric, placeInServices(fabric, 3));
      const threads = new ThreadsRun(fabric, plans, { check: false, from: null });
      const { captures } = await threads.run();
      assert.ok(octets.equals(captureOctets(fabric, captures)));
      assert.ok(packetLines(octets).length > 500);
    });
  }

  it('holds every frame that the port counted', () => {
    const fabric = fabricOf('examples/incast-pfc.yaml', 'observe.captures.ports=["s1:p1"]');
    const session = whole(new Session(fabric, { check: false }));
    const lines = packetLines(captureOctets(fabric, session.captures()));
    const port = session.results('complete').ports.find(({ port }) => port === 's1:p1')!;
    const frames = port.priorities.reduce((sum, p) => sum + p.rxFrames + p.txFrames, 0);
    assert.equal(lines.length, frames + port.controlSent + port.controlReceived);
  });

  it('has ordered sets on interfaces of their own, and leaves frames as they are', () => {
    const captured = (...set: string[]): ReadCapture => {
      const fabric = fabricOf('examples/incast-cbfc.yaml', 'load.0.bytes=40KB', ALL, ...set);
      return readCapture(
        captureOctets(fabric, whole(new Session(fabric, { check: false })).captures()),
      );
    };
    const { interfaces, packets } = captured('llr.enabled=true', 'observe.captures.frames=200');
    const half = interfaces.length / 2;
    interfaces.forEach(({ name, linkType }, i) => {
      assert.equal(linkType, i < half ? LINKTYPE_ETHERNET : LINKTYPE_USER0);
      if (i < half) assert.equal(interfaces[i + half]!.name, `${name} ordered sets`);
    });
    const isSet = ({ octets }: CapturedPacket): boolean => octets.length === 8;
    for (const packet of packets) assert.equal(packet.interfaceIndex >= half, isSet(packet));
    const types = new Set(packets.filter(isSet).map(({ octets }) => octets[1]));
    assert.deepEqual([...types].sort(), [LLR_ACK, LLR_INIT, LLR_INIT_ECHO, CF_UPDATE].sort());
    // Ordered sets take no room of frames.
    const alone = captured(
      'llr.enabled=true',
      'observe.captures.frames=200',
      `observe.captures.filters=[${['data', 'ack', 'pfc', 'lldp'].map((type) => `{ type: ${type} }`).join()}]`,
    ).packets;
    const frames = packets.filter((packet) => !isSet(packet) && packet.octets[12] !== 0x88);
    assert.deepEqual(
      alone.map(({ comment }) => comment),
      frames.map(({ comment }) => comment),
    );
    assert.deepEqual(
      captured('llr.enabled=true', 'observe.captures.filters=[{ type: llr }]').packets.filter(
        (packet) => !isSet(packet),
      ),
      [],
    );
  });

  it('has frames that a link sends again, and those that it discards before', () => {
    const fabric = fabricOf(
      'examples/link-retry.yaml',
      'load.0.bytes=400KB',
      'fabric.link.postFecBer=1.0e-6',
      ALL,
    );
    const session = whole(new Session(fabric, { check: false }));
    const { interfaces, packets } = readCapture(captureOctets(fabric, session.captures()));
    const placeOf = ({ interfaceIndex, octets }: CapturedPacket): string =>
      `${interfaces[interfaceIndex]!.name} ${Buffer.from(octets).toString('hex')}`;
    const sent = new Map<string, number>();
    let sentAgain = 0;
    let discarded = 0;
    for (const packet of packets) {
      const { comment } = packet;
      if (/ dropped here: (fcs-error|out-of-sequence)/.test(comment)) discarded++;
      const before = sent.get(placeOf(packet)) ?? 0;
      sent.set(placeOf(packet), before + 1);
      const number = /; sent again by the link, number (\d+)/.exec(comment)?.[1];
      if (number === undefined) continue;
      sentAgain++;
      assert.ok(before > 0, comment);
    }
    assert.ok(sentAgain > 10, String(sentAgain));
    // A frame that starts before retry is established has no number, and is lost.
    const [own] = session.results('complete').priorities;
    const { 'fcs-error': lost, ...others } = own!.drops;
    assert.deepEqual(others, {});
    assert.ok(own!.rejectedFrames > lost!, String(own!.rejectedFrames));
    assert.equal(discarded, own!.rejectedFrames + lost!);
    assert.ok(own!.deliveredFrames <= own!.sentFrames, String(own!.deliveredFrames));
  });

  const FILTERS: readonly (readonly [string, RegExp, number])[] = [
    ['{ type: pfc, priority: 3 }', /^s1:p2 \d+ ps$/, 6],
    ['{ flow: 0 }', /flow 0 burst\/h2->h1/, 1900],
    ['{ flow: "burst/h2->h1", type: ack }', /flow 0 burst\/h2->h1/, 900],
  ];
  for (const [filter, expected, least] of FILTERS) {
    it(`keeps what passes a filter: ${filter}`, () => {
      const filters = `observe.captures.filters=[${filter}]`;
      const ports = 'observe.captures.ports=["s1:p2"]';
      const fabric = fabricOf('examples/incast-pfc.yaml', ports, filters);
      const { captures } = { captures: whole(new Session(fabric, { check: false })).captures() };
      const lines = packetLines(captureOctets(fabric, captures));
      assert.ok(lines.length >= least, String(lines.length));
      for (const line of lines) assert.match(line, expected);
    });
  }

  it('keeps nothing of other priorities', () => {
    const filters = 'observe.captures.filters=[{ priority: 5 }]';
    const fabric = fabricOf('examples/incast-pfc.yaml', ALL, filters);
    const session = whole(new Session(fabric, { check: false }));
    assert.deepEqual(packetLines(captureOctets(fabric, session.captures())), []);
  });

  it('of a link has both of its ends', () => {
    const fabric = fabricOf(
      'examples/victim-behind-pfc.yaml',
      'observe.captures.ports=[leaf1--spine1]',
    );
    const session = new Session(fabric, { check: false });
    session.runTo(20e6);
    const lines = packetLines(captureOctets(fabric, session.captures()));
    const ports = new Set(lines.map((line) => line.slice(0, line.indexOf(':'))));
    assert.deepEqual([...ports].sort(), ['leaf1', 'spine1']);
  });
});

describe('selvage run --capture', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });

  const selvage = (...words: string[]): { status: number | null; stderr: string } => {
    const main = join(ROOT, 'dist/programs/selvage.js');
    const scenario = join(ROOT, 'examples/incast-pfc.yaml');
    const small = ['--set', 'load.0.bytes=60KB', '--set', 'expect=[]', '--quiet'];
    return spawnSync(process.execPath, [main, 'run', scenario, ...small, ...words], {
      encoding: 'utf8',
    });
  };
  const capture = (name: string, ...words: string[]): Buffer => {
    const { status, stderr } = selvage('--out', join(folder, name), ...words);
    assert.equal(status, 0, stderr);
    return readFileSync(join(folder, name, 'capture.pcapng'));
  };

  it('writes what scenarios may ask for as well', () => {
    const filter = ['--capture-filter', 'type=pfc', '--capture-filter', 'flow=1,type=data'];
    const words = ['--capture', 's1:p3', '--capture', 'h*', ...filter];
    const ports =
      'observe.captures={ ports: ["s1:p3", "h*"], filters: [{ type: pfc }, { flow: 1, type: data }] }';
    assert.ok(capture('a', ...words).equals(capture('b', '--set', ports)));
  });

  const skip = isInstalled() ? false : 'no nats-server on the PATH';
  it('writes the same from processes and threads', { skip }, () => {
    const alone = capture('alone', '--capture', 's1');
    assert.ok(capture('threads', '--capture', 's1', '--threads', '2').equals(alone));
    assert.ok(capture('processes', '--capture', 's1', '--services', '3').equals(alone));
    const threaded = ['--services', '2', '--threads', '2'];
    assert.ok(capture('threaded', '--capture', 's1', ...threaded).equals(alone));
  });

  it('says how much it left out', () => {
    const few = ['--set', 'observe.captures.frames=10', '--out', join(folder, 'few')];
    const { stderr } = selvage('--capture', 's1:p1', ...few);
    assert.match(stderr, /^\d+ frames were not captured: a port keeps 10 \(observe/);
  });

  it('says that the disk is full, and leaves nothing behind', () => {
    const out = join(folder, 'full');
    const main = join(ROOT, 'dist/programs/selvage.js');
    const scenario = join(ROOT, 'examples/incast-pfc.yaml');
    const words = ['run', scenario, '--quiet', '--out', out, '--capture', 's1'];
    // No file may become longer than 200 blocks: what a full disk does, from a shell.
    const script = 'ulimit -f 200; exec "$0" "$@"';
    const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath, main, ...words], {
      encoding: 'utf8',
    });
    assert.equal(status, 2);
    assert.match(stderr, /full cannot be written: E(FBIG|NOSPC)/);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('full')),
      [],
    );
  });

  const BAD: readonly (readonly [readonly string[], RegExp])[] = [
    [['--capture', 'leef1'], /observe\.captures\.ports.*there is no port, device or link leef1/],
    [['--capture', 's1:p99'], /there is no port, device or link s1:p99; did you mean s1:p9/],
    [['--capture', 's1', '--capture-filter', 'flow=99'], /there is no flow 99; they are numbered/],
    [['--capture', 's1', '--capture-filter', 'kind=3'], /kind=3: not a filter; write some of/],
    [['--capture', 's1', '--capture-filter', 'type=pcf'], /unknown: pcf; one of data, ack/],
    [['--capture-filter', 'type=pfc'], /observe\.captures\.ports: missing; write a list of ports/],
  ];
  for (const [words, message] of BAD) {
    it(`refuses ${words.join(' ')}`, () => {
      const { status, stderr } = selvage(...words);
      assert.equal(status, 2);
      assert.match(stderr, message);
      assert.equal(stderr.trimEnd().split('\n').length, 1);
    });
  }
});
