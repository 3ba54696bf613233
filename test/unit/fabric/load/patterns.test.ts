import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { build } from '../topology/fabrics.js';
import { expand, load, names, RELIABLE, stream } from './loads.js';

describe('streams', () => {
  it('go one to one in order, all to one, or one to all', () => {
    assert.equal(
      names(expand([stream({ from: ['h1', 'h2'], to: ['h3', 'h4'] })])),
      'h1->h3 h2->h4',
    );
    assert.equal(names(expand([stream({ from: ['h1..h3'], to: ['h4'] })])), 'h1->h4 h2->h4 h3->h4');
    assert.equal(names(expand([stream({ from: ['h1'], to: ['h2..h3'] })])), 'h1->h2 h1->h3');
  });

  it('leave the other end out of globs and ranges', () => {
    assert.equal(names(expand([stream({ from: ['h1..h3'], to: ['h2'] })])), 'h1->h2 h3->h2');
  });

  it('are endless unless they have a volume', () => {
    const [raw] = expand([stream({})]);
    assert.deepEqual([raw!.messages, raw!.messageBytes], [1, Infinity]);
    const [reliable] = expand([stream({ transport: RELIABLE })]);
    assert.deepEqual([reliable!.messages, reliable!.messageBytes], [Infinity, 256_000]);
    const [volume] = expand([stream({ bytes: 5000 })]);
    assert.deepEqual([volume!.messages, volume!.messageBytes], [1, 5000]);
  });

  it('at a rate have gaps that carry so many frame octets in that time', () => {
    const rate = { kind: 'bps', bps: 10e9 } as const;
    const vlan = { inner: 5, outer: null, dei: false };
    assert.deepEqual(expand([stream({ rate })])[0]!.release, {
      kind: 'constant',
      gapPs: 1_200_000,
    });
    assert.deepEqual(expand([stream({ rate, vlan })])[0]!.release, {
      kind: 'constant',
      gapPs: 1_203_200,
    });
    assert.deepEqual(expand([stream({ rate, transport: RELIABLE })])[0]!.release, {
      kind: 'constant',
      gapPs: 1_062 * 800,
    });
  });

  it('at a share of the link take that share of its time', () => {
    const rate = { kind: 'share', share: 0.5 } as const;
    const [flow] = expand([stream({ rate, arrivals: 'poisson' })]);
    assert.deepEqual(flow!.release, { kind: 'poisson', meanGapPs: 2 * 1520 * 80 });
  });

  it('at line rate wait for nothing, or burst with frames back to back', () => {
    assert.deepEqual(expand([stream({})])[0]!.release, { kind: 'backlog' });
    const bursts = { arrivals: 'on-off', onPs: 1e6, offPs: 2e6, randomOnOff: true } as const;
    assert.deepEqual(expand([stream(bursts)])[0]!.release, {
      kind: 'on-off',
      gapPs: 1520 * 80,
      onPs: 1e6,
      offPs: 2e6,
      random: true,
    });
  });

  it('to a group name it', () => {
    const groups = [
      { name: 'red', members: ['h2'] },
      { name: 'blue', members: ['h3'] },
    ];
    const [flow] = expand([stream({ to: ['blue'], group: true })], { groups });
    assert.deepEqual([flow!.name, flow!.group, flow!.destination], ['h1->blue', true, 1]);
    const refused = (part: Parameters<typeof stream>[0], message: RegExp): void => {
      assert.throws(() => expand([stream({ group: true, ...part })], { groups }), message);
    };
    refused({ to: ['bleu'] }, /^Error: load\.0\.to: there is no group bleu; did you mean blue\?/);
    refused({ to: ['red', 'blue'] }, /a stream goes to one group/);
    refused({ to: ['red'], transport: RELIABLE }, /only raw frames can be sent to a group/);
  });

  const refused: [string, Parameters<typeof stream>[0], RegExp][] = [
    [
      'an unknown host',
      { from: ['h9'] },
      /^Error: load\.0\.stream\.from: there is no host h9; did you mean/,
    ],
    ['a switch', { to: ['s1'] }, /^Error: load\.0\.stream\.to: s1 is a switch, not a host$/],
    [
      'a host to itself',
      { to: ['h1'] },
      /^Error: load\.0: h1 would send to itself; name two of its virtual machines: vm and toVm$/,
    ],
    ['the destination among sources', { from: ['h1', 'h2'] }, /load\.0\.from: h2 would send to/],
    ['numbers that do not pair', { from: ['h1..h3'], to: ['h4..h5'] }, /3 sources and 2 dest/],
    [
      'more than the link carries',
      { rate: { kind: 'bps', bps: 101e9 } },
      /^Error: load\.0\.rate\.bps: a rate of 101 Gb\/s is impossible: the link of h1 carries 100/,
    ],
    ['no rate', { rate: { kind: 'bps', bps: 0 } }, /a rate of 0 Gb\/s is impossible/],
    ['a share above 1', { rate: { kind: 'share', share: 1.1 } }, /rate\.share: .* not 1\.1/],
    ['no volume', { bytes: 0 }, /load\.0\.bytes: 0 is no volume/],
    ['an end before the start', { startPs: 5, endPs: 5 }, /load\.0\.endPs: .* ends before/],
    ['no time on', { arrivals: 'on-off' }, /load\.0\.onPs: .* must be positive/],
    [
      'a frame that is too short',
      { transport: { kind: 'raw', frameBytes: 63 } },
      /^Error: load\.0\.transport\.frameBytes: a frame has 64 to 9216 bytes, not 63$/,
    ],
    [
      'a packet that is too long',
      { transport: { ...RELIABLE, mtuBytes: 9155 } },
      /load\.0\.transport\.mtuBytes: the payload of a packet has 1 to 9154 bytes, not 9155/,
    ],
  ];
  for (const [what, part, message] of refused) {
    it(`refuse ${what}`, () => {
      assert.throws(() => expand([stream(part)]), message);
    });
  }

  it('carry priority, a DSCP if they have one, and defaults of the transport', () => {
    const [flow] = expand([stream({ priority: 5, transport: RELIABLE })]);
    // Which one stands for the priority is up to the switch that its source is linked to.
    assert.equal(flow!.dscp, null);
    assert.equal(expand([stream({ dscp: 7 })])[0]!.dscp, 7);
    assert.deepEqual(flow!.transport, {
      ...RELIABLE,
      rateBps: Infinity,
      ackPriority: 5,
    });
    assert.equal(flow!.endPs, Infinity);
  });
});

describe('flow names', () => {
  it('begin with the name of the load and are counted when they come again', () => {
    const flows = expand([
      stream({}),
      stream({ name: 'big' }),
      stream({ from: ['h2'], to: ['h1'] }),
      stream({}),
      stream({}),
    ]);
    assert.equal(names(flows), 'h1->h2 big/h1->h2 h2->h1 h1->h2#2 h1->h2#3');
    assert.deepEqual(
      flows.map((flow) => flow.load),
      [0, 1, 2, 3, 4],
    );
  });

  it('need different names of loads', () => {
    assert.throws(
      () => expand([stream({ name: 'a' }), stream({ name: 'a' })]),
      /^Error: load\.1\.name: there are two loads named a$/,
    );
  });
});

describe('incast', () => {
  it('sends from all to one at once', () => {
    const flows = expand([load({ kind: 'incast', from: ['all'], to: 'h1', bytes: 1000 })]);
    assert.equal(flows.length, 7);
    assert.ok(flows.every((flow) => flow.destination === 0 && flow.messageBytes === 1000));
  });

  it('refuses more than one destination', () => {
    const incast = load({ kind: 'incast', from: ['h1'], to: 'h2..h3', bytes: 1000 });
    assert.throws(() => expand([incast]), /load\.0\.to: an incast has one destination/);
  });
});

describe('permutation', () => {
  const line = { kind: 'line' } as const;
  const permutation = (shift: number | null, hosts = ['all']): ReturnType<typeof load> =>
    load({ kind: 'permutation', hosts, shift, rate: line, bytes: 1000 });

  it('by a shift counts round, backwards if it is negative', () => {
    assert.equal(names(expand([permutation(1, ['h1..h3'])])), 'h1->h2 h2->h3 h3->h1');
    assert.equal(names(expand([permutation(-1, ['h1..h3'])])), 'h1->h3 h2->h1 h3->h2');
    assert.throws(() => expand([permutation(6, ['h1..h3'])]), /load\.0\.shift: with a shift of 6/);
  });

  it('at random gives every host one source and one destination, never itself', () => {
    const orders = new Set<string>();
    for (let seed = 0; seed < 200; seed++) {
      const flows = expand([permutation(null)], { seed });
      const targets = flows.map((flow) => flow.destination);
      assert.ok(flows.every((flow) => flow.source !== flow.destination));
      assert.equal(new Set(targets).size, 8);
      orders.add(targets.join());
    }
    assert.ok(orders.size > 190);
    assert.equal(names(expand([permutation(null)])), names(expand([permutation(null)])));
  });
});

describe('all-to-all', () => {
  const all = load({ kind: 'all-to-all', hosts: ['all'], bytes: 1000 });

  it('has a flow for every ordered pair', () => {
    const flows = expand([all]);
    assert.equal(flows.length, 56);
    assert.equal(new Set(flows.map((flow) => flow.name)).size, 56);
    // At any turn every host is sent to by one other.
    assert.equal(new Set(flows.slice(0, 8).map((flow) => flow.destination)).size, 8);
  });

  it('of too many hosts is refused with the number of flows', () => {
    const topology = build({ kind: 'fat-tree', k: 18 });
    assert.throws(
      () => expand([all], { topology }),
      /^Error: load\.0: the load would come to 2,124,306 flows; at most 2,000,000 are possible$/,
    );
  });

  it('of one host is refused', () => {
    const one = load({ kind: 'all-to-all', hosts: ['h1'], bytes: 1000 });
    assert.throws(() => expand([one]), /load\.0\.hosts: one host; at least two are needed/);
  });
});
