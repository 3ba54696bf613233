/** Real hosts, in network namespaces of their own, talk across an emulated fabric. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';
import { hexOf, pfcFrame } from '../kit/live-frames.js';

const folder = mkdtempSync(join(tmpdir(), 'selvage-live-test-'));
after(() => {
  rmSync(folder, { recursive: true });
});

const PROGRAM = join(ROOT, 'dist/programs/selvage.js');
const HOSTS = `python3 ${join(ROOT, 'test/interop/live-hosts.py')}`;
const PATIENCE_MS = 120_000;

/** Rights in namespaces of its own, which no user needs to have outside; all in it ends with it. */
const IS_ROOT = process.getuid?.() === 0;
const UNSHARE = [
  ...[...(IS_ROOT ? [] : ['-r']), '-nmpf', '--kill-child', '--mount-proc'],
  ...['--propagation', 'private', 'sh', '-c'],
];

function whyNot(...more: string[]): string | false {
  for (const command of ['unshare', 'ip', 'python3', ...more]) {
    if (spawnSync('sh', ['-c', `command -v ${command}`]).status !== 0) {
      return `${command} is not installed`;
    }
  }
  const trial = `mount -t tmpfs none /run && ip netns add a &&
    ip link add v type vxlan id 1 remote 127.0.0.2 dstport 4789`;
  const isAllowed = spawnSync('unshare', [...UNSHARE, trial]).status === 0;
  return isAllowed ? false : 'the kernel does not allow a VXLAN device without rights';
}

/** It gives up its rights, and a user without any has none to give up. */
function whyNotDaemon(): string | false {
  return IS_ROOT ? whyNot('lldpd', 'lldpcli') : 'lldpd needs to be started as root';
}

function fabric(more: string, host = ''): string {
  return `selvage: 1
name: live
fabric: { generator: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 1, link: { rate: 10G } }
live:
  hosts:
    h1: { vxlan: { vni: 101 }, mtu: 9000, checksums: complete${host} }
    h2: { vxlan: { vni: 102 }, mtu: 9000, checksums: complete${host} }
${more}`;
}

interface Met {
  /** What the commands in the namespaces printed. */
  readonly said: string;
  /** What the run said of itself. */
  readonly warned: string;
  readonly summary: {
    readonly status: string;
    readonly digest: string;
    readonly live: {
      readonly hosts: readonly { readonly entered: number; readonly left: number }[];
      readonly time: { readonly inTime: number; readonly late: number } | null;
    };
    readonly priorities: readonly { readonly drops: Readonly<Record<string, number>> }[];
  };
  readonly path: string;
}

/** A live run, which ends when `commands` have: `a` and `b` are commands in the namespaces. */
function meet(name: string, scenario: string, commands: string): Met {
  const file = join(folder, `${name}.yaml`);
  const path = join(folder, name);
  writeFileSync(file, scenario);
  const script = `mount -t tmpfs none /run && ip link set lo up
    ${process.execPath} ${PROGRAM} live ${file} --attach h1=netns:a --attach h2=netns:b \
      --for 600s --no-parquet --quiet --out ${path} 2> ${path}.err &
    run=$!
    until ip -n b -4 addr show dev sv102 2> /dev/null | grep -q inet; do
      kill -0 $run || exit 1
    done
    a() { ip netns exec a "$@"; }
    b() { ip netns exec b "$@"; }
    ${commands}
    kill -INT $run
    wait $run`;
  const { stdout, stderr, status } = spawnSync('unshare', [...UNSHARE, script], {
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  });
  const warned = existsSync(`${path}.err`) ? readFileSync(`${path}.err`, 'utf8') : '';
  assert.equal(status, 0, `${stdout}${stderr}${warned}`);
  const summary = JSON.parse(readFileSync(join(path, 'summary.json'), 'utf8')) as Met['summary'];
  return { said: stdout, warned, summary, path };
}

/** A replay, which says whether its digest is that of the live run. */
function replay(path: string, ...options: string[]): string {
  const out = join(folder, 'replayed');
  const words = [PROGRAM, 'replay', path, '--out', out, ...options];
  const { stdout, stderr, status } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout;
}

const SAME = /the digest is that of the live run/;

describe('two namespaces across a leaf-spine fabric', { skip: whyNot() }, () => {
  it('ping, and talk by TCP, UDP and jumbo frames; a replay is the same run', () => {
    const met = meet(
      'talk',
      fabric(''),
      `b ${HOSTS} serve & served=$!
      a ${HOSTS} talk 10.0.0.2
      kill $served`,
    );
    assert.deepEqual(JSON.parse(met.said), { ping: 5, tcp: 1_000_000, udp: 20, jumbo: 5 });
    assert.match(
      met.warned,
      /h1: the kernel left a checksum to hardware, and it is completed here/,
    );
    const { status, live } = met.summary;
    assert.equal(status, 'live');
    const [one, two] = live.hosts;
    // Acknowledgements of TCP may be few: a busy receiver answers for many segments at once.
    assert.ok(one!.entered > 50 && two!.entered > 10, `${one!.entered}, ${two!.entered}`);
    assert.ok(live.time!.inTime + live.time!.late >= one!.entered + two!.left);
    assert.match(replay(met.path), SAME);
    assert.match(replay(met.path, '--threads', '2'), SAME);
    const changed = replay(
      met.path,
      '--fault',
      'link-down',
      '--where',
      'leaf1:p1',
      '--at',
      '1ms',
      '--for',
      '9ms',
    );
    assert.doesNotMatch(changed, SAME);
  });

  it('keep the tag of a frame, with its priority', () => {
    const tagged = `0200000000020200000000018100606488b7${'ab'.repeat(46)}`;
    const met = meet(
      'tagged',
      fabric(''),
      `a ${HOSTS} send sv101 ${tagged} 0.05 & sends=$!
      b ${HOSTS} hear sv102 88b7
      kill $sends`,
    );
    const [octets, tag] = JSON.parse(met.said) as [string, number];
    assert.equal(octets, tagged.replace('81006064', ''));
    // Priority 3, VLAN 100.
    assert.equal(tag, 0x6064);
  });
});

describe('a namespace as the link partner of an emulated switch', { skip: whyNot() }, () => {
  it('pauses its port by PFC, and the replay pauses it, too', () => {
    const pfc = hexOf(pfcFrame(1 << 3, 0xffff));
    const met = meet(
      'pauses',
      fabric('priorities: { 3: { flowControl: pfc } }', ', mode: wire, priority: 3'),
      `b ${HOSTS} serve & served=$!
      b ${HOSTS} send sv102 ${pfc} 0.02 & sends=$!
      a ${HOSTS} talk 10.0.0.2
      kill $served $sends`,
    );
    assert.equal((JSON.parse(met.said) as { tcp: number }).tcp, 1_000_000);
    assert.match(replay(met.path), SAME);
    const [head, ...rows] = readFileSync(join(met.path, 'ports.csv'), 'utf8')
      .split('\n')
      .map((line) => line.split(','));
    const row = rows.find(([port, , , priority]) => port === 'leaf2:p1' && priority === '3')!;
    assert.ok(Number(row[head!.indexOf('blocked_episodes')]) > 0, row.join());
  });

  it('is sent LLDP of the switch', { skip: whyNotDaemon() }, () => {
    const socket = join(folder, 'lldpd.socket');
    const met = meet(
      'lldp',
      fabric('discovery: true', ', mode: wire'),
      `chmod 755 ${folder}
      a lldpd -d -u ${socket} -I sv101 -S someone > /dev/null 2>&1 & daemon=$!
      until a lldpcli -u ${socket} show neighbors 2> /dev/null | grep -q SysName; do
        kill -0 $daemon || exit 1
      done
      a lldpcli -u ${socket} show neighbors
      kill $daemon`,
    );
    assert.match(met.said, /SysName: +leaf1/);
    assert.match(met.said, /PortID: +ifname p1/);
  });
});

describe('a live run', () => {
  it('ends where it cannot hold time, if it is to be strict', () => {
    const file = join(folder, 'strict.yaml');
    // No engine is so near to the clock.
    writeFileSync(
      file,
      `selvage: 1
fabric: { generator: star, hosts: 2, link: { rate: 1G } }
live:
  timing: strict
  late: 1ps
  hosts: { h1: { stream: { unix: ${join(folder, 'strict.socket')} } } }
`,
    );
    const words = [PROGRAM, 'live', file, '--quiet', '--out', join(folder, 'strict')];
    const { stderr, status } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    assert.equal(status, 1, stderr);
    assert.match(stderr, /the run ended where the engine fell behind/);
    assert.match(readFileSync(join(folder, 'strict', 'status'), 'utf8'), /^live$/m);
  });

  it('says what attaches a host, and why it cannot begin', () => {
    const file = join(folder, 'alone.yaml');
    writeFileSync(file, fabric(''));
    const { stderr, status } = spawnSync(process.execPath, [PROGRAM, 'live', file, '--quiet'], {
      encoding: 'utf8',
    });
    assert.equal(status, 2);
    assert.match(stderr, /# h1\nip netns add h1\nip -n selvage-underlay link add sv101 type vxlan/);
    assert.match(stderr, /alone.yaml:6:\d+: 169.254.77.1:4789 is not an address of this machine/);
  });
});
