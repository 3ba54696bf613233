import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { PortSize } from '../../services/fabric/sizing/placed-size.js';
import { memorySizes } from '../../services/fabric/sizing/memory-sizes.js';
import { SfcPlan } from '../../services/mechanisms/sfc/plan.js';
import type { SfcSwitchSpec } from '../../services/mechanisms/sfc/spec.js';
import { fabricOf, ROOT, run } from '../kit/emulate.js';

const MAIN = join(ROOT, 'dist/programs/selvage.js');
const RING = 'examples/ring-deadlock.yaml';

function selvage(...words: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...words], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return { code: status, out: stdout, err: stderr };
}

function sizeAt(scenario: string, port: string, kind: string): PortSize {
  const found = memorySizes(fabricOf(scenario)).find((one) => one.port === port);
  return found!.sizes.find((size) => size.kind === kind)!;
}

function octetsOf({ terms }: PortSize, ...names: string[]): number {
  return terms.reduce((sum, { term, octets }) => (names.includes(term) ? sum + octets : sum), 0);
}

interface Row {
  readonly link: string;
  readonly frame: number;
  readonly response: string;
  readonly octets: number;
}

describe('selvage size', () => {
  // The delay model of 802.1Q Annex N, with the ceilings of 802.3 and with metrics of hardware.
  const rows: readonly Row[] = [
    {
      link: '100G, length: 100m, interfaceDelay: 1121280ps',
      frame: 1522,
      response: '614400ps',
      octets: 51_380,
    },
    {
      link: '100G, length: 100m, interfaceDelay: 1121280ps',
      frame: 9216,
      response: '614400ps',
      octets: 66_768,
    },
    {
      link: '100G, length: 1km, interfaceDelay: 1121280ps',
      frame: 9216,
      response: '614400ps',
      octets: 179_268,
    },
    {
      link: '100G, length: 100m, interfaceDelay: 300ns',
      frame: 9216,
      response: '200ns',
      octets: 41_056,
    },
    {
      link: '400G, length: 1km, interfaceDelay: 1158400ps',
      frame: 9216,
      response: '614400ps',
      octets: 665_116,
    },
    {
      link: '400G, length: 100m, interfaceDelay: 300ns',
      frame: 9216,
      response: '200ns',
      octets: 108_556,
    },
  ];
  for (const { link, frame, response, octets } of rows) {
    it(`has the headroom of Annex N term by term (${link}, ${frame} octets)`, () => {
      const size = sizeAt(
        `
duration: 1us
fabric: { generator: star, hosts: 2, hostLink: { rate: ${link} } }
priorities: { 3: { flowControl: pfc, responseDelay: ${response} } }
load: [{ name: s, stream: { from: h1, to: h2 }, frame: ${frame}, priority: 3 }]
`,
        's1:p1',
        'headroom',
      );
      assert.equal(octetsOf(size, 'W', 'P', '2C', '2ID', 'HD', 'F'), octets);
      const sum = size.terms.reduce((total, term) => total + term.octets, 0);
      assert.equal(sum, size.neededOctets);
      assert.equal(size.givenOctets, sum);
    });
  }

  it('has the credit buffer term by term', () => {
    const size = sizeAt('examples/long-link-credit.yaml', 's1:p1', 'credit');
    const sum = size.terms.reduce((total, term) => total + term.octets, 0);
    assert.equal(sum, size.neededOctets);
    assert.equal(octetsOf(size, '2C + 2ID'), 1_250_000);
    assert.ok(size.givenOctets! >= size.neededOctets);
  });

  it('has the SFC buffer above the threshold, within which a run stays', () => {
    const text = `
duration: 60us
fabric: { generator: star, hosts: 4, hostLink: { rate: 100G, length: 100m, interfaceDelay: 300ns } }
switches: { pipeline: 500ns, buffer: { size: 8MB } }
priorities: { 3: { sfc: true } }
sfc: { detect: 50KB, target: 10KB, pause: 90us, minInterval: 80us, processing: 300ns }
load: [{ name: s, stream: { from: h2..h4, to: h1 }, rate: line, frame: 1522, priority: 3 }]
`;
    const size = sizeAt(text, 's1:p1', 'sfc');
    assert.equal(size.thresholds['threshold'], 50_000);
    const peak = run(fabricOf(text)).buffers[0]!.peakPoolOctets;
    assert.ok(peak <= 50_000 + size.neededOctets, `${peak} <= 50000 + ${size.neededOctets}`);
    assert.ok(peak > 50_000 + size.neededOctets / 2, `${peak}, ${size.neededOctets}`);
  });

  it('prints them for every link, or for one port, as text and as JSON', () => {
    const text = selvage('size', 'examples/sfc-proxy.yaml');
    assert.equal(text.code, 0);
    assert.match(text.out, /leaf3:p1 from h9:p1: 100 Gb\/s, 50 ns of link/);
    assert.match(text.out, /priority 3: headroom \(802\.1Q Annex N\); 14,678 bytes; given 14,678/);
    assert.match(text.out, /SFC buffer above the threshold/);
    const json = selvage('size', '--json', '--port', 'leaf3:p1', 'examples/sfc-proxy.yaml');
    const [port] = JSON.parse(json.out) as {
      readonly sizes: readonly { readonly kind: string; readonly annexNBytes?: number }[];
    }[];
    assert.deepEqual(
      port!.sizes.map(({ kind }) => kind),
      ['headroom', 'sfc'],
    );
    assert.equal(port!.sizes[0]!.annexNBytes, 6_910);
    const wrong = selvage('size', '--port', 'leaf3:p77', 'examples/sfc-proxy.yaml');
    assert.equal(wrong.code, 2);
    assert.match(wrong.err, /^--port: .*leaf3:p77/);
  });
});

describe('source flow control beside PFC', () => {
  const detectAt = (...set: string[]): number => {
    const fabric = fabricOf(RING, 'priorities.3.sfc=true', ...set);
    const spec = fabric.specs.find(({ name }) => name === 's1')!;
    const { ports } = (spec.kind === 'switch' ? spec.slices['sfc'] : null) as SfcSwitchSpec;
    const { detector } = ports[0]!;
    return detector.kind === 'threshold' ? detector.octets : NaN;
  };

  it('is warned of where PFC acts first, at the key that is wrong', () => {
    const late = ['--set', 'priorities.3.sfc=true', '--set', 'sfc.detect=75KB'];
    const { code, err } = selvage('validate', RING, ...late);
    assert.equal(code, 0);
    assert.match(
      err,
      /^warning: --set sfc\.detect=75KB: .*PFC acts before .*37500 bytes of the threshold \(75000\) and 27918 more .* XOFF is 60000; detect: 64164B or less/,
    );
    const least = selvage('validate', RING, ...late.slice(0, 3), 'sfc.detect=64164B');
    assert.equal(least.err, '');
    assert.notEqual(selvage('validate', RING, ...late.slice(0, 3), 'sfc.detect=64200B').err, '');
  });

  it('is not warned of where PFC does not run', () => {
    const text = `
duration: 1us
fabric: { generator: star, hosts: 4 }
priorities: { 3: { sfc: true } }
sfc: { detect: 5MB }
load: [{ name: s, stream: { from: h2..h4, to: h1 }, rate: line, priority: 3 }]
`;
    assert.deepEqual(fabricOf(text).warnings, []);
  });

  it('has an automatic threshold that leaves room below XOFF', () => {
    assert.ok(detectAt() < 30_000, String(detectAt()));
    assert.ok(detectAt('priorities.3.xoff=500KB') > 60_000);
    assert.deepEqual(fabricOf(RING, 'priorities.3.sfc=true').warnings, []);
  });

  it('opens the ring that deadlocks without it, with automatic settings', () => {
    assert.equal(run(fabricOf(RING)).deadlocks.length, 1);
    const { deadlocks, status } = run(fabricOf('examples/ring-deadlock-sfc.yaml'));
    assert.deepEqual([deadlocks.length, status], [0, 'complete']);
  });

  it('has sizes in its plan only of queues to which more can come than leaves', () => {
    const { mechanisms, linkEnds } = fabricOf(RING, 'priorities.3.sfc=true');
    const { plan } = mechanisms.find(({ slice }) => slice.name === 'sfc')!;
    assert.ok(plan instanceof SfcPlan);
    const ports = linkEnds.flatMap((ends, device) =>
      plan.sizesOf(device).map(({ port }) => ends[port]!.name),
    );
    assert.deepEqual(ports, ['s1:p2', 's2:p3', 's3:p3', 's4:p3', 's5:p3']);
  });
});
