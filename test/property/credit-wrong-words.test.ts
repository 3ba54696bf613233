import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bufferBacksCredit } from '../../services/mechanisms/credit/invariants.js';
import { RandomStream } from '../../services/engine/kernel/random.js';
import {
  blankCeTag,
  CE_TAG_GRANT,
  CE_TAG_REQUEST,
  encodeLoneCeTag,
} from '../../services/engine/wire/ce-tag.js';
import { blankCeFrame, encodeCe } from '../../services/engine/wire/mac-control/ce-frame.js';
import {
  OPCODE_CE_GRANT,
  OPCODE_CE_REQUEST,
} from '../../services/engine/wire/mac-control/opcodes.js';
import { ALLOWED, CONSUMED, PASSED } from '../../services/mechanisms/credit/records.js';
import {
  creditSpec,
  LossyCreditLink,
  NO_HARM,
  nothingIsLost,
  ROUND_TRIP_PS,
} from '../kit/credit-link.js';
import { fc } from '../kit/properties.js';

const BUFFER = 200;
/** One message that neither end has sent. */
interface Forgery {
  readonly form: 'frame' | 'tag';
  readonly kind: 'grant' | 'request';
  readonly to: 'sender' | 'receiver';
  /** SYN, ACK and RPT. */
  readonly flags: number;
  /** Added to the epoch of the end that it is for. */
  readonly epochs: number;
  readonly near: 'zero' | 'consumed' | 'limit' | 'passed';
  /** Added to what it is near to. */
  readonly units: number;
}

const forgeries: fc.Arbitrary<Forgery> = fc.record({
  form: fc.constantFrom('frame', 'tag'),
  kind: fc.constantFrom('grant', 'request'),
  to: fc.constantFrom('sender', 'receiver'),
  flags: fc.constantFrom(0, 0, 0, 0x80, 0x40, 0x20, 0xe0),
  epochs: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 2, 31, 17),
  near: fc.constantFrom('zero', 'consumed', 'limit', 'passed'),
  units: fc.oneof(
    fc.integer({ min: 0, max: BUFFER }),
    fc.integer({ min: -BUFFER - 4, max: BUFFER + 4 }),
    fc.integer({ min: 0, max: 0xffff }),
  ),
});

interface Case {
  readonly seed: number;
  readonly policy: 'static' | 'demand';
  /** Of the sender, and whether the receiver grants without a demand. */
  readonly demand: {
    readonly request: 'never' | 'blocked' | 'ahead';
    readonly unsolicited: boolean;
  };
  /** Of the receiver: how long frames stay in its buffer. */
  readonly drainPs: number;
  readonly before: number;
  readonly after: number;
  readonly atPs: number;
  readonly forgery: Forgery;
}

const cases: fc.Arbitrary<Case> = fc.record({
  seed: fc.nat(),
  policy: fc.constantFrom('static', 'demand'),
  demand: fc.constantFrom(
    { request: 'never', unsolicited: true },
    { request: 'blocked', unsolicited: true },
    { request: 'ahead', unsolicited: true },
    { request: 'blocked', unsolicited: false },
    { request: 'ahead', unsolicited: false },
  ),
  drainPs: fc.constantFrom(1e5, 4e6, 300e6, 2e9),
  before: fc.constantFrom(0, 20, 400, 4000),
  after: fc.constantFrom(0, 20, 400, 4000),
  atPs: fc.integer({ min: 0, max: 150e6 }),
  forgery: forgeries,
});

function octetsOf(link: LossyCreditLink, f: Forgery): Uint8Array {
  const { sender } = link.sender.credit;
  const { receiver } = link.receiver.credit;
  const epoch = f.to === 'sender' ? sender.epoch(link.row) : receiver.epoch(link.row);
  const base = {
    zero: 0,
    consumed: sender.count(link.row, CONSUMED),
    limit: sender.count(link.row, ALLOWED),
    passed: receiver.count(link.row, PASSED),
  }[f.near];
  const word = (base + f.units) & 0xffff;
  const flags = f.flags | ((epoch + f.epochs) & 0x1f);
  const octets = new Uint8Array(60);
  if (f.form === 'tag') {
    const type = f.kind === 'grant' ? CE_TAG_GRANT : CE_TAG_REQUEST;
    encodeLoneCeTag(octets, 0, 9, {
      ...blankCeTag(),
      type,
      flags,
      tcSelectionVector: 8,
      tcCredit: word,
    });
  } else {
    const frame = { ...blankCeFrame(), flags, tcSelectionVector: 8 };
    frame.opcode = f.kind === 'grant' ? OPCODE_CE_GRANT : OPCODE_CE_REQUEST;
    frame.tcCredits[3] = word;
    encodeCe(octets, 0, frame);
  }
  return octets;
}

function linkOf(c: Omit<Case, 'atPs' | 'forgery'>, keepAlivePs: number): LossyCreditLink {
  const spec = creditSpec(BUFFER, c.policy);
  const { request, unsolicited } = c.demand;
  const granting = { ...spec.granting, unsolicited, isAsked: request !== 'never' };
  const asking = { ...spec.asking, when: request, agePs: Infinity };
  const link = new LossyCreditLink(
    { ...spec, granting, asking, keepAlivePs },
    new RandomStream(c.seed, 'credit'),
  );
  link.drainPs = c.drainPs;
  return link;
}

/** From now on no more is granted than the buffer can back, and nothing is lost. */
function isRepaired(link: LossyCreditLink, untilPs: number): void {
  const { dropped } = link;
  link.run(untilPs, () => {
    assert.ok(bufferBacksCredit(link.view, link.inFlight), 'more credit than buffer');
    assert.equal(link.dropped, dropped, 'a frame was lost after the bound');
  });
}

const REFRESH_PS = 20e6;

describe('A wrong word of credit', () => {
  it('is repaired within two refresh periods and three round trips', () => {
    const property = fc.property(cases, (c) => {
      const link = linkOf(c, REFRESH_PS);
      link.offer(c.before);
      link.run(c.atPs, () => undefined);
      link.forge(c.forgery.to, octetsOf(link, c.forgery));
      link.offer(c.after);
      link.run(c.atPs + 2 * REFRESH_PS + 3 * ROUND_TRIP_PS, () => undefined);
      isRepaired(link, c.atPs + 100e6);
      link.stop();
      isRepaired(link, c.atPs + 300e6);
      link.run(c.atPs + 2500e6, () => undefined);
      assert.ok(nothingIsLost(link.view), 'credit is lost for ever');
    });
    fc.assert(property, { seed: 7, numRuns: 800 });
  });

  it('is repaired however many there are, once they end, from whatever octet', () => {
    const share = fc.integer({ min: 0, max: 40 }).map((percent) => percent / 100);
    const harms = fc.record({
      flip: share,
      lose: share,
      repeat: share,
      corrupt: fc.constant(0),
      delay: share,
      loseData: fc.constantFrom(0, 0.1),
    });
    const property = fc.property(cases, harms, (c, harm) => {
      const link = linkOf(c, REFRESH_PS);
      link.drainPs = 4e6;
      link.harm = harm;
      for (let at = 0; at < 150e6; at += 30e6) {
        link.offer(c.before);
        link.run(at + 20e6, () => undefined);
        link.forge(c.forgery.to, octetsOf(link, c.forgery));
        link.run(at + 30e6, () => undefined);
      }
      link.harm = NO_HARM;
      link.offer(c.after);
      // What was delayed is behind, and after it the bound of a single word.
      link.run(150e6 + 60e6 + 2 * REFRESH_PS + 3 * ROUND_TRIP_PS, () => undefined);
      isRepaired(link, 400e6);
      link.stop();
      link.run(700e6, () => undefined);
      assert.ok(nothingIsLost(link.view), 'credit is lost for ever');
    });
    fc.assert(property, { seed: 11, numRuns: 500 });
  });
});
