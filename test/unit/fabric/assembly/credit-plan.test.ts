import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CreditPlan } from '../../../../services/mechanisms/credit/plan.js';
import { creditOf, type CreditPortSpec } from '../../../../services/mechanisms/credit/spec.js';
import { WORD_WINDOW_MOST } from '../../../../services/mechanisms/credit/machine.js';
import { fabricOf } from '../../../kit/emulate.js';

const RATES = ['10G', '25G', '40G', '50G', '100G', '200G', '400G', '800G', '1.6T'];
const LENGTHS = ['1m', '10m', '100m', '1km', '2km', '10km', '40km', '80km', '100km'];
const PRIORITY = 3;

/** What two hosts at a link of this rate and length are given by default. */
function planOf(
  rate: string,
  length: string,
  credit: string,
): { ends: CreditPortSpec[]; neededUnits: number } {
  const { specs, mechanisms } = fabricOf(`
fabric: { generator: pair, link: { rate: ${rate}, length: ${length} } }
priorities: { ${PRIORITY}: credit }
credit: { ${credit} }
load: [{ stream: { from: h1, to: h2 }, bytes: 1MB, frame: 1518, priority: ${PRIORITY} }]
`);
  const ends = specs.map(({ ports }) => creditOf(ports[0]!)!);
  const plan = mechanisms.map((own) => own.plan).find((own) => own instanceof CreditPlan)!;
  return { ends, neededUnits: plan.margins[0]!.neededUnits };
}

describe('the credit buffer that is planned by default', () => {
  const channels = 'channels: [{ channel: 1 }, { channel: 2, vlans: [2], share: 3 }]';
  for (const rate of RATES) {
    it(`covers the loop at ${rate} from 1 m to 100 km`, () => {
      for (const length of LENGTHS) {
        const where = `${rate} over ${length}`;
        const alone = planOf(rate, length, 'grant: static');
        const lent = planOf(rate, length, 'grant: demand');
        const shared = planOf(rate, length, `grant: static, ${channels}`);
        const borrowed = planOf(rate, length, `grant: demand, ${channels}`);
        for (const { ends } of [alone, lent, shared, borrowed]) {
          const [here, there] = ends;
          const units = here!.granting.bufferUnits[PRIORITY]!;
          assert.equal(here!.granting.isWide, units > WORD_WINDOW_MOST, where);
          assert.equal(there!.asking.isWide, here!.granting.isWide, where);
        }
        const unitsOf = ({ ends }: typeof alone): number => ends[0]!.granting.bufferUnits[3]!;
        assert.ok(unitsOf(alone) > alone.neededUnits, where);
        assert.ok(unitsOf(lent) > lent.neededUnits, where);
        assert.ok(unitsOf(shared) / 4 > shared.neededUnits, where);
        const kept = borrowed.ends[0]!.granting.keepUnits[PRIORITY]!;
        assert.ok(unitsOf(borrowed) - kept > borrowed.neededUnits, where);
      }
    });
  }

  it('covers a round trip at the rate of the link', () => {
    const { neededUnits } = planOf('1.6T', '100km', 'grant: static');
    // 100 km take 500 us one way; a frame of 1,518 octets takes 24 units of 64, and 1,538 octets.
    const frames = (1e-3 * 1.6e12) / 8 / 1538;
    assert.ok(neededUnits >= 24 * frames && neededUnits < 24 * 1.01 * frames, `${neededUnits}`);
  });
});

describe('what idle channels may always have', () => {
  const idle = (rest: string): CreditPortSpec =>
    creditOf(
      fabricOf(`
fabric: { generator: pair }
priorities: { 4: credit }
credit: { grant: demand, channels: [{ channel: 1 }, { channel: 2 }]${rest} }
load: [{ stream: { from: h1, to: h2 }, bytes: 4KB }]
`).specs[0]!.ports[0]!,
    )!;

  it('fits into the buffer, by the longest frame of the priority', () => {
    const { keepUnits, bufferUnits } = idle('').granting;
    assert.ok(2 * keepUnits[4]! <= bufferUnits[4]!);
  });

  it('enlarges the buffer where more is requested, and is refused where that is given', () => {
    const { keepUnits, bufferUnits } = idle(', keep: 1MB').granting;
    assert.ok(2 * keepUnits[4]! <= bufferUnits[4]!);
    assert.throws(() => idle(', keep: 1MB, buffer: 1MB'), /no buffer could back: 15625 units/);
  });

  it('leaves what a shaper asks for enough for every channel', () => {
    const { keepUnits, bufferUnits } = idle(', shaper: 1M').granting;
    assert.ok(2 * keepUnits[4]! <= bufferUnits[4]!);
  });

  it('is a share of a frame at least under the static policy', () => {
    const tiny = (buffer: string): unknown =>
      fabricOf(`
fabric: { generator: pair }
priorities: { 4: credit }
credit: { buffer: ${buffer}, channels: [{ channel: 1 }, { channel: 2, vlans: [2], share: 9 }] }
load: [{ stream: { from: h1, to: h2 }, bytes: 4KB, frame: 1518, priority: 4 }]
`);
    assert.throws(() => tiny('4KB'), /no buffer could back: 62 units .* at least 240 units/);
    tiny('16KB');
  });
});

describe('memory that is given and too small', () => {
  const star = (rest: string): ReturnType<typeof fabricOf> =>
    fabricOf(`
fabric: { generator: star, hosts: 2, hostLink: { rate: 400G, length: 10km } }
priorities: { 3: credit }
load: [{ stream: { from: h1, to: h2 }, bytes: 1MB, frame: 1518, priority: 3 }]
${rest}
`);
  const warnings = (rest: string): readonly string[] =>
    star(rest).warnings.map(({ message }) => message);

  it('is warned of with buffer, loop and rate', () => {
    const [only, ...others] = warnings('credit: { buffer: 1MB }');
    assert.deepEqual(others, []);
    assert.match(
      only!,
      /^h1:p1, h2:p1 and 2 more: priority 3: a sender has 1000000 bytes of the credit/,
    );
    assert.match(
      only!,
      /one loop of its link takes 50\d{5}: at most 19 % of line rate; buffer: auto/,
    );
  });

  it('is warned of by share, and where it is but a part', () => {
    assert.match(warnings('credit: { grantFactor: 50% }')[0]!, /at most 5\d % of line rate/);
    const shares = 'channels: [{ channel: 1 }, { channel: 2, vlans: [2] }]';
    assert.match(warnings(`credit: { buffer: 6MB, ${shares} }`)[0]!, /at most 5\d % of line rate/);
  });

  it('is not warned of where it suffices, or nothing is given', () => {
    for (const credit of ['{}', '{ buffer: 6MB }', '{ grant: demand }', '{ shaper: 40G }']) {
      assert.deepEqual(warnings(`credit: ${credit}`), [], credit);
    }
  });

  it('is refused in a switch, naming the port and its loop; by default it has enough', () => {
    const message =
      /s1 needs \d+ bytes .* credit is at s1:p\d: 5\d{6} bytes for priority 3, whose loop takes 50\d{5}/;
    assert.throws(() => star('switches: { buffer: { size: 4MB } }'), message);
    const longest = `
fabric: { generator: star, hosts: 4, hostLink: { rate: 1.6T, length: 100km } }
priorities: { 3: credit }
load: [{ stream: { from: h1, to: h2 }, bytes: 1MB, priority: 3 }]
`;
    const s1 = fabricOf(longest).specs.at(-1)!;
    assert.ok(s1.kind === 'switch' && s1.buffer.sizeOctets > 4 * 200e6);
  });
});
