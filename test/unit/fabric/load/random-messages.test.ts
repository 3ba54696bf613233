import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SizeCurve } from '../../../../services/fabric/load/size-curve.js';
import { NAMED_SIZES } from '../../../../services/fabric/load/size-distributions.js';
import { build } from '../topology/fabrics.js';
import { expand, random } from './loads.js';

const MS = 1e9;

function curveOf(points: readonly (readonly [number, number])[]): SizeCurve {
  return new SizeCurve(points.map(([bytes, probability]) => ({ bytes, probability })));
}

describe('size curve', () => {
  it('is straight between its points', () => {
    const curve = curveOf([
      [0, 0],
      [100, 0.5],
      [1100, 1],
    ]);
    assert.deepEqual(
      [0, 0.25, 0.5, 0.75, 1].map((share) => curve.sizeAt(share)),
      [1, 50, 100, 600, 1100],
    );
    assert.equal(curve.meanBytes(), 0.5 * 50.5 + 0.5 * 600.5);
  });

  it('may begin with a size that has a probability of its own, and have steps', () => {
    const curve = curveOf([
      [64, 0.5],
      [1500, 0.5],
      [1500, 1],
    ]);
    assert.deepEqual([curve.sizeAt(0.3), curve.sizeAt(0.5), curve.sizeAt(0.7)], [64, 64, 1500]);
    assert.equal(curve.meanBytes(), 782);
    assert.equal(curve.meanPieces(1000), 1.5);
  });

  it('knows its mean number of packets exactly', () => {
    const curve = curveOf([
      [0, 0],
      [700, 0.3],
      [5300, 1],
    ]);
    const steps = 200_000;
    let [bytes, packets] = [0, 0];
    for (let i = 0; i < steps; i++) {
      const size = curve.sizeAt((i + 0.5) / steps);
      bytes += size / steps;
      packets += Math.ceil(size / 1000) / steps;
    }
    assert.ok(Math.abs(curve.meanBytes() / bytes - 1) < 1e-4);
    assert.ok(Math.abs(curve.meanPieces(1000) / packets - 1) < 1e-4);
  });

  it('of every published distribution rises from 0 to 100 percent', () => {
    for (const [name, points] of Object.entries(NAMED_SIZES)) {
      assert.deepEqual(points[0], [0, 0], name);
      assert.equal(points[points.length - 1]![1], 100, name);
      for (let i = 1; i < points.length; i++) {
        assert.ok(points[i]![0] > points[i - 1]![0] && points[i]![1] > points[i - 1]![1], name);
      }
    }
  });
});

describe('random messages', () => {
  it('come to the share of the link that is given', () => {
    const flows = expand([random({ sizes: { kind: 'named', name: 'storage' } })], {
      durationPs: 20 * MS,
    });
    // Frames of 1,500 bytes with 46 of overhead, and 20 on the wire.
    const wireBytes = flows.reduce(
      (sum, { messageBytes }) => sum + messageBytes + 66 * Math.ceil(messageBytes / 1454),
      0,
    );
    const share = wireBytes / ((8 * 20 * MS) / 80);
    assert.ok(Math.abs(share - 0.5) < 0.02, `${share}`);
  });

  it('go to every other host, never to the sender, and lie within the load’s time', () => {
    const flows = expand([random({ startPs: MS, endPs: 2 * MS })], { durationPs: 10 * MS });
    assert.ok(flows.length > 1000);
    assert.ok(flows.every((flow) => flow.startPs >= MS && flow.startPs < 2 * MS));
    assert.ok(flows.every((flow) => flow.endPs === Infinity));
    const pairs = new Set(flows.map((flow) => `${flow.source} ${flow.destination}`));
    assert.equal(pairs.size, 56);
    assert.equal(new Set(flows.map((flow) => flow.name)).size, flows.length);
  });

  it('of one host have the same times and sizes when a host is added', () => {
    const first = (hosts: number): string[] =>
      expand([random({ sizes: { kind: 'named', name: 'hadoop' } })], {
        topology: build({ kind: 'star', hosts }),
        durationPs: MS,
      })
        .filter((flow) => flow.source === 0)
        .map((flow) => `${flow.startPs} ${flow.messageBytes}`);
    assert.ok(first(4).length > 10);
    assert.deepEqual(first(4), first(5));
  });

  it('differ between loads and seeds', () => {
    const starts = (name: string, seed: number): number =>
      expand([random({ name })], { durationPs: MS, seed })[0]!.startPs;
    assert.equal(new Set([starts('a', 1), starts('b', 1), starts('a', 2)]).size, 3);
  });

  it('need an end, two hosts, and a number that memory can hold', () => {
    assert.throws(() => expand([random({})]), /load\.0: random messages never stop/);
    assert.throws(() => expand([random({ hosts: ['h1'] })]), /one host; at least two are needed/);
    assert.throws(() => expand([random({ share: 0 })]), /load\.0\.share: .* not 0/);
    assert.throws(
      () => expand([random({})], { durationPs: 1e13 }),
      /the load would come to 47,\d{3},\d{3} flows/,
    );
  });

  const file = (text: string): ReturnType<typeof expand> =>
    expand([random({ sizes: { kind: 'file', path: 'sizes.csv' } })], {
      durationPs: MS,
      readFile: (path) => {
        assert.equal(path, 'sizes.csv');
        return text;
      },
    });

  it('take sizes from a file of one’s own', () => {
    const flows = file('octets,probability\n# two sizes\n1kB,0.5\n\n1000,0.5\n2000,0.5\n2000,1\n');
    assert.deepEqual(
      [...new Set(flows.map((flow) => flow.messageBytes))].sort((a, b) => a - b),
      [1000, 2000],
    );
  });

  const broken: [string, RegExp][] = [
    ['100,0.5\n200\n', /^Error: load\.0\.sizes\.path: sizes\.csv:2: 1 values where/],
    ['100,0.5\n2x,1\n', /sizes\.csv:2: 2x is no number of bytes/],
    ['100,0.5\n200,1.5\n', /sizes\.csv:2: 1\.5 is no probability/],
    ['100,0.5\n200,\n', /sizes\.csv:2: {2}is no probability/],
    ['100,0.5\n50,1\n', /sizes\.csv:2: 50 bytes follow 100/],
    ['100,0.5\n200,0.4\n', /sizes\.csv:2: probability 0\.4 follows 0\.5/],
    ['100,0.5\n#\n200,0.9\n', /sizes\.csv:3: the last probability is 0\.9, not 1/],
    ['octets,p\n', /sizes\.csv has no sizes/],
    ['0,1\n', /every message has 0 bytes/],
  ];
  for (const [text, message] of broken) {
    it(`refuse ${JSON.stringify(text)} as sizes`, () => {
      assert.throws(() => file(text), message);
    });
  }

  it('refuse an unreadable file and an unknown distribution', () => {
    const context = { durationPs: MS };
    assert.throws(
      () => expand([random({ sizes: { kind: 'file', path: 'x.csv' } })], context),
      /^Error: load\.0\.sizes\.path: cannot read x\.csv: no such file$/,
    );
    assert.throws(
      () => expand([random({ sizes: { kind: 'named', name: 'web-serch' } })], context),
      /load\.0\.sizes\.name: there is no distribution web-serch; did you mean web-search\?/,
    );
    assert.throws(
      () => expand([random({ sizes: { kind: 'fixed', bytes: 0 } })], context),
      /load\.0\.sizes\.bytes: 0 is no volume/,
    );
  });
});
