import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NicSpec } from '../../../../services/engine/contract/spec.js';
import { fabricOf } from '../../../kit/emulate.js';

const PAIR = 'fabric: { generator: pair, link: { rate: 10G } }\nduration: 1ms\n';
const STREAM = 'load: [{ name: s, stream: { from: h1, to: h2 }, frame: 1518 }]\n';

function scenario(nic: string, more = ''): string {
  return `${PAIR}${STREAM}${more}hosts: { nic: { model: 82599${nic === '' ? '' : `, ${nic}`} } }\n`;
}

function specOf(nic: string, more = ''): NicSpec {
  const [host] = fabricOf(scenario(nic, more)).specs;
  assert.ok(host?.kind === 'host' && host.nic !== null);
  return host.nic;
}

function valueOf(spec: NicSpec, register: string, index = 0): number {
  return spec.registers.find((r) => r.register === register && r.index === index)?.value ?? 0;
}

describe('an 82599 that a scenario asks for', () => {
  it('has the registers of the rule for percentages, the same in all three arbiters', () => {
    const spec = specOf(
      'bandwidth: { groups: { 0: 40%, 1: 40%, 2: 20% }, classes: { 0: { group: 0, share: 50% }, ' +
        '1: { group: 0, share: 50% }, 2: { group: 1, share: 100% }, 3: { group: 2, share: 100% } } }',
    );
    // 20 20 40 20 percent of the link, a multiplier of 1, and 4095 credits for 100 percent.
    const expected = [
      20 | (0 << 9) | (819 << 12),
      20 | (0 << 9) | (819 << 12),
      40 | (1 << 9) | (1638 << 12),
      20 | (2 << 9) | (819 << 12),
    ];
    for (const table of ['RTTDT2C', 'RTTPT2C', 'RTRPT4C']) {
      assert.deepEqual(
        [0, 1, 2, 3].map((tc) => valueOf(spec, table, tc)),
        expected,
      );
    }
  });

  it('has no rows for classes that it lacks, so they add nothing to a bandwidth group', () => {
    const classes =
      'classes: { transmit: [0, 1, 2, 3, 0, 0, 0, 0], receive: [0, 1, 2, 3, 0, 0, 0, 0] }\n';
    const spec = specOf('tcs: 4', classes);
    for (const table of ['RTTDT2C', 'RTTPT2C', 'RTRPT4C']) {
      const words = [0, 1, 2, 3, 4, 5, 6, 7].map((tc) => valueOf(spec, table, tc));
      assert.ok(words.slice(0, 4).every((word) => (word & 0x1ff) === 24));
      assert.deepEqual(words.slice(4), [0, 0, 0, 0]);
    }
  });

  it('warns of shares that credits cannot express', () => {
    const shares = (a: number): string =>
      `bandwidth: { groups: { 0: 100% }, classes: { 0: { group: 0, share: ${a}% }, ` +
      `1: { group: 0, share: ${100 - a}% } } }`;
    const load = (text: string): string =>
      text.replace(STREAM, STREAM.replace(']', ', { stream: { from: h1, to: h2 }, priority: 1 }]'));
    assert.deepEqual(fabricOf(load(scenario(shares(40)))).warnings, []);
    const [warning] = fabricOf(load(scenario(shares(1)))).warnings;
    assert.match(warning!.message, /1% of class 0 become 2\.5%, 99% of class 1 become 97\.5%/);
    const arbiter = `${PAIR}${STREAM}hosts: { nic: { model: 82599 } }\n`;
    const ets = `${arbiter}devices: { h1: { arbiter: { ets: { 0: 1%, 3: 99% } } } }\n`;
    assert.match(fabricOf(ets).warnings[0]!.message, /99% of class 3 become 97\.5%/);
  });

  it('warns of shares without load, at a host that sends', () => {
    const shares =
      'bandwidth: { groups: { 0: 40%, 1: 60% }, classes: { 0: { group: 0, share: 100% }, ' +
      '5: { group: 1, share: 100% } } }';
    const [warning, ...more] = fabricOf(scenario(shares)).warnings;
    assert.match(warning!.message, /^h1: shares without load: 60% of class 5; what they leave/);
    assert.deepEqual(more, []);
    const hosts = `hosts: { nic: { model: 82599, ${shares} } }\n`;
    const loads = ['0', '5'].map((p) => `{ stream: { from: h1, to: h2 }, priority: ${p} }`);
    assert.deepEqual(fabricOf(`${PAIR}${hosts}load: [${loads.join(', ')}]\n`).warnings, []);
    const ets = 'devices: { h1: { arbiter: { ets: { 0: 50%, 3: 50% } } } }\n';
    assert.match(fabricOf(scenario('', ets)).warnings[0]!.message, /load: 50% of class 3;/);
  });

  it('has watermarks from its link on demand', () => {
    const lossless = (length: string, nic: string): string =>
      `duration: 1ms\nfabric: { generator: pair, link: { rate: 10G, length: ${length} } }\n` +
      `priorities: { 3: pfc }\nhosts: { nic: { model: 82599${nic} } }\n` +
      'load: [{ name: s, stream: { from: h1, to: h2 }, priority: 3 }]\n';
    const highOf = (length: string, nic: string): number => {
      const fabric = fabricOf(lossless(length, nic));
      assert.deepEqual(fabric.warnings, []);
      const [host] = fabric.specs;
      assert.ok(host?.kind === 'host');
      return host.nic!.receiveBuffer.accounts[0]![3]!.xoffOctets / 1024;
    };
    assert.equal(highOf('10m', ''), 49);
    assert.ok(highOf('10m', ', watermarks: auto') > 49);
    assert.equal(fabricOf(lossless('3km', '')).warnings.length, 1);
    const long = highOf('3km', ', watermarks: auto');
    assert.ok(long > 10 && long < 49);
    assert.equal(highOf('3km', `, watermarks: { 3: { high: ${long}, low: 1 } }`), long);
    const over = `, watermarks: { 3: { high: ${long + 1}, low: 1 } }`;
    assert.equal(fabricOf(lossless('3km', over)).warnings.length, 1);
    const message = /:5:.*receive buffer 3 has 64 KB.*may arrive after it has paused/s;
    assert.throws(() => fabricOf(lossless('9km', ', watermarks: auto')), message);
  });

  it('takes a register over what percentages say, and a field over the rest of it', () => {
    const spec = specOf('regs: { "RTTPT2C[3].CRQ": 50, "RTTPT2C[1]": "0x007FF232" }');
    assert.equal(valueOf(spec, 'RTTPT2C', 3) & 0x1ff, 50);
    assert.equal((valueOf(spec, 'RTTPT2C', 3) >> 9) & 7, 3);
    assert.equal(valueOf(spec, 'RTTPT2C', 1), 0x007ff232);
  });

  it('has the rate factors that drivers write', () => {
    for (const [rate, register] of [
      ['1G', 0x80028000],
      ['333M', 0x800781ec],
      ['10M', 0x80fa0000],
    ] as const) {
      assert.equal(valueOf(specOf(`rates: [{ rate: ${rate} }]`), 'RTTBCNRC'), register);
    }
  });

  it('stops senders at the marks of the drivers, or at those it is given', () => {
    const pfc = 'priorities: { 3: { flowControl: pfc, responseDelay: 500ns } }\n';
    const account = (nic: string): unknown => {
      const { xoffOctets, xonGapOctets, headroomOctets } = specOf(nic, pfc).receiveBuffer
        .accounts[0]![3]!;
      return [xoffOctets / 1024, xonGapOctets / 1024, headroomOctets / 1024];
    };
    assert.deepEqual(account(''), [49, 39, 15]);
    assert.deepEqual(account('receive: 4x80+4x48'), [65, 55, 15]);
    assert.deepEqual(account('watermarks: { 3: { high: 20, low: 5 } }'), [20, 15, 44]);
  });

  it('has a wider PCIe link and more reads at a faster port', () => {
    const [host] = fabricOf(scenario('').replace('rate: 10G', 'rate: 100G')).specs;
    assert.ok(host?.kind === 'host');
    assert.equal(host.nic?.pcie.octetPs, 25);
    assert.equal(host.nic.pcie.reads, 160);
  });
});

describe('bad input for an 82599', () => {
  const cases: readonly (readonly [nic: string, says: RegExp, more?: string])[] = [
    ['regs: { "RTTPT2C[3].CRQ": 600 }', /CRQ out of range: 600; 1 to 511: 64 bytes to 32 KB/],
    ['regs: { "RTTPT2C[3].CRQ": 0 }', /RTTPT2C\[3\]: CRQ is 0; 1 to 511 \(Table 7-52\)/],
    ['regs: { "RTTDT2C[0].MCL": 5000 }', /MCL out of range: 5000; 1 to 4095/],
    ['regs: { "RTTPT2C[7].LSP": 1 }', /RTTPT2C\[7\]: LSP with a refill of 24; it must be 0/],
    ['regs: { "RTTDT1C[9].CRQ": 20 }', /CRQ out of range: 20; 24 to 16384: 1\.5 KB to 1,024 KB/],
    [
      'largestFrame: 9KB, regs: { "RTTDT1C[9].CRQ": 30 }',
      /RTTDT1C\[9\]\.CRQ of VM 1 is 30: less than a largest frame of 9000 bytes, 141 credits/,
    ],
    [
      'bandwidth: { groups: { 0: 100% }, classes: { 0: { group: 0, share: 30% }, 1: { group: 0, share: 30% } } }',
      /classes 0, 1 have 60% of group 0 together, not 100%/,
    ],
    [
      'bandwidth: { groups: { 0: 100% }, classes: { 0: { group: 0, share: 80% }, 1: { group: 0, share: 80% } } }',
      /classes 0, 1 have 160% of group 0 together/,
    ],
    [
      'bandwidth: { groups: { 0: 25%, 1: 25% }, classes: { 0: { group: 0, share: 100% } } }',
      /the groups have 50% of the link together, not 100%/,
    ],
    [
      'bandwidth: { groups: { 0: 100% }, classes: { 0: { group: 1, share: 100% } } }',
      /group 1 has no share of the link/,
    ],
    [
      'bandwidth: { groups: { 0: 100% }, classes: { 0: { group: 0, share: 5%, strict: link } } }',
      /strict: link is unlimited and has no share/,
    ],
    [
      'tcs: 4, bandwidth: { groups: { 0: 100% }, classes: { 4: { group: 0, share: 100% } } }',
      /there is no class 4: tcs is 4, so 0 to 3/,
    ],
    [
      'rates: [{ vm: 1, tc: 3, rate: 1G }, { vm: 1, tc: 3, rate: 2G }]',
      /class 3 of virtual machine 1 has a rate already \(rates\[0\]\)/,
    ],
    ['dcb: false, rates: [{ tc: 3, rate: 1G }]', /without dcb a pool has one rate and no class 3/],
    ['regs: { RTTPCS: "0x160" }', /RTTPCS has no bit 6 in the emulation; it has 5 TPPAC, 8 TPRM/],
    ['regs: { "RTTPT2C[0]": "0x01018018", RTTDCS: 4 }', /RTTPT2C has no bit 24 .*11:9 BWG/],
    ['regs: { RTTDQSEL: 5 }', /registers of queues are written by their number/],
    ['regs: { "PFVMVIR[1].VLANA": 2 }', /VLANA out of range: 2; 0: the tag of the descriptor/],
    ['regs: { DMATXCTL.TE: 0 }', /TE out of range: 0; 1: without it nothing is transmitted/],
    ['regs: { DMATXCTL.VT: "0x9100" }', /VT out of range: 37120; 0x8100/],
    ['vlan: { insertedType: 0x9100 }', /the EtherType 0x8100/],
    ['vlan: { untagged: split }', /split.*carried, table/],
    ['bandwidth: { groups: { 8: 5% }, classes: {} }', /8; allowed: a bandwidth group 0 to 7/],
    ['bandwidth: { groups: { 0: 60%, 1: 50% }, classes: {} }', /110% of the link together/],
    ['bandwidth: { groups: { 0: 12.5% }, classes: {} }', /not a whole percentage: 12\.5%/],
    ['receive: [64, 64, 64]', /the receive buffers have 192 KB together, not 512 KB/],
    ['regs: { "RXPBSIZE[0].SIZE": 65 }', /513 KB together, not 512 KB/],
    ['rates: [{ rate: 5M }]', /rate factor of 5000000 bit\/s would be 2000; 1 to 1000/],
    ['rates: [{ rate: 20G }]', /would be 0\.5; 1 to 1000/],
    ['regs: { "RTTBCNRC[0]": "0x80000001" }', /RF_INT out of range: 0; 1 to 1000/],
    [
      'regs: { "RTTBCNRC[0]": "0x80FA0001" }',
      /queue 0 is 1000\.00006; 1 to 1000 \(7\.7\.2\.1\.1\)/,
    ],
    ['regs: { "RTTPT2X[0].CRQ": 1 }', /unknown register: RTTPT2X\[0\]\.CRQ.*did you mean RTTPT2/],
    ['regs: { "RTTPT2C[0].CRX": 1 }', /unknown field of RTTPT2C: CRX.*did you mean CRQ/],
    ['regs: { "RTTPT2C[8].CRQ": 1 }', /RTTPT2C has an index 0 to 7/],
    ['regs: { "RTTPT2S[0]": 1 }', /RTTPT2S is read only/],
    ['writes: [{ at: 1us, regs: { "RXPBSIZE[0].SIZE": 64 } }]', /set before the part runs/],
    ['writes: [{ at: 1us, regs: { "RTTPT2C[0].CRQ": 0 } }]', /CRQ is 0; 1 to 511/],
    ['regs: { "RTTPT2C[0].BWG": 8 }', /BWG out of range: 8; 0 to 7: there are eight bandwidth gr/],
    [
      'regs: { "RTTPT2C[3]": { CRQ: 40, MCX: 1 } }',
      /unknown field of RTTPT2C: MCX.*did you mean MCL/,
    ],
    ['regs: { "RTTPT2C[3]": { CRQ: yes } }', /not a number: yes; write a whole number up to/],
    [
      'writes: [{ at: 1us, regs: { "RTTPT2C[3].CRQ": 600 } }]',
      /CRQ out of range: 600; 1 to 511: 64/,
    ],
    [
      'writes: [{ at: 1us, regs: { "RTTPT2C[7].LSP": 1 } }]',
      /LSP with a refill of 24; it must be 0/,
    ],
    ['writes: [{ at: 1us, regs: { "RTTDT1C[9].CRQ": 20 } }]', /CRQ out of range: 20; 24 to 16384/],
    [
      'largestFrame: 9KB, writes: [{ at: 1us, regs: { "RTTDT1C[9].CRQ": 30 } }]',
      /RTTDT1C\[9\]\.CRQ of VM 1 is 30: less than a largest frame of 9000 bytes, 141 credits/,
    ],
    [
      'writes: [{ at: 1us, regs: { "RTTBCNRC[0]": "0x80000001" } }]',
      /RF_INT out of range: 0; 1 to/,
    ],
    ['writes: [{ at: 1us, regs: { "RTTBCNRC[0]": "0x80FA0001" } }]', /1000\.00006; 1 to 1000/],
    ['writes: [{ at: 1us, regs: { "RTTPT2C[0].BWG": 9 } }]', /BWG out of range: 9; 0 to 7/],
    [
      'writes: [{ at: 1us, regs: { RTTPX2C: 9 } }]',
      /unknown register: RTTPX2C.*did you mean RTTPT2C/,
    ],
    ['regs: { RTTUP2TC.UP3MAP: 1 }', /RTTUP2TC gives user priority 3 the class 1, software/],
    ['tcs: 4', /traffic class 4 is used, but the part has 4, 0 to 3/],
    ['vms: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]', /17 weights; there are 16/],
    ['drift: { every: 1.5us }', /not whole microseconds up to 32767us/],
    ['watermarks: { 3: { high: 10, low: 20 } }', /low mark 20 KB is above the high mark 10 KB/],
    ['receiveRings: { descriptors: 20 }', /descriptors come in eights \(RDLEN\): 20/],
    ['pools: { 0: { drop: true } }', /not counted; write receiveRings: \{\} beside pools/],
    ['memoryWindow: 2048', /a whole number from 0 to 2047/],
    ['largestFrame: 1000', /frames of 1522 bytes are sent; a largest one has 1000/],
    ['dcb: false', /pfc, which needs dcb/, 'priorities: { 3: { flowControl: pfc } }\n'],
    [
      'dcb: false',
      /priority 3 has credit and priority 0 has none, but both share the only receive buffer/,
      'priorities: { 3: credit }\n',
    ],
    [
      'tcs: 4',
      /user priorities 0 and 3 share traffic class 0 .* one drop policy for a class/,
      'priorities: { 3: { flowControl: pfc } }\nclasses: { transmit: [0, 0, 0, 0, 1, 1, 2, 3], ' +
        'receive: [0, 0, 0, 1, 0, 0, 2, 3] }\n',
    ],
  ];
  for (const [nic, says, more = ''] of cases) {
    it(`is one error with a place and the limit: ${nic}`, () => {
      assert.throws(() => fabricOf(scenario(nic, more)), {
        name: 'ScenarioError',
        message: new RegExp(`scenario\\.yaml:\\d+:\\d+: .*${says.source}`),
      });
    });
  }

  it('is a virtual machine that the part does not have', () => {
    const text = scenario('').replace('frame: 1518', 'frame: 1518, vm: 16');
    assert.throws(() => fabricOf(text), /VM 16; there are 16 virtual machines, 0 to 15/);
  });
});
