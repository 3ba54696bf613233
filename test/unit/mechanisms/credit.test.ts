import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RetriedFrames } from '../../../services/engine/contract/spec.js';
import type { CreditPortSpec } from '../../../services/mechanisms/credit/spec.js';
import { CE_REFUSALS } from '../../../services/mechanisms/credit/conversation.js';
import { bufferBacksCredit } from '../../../services/mechanisms/credit/invariants.js';
import {
  ALLOWED,
  CONSUMED,
  CONTRADICTIONS,
  PASSED,
  RECOVERED,
  VIOLATIONS,
} from '../../../services/mechanisms/credit/records.js';
import { OVERFLOW, WRONG_TOTALS } from '../../../services/mechanisms/credit/sender.js';
import { costOf, WINDOW_MOST } from '../../../services/mechanisms/credit/machine.js';
import { RandomStream } from '../../../services/engine/kernel/random.js';
import type { CeFrame } from '../../../services/engine/wire/mac-control/ce-frame.js';
import {
  blankCeFrame,
  CE_SYN,
  encodeCe,
} from '../../../services/engine/wire/mac-control/ce-frame.js';
import { OPCODE_CE_GRANT } from '../../../services/engine/wire/mac-control/opcodes.js';
import { creditSpec, LossyCreditLink, NO_HARM, nothingIsLost } from '../../kit/credit-link.js';

const BUFFER = 200;
const IGNORE = (): void => undefined;

function linkOf(spec: Partial<CreditPortSpec> = {}, retry?: RetriedFrames): LossyCreditLink {
  const random = new RandomStream(1, 'link');
  return new LossyCreditLink({ ...creditSpec(BUFFER), ...spec }, random, 0, retry);
}

/** Terms with a peer that says nothing of its buffer. */
const NOTHING_ASKED = {
  mode: 'cumulative',
  askedUnitOctets: 64,
  askedWide: false,
  askedDivided: false,
  askedBufferUnits: [],
  tags: false,
} as const;

function available(link: LossyCreditLink): number {
  return link.sender.credit.sender.available(link.row);
}

describe('Credit exchange', () => {
  it('opens an account by agreement, and then holds all that the buffer can back', () => {
    const link = linkOf();
    assert.equal(available(link), 0);
    link.run(10e6, IGNORE);
    assert.equal(available(link), BUFFER);
    assert.ok(nothingIsLost(link.view));
  });

  it('charges whole units', () => {
    assert.deepEqual(
      [64, 65, 128, 9216].map((octets) => costOf(octets, 64)),
      [1, 2, 2, 144],
    );
  });

  it('where grants are answers, grants what is requested, and no more than is free', () => {
    for (const counts of ['cumulative', 'incremental'] as const) {
      const spec = creditSpec(BUFFER);
      const granting = { ...spec.granting, unsolicited: false };
      const link = linkOf({ counts, granting });
      link.waitingUnits = BUFFER;
      link.run(1e6, IGNORE);
      link.waitingUnits = 0;
      link.run(10e6, IGNORE);
      // An epoch begins with a request, too.
      assert.equal(available(link), BUFFER);
      const { sender } = link.sender.credit;
      const { receiver } = link.receiver.credit;
      sender.spend(link.row, BUFFER);
      receiver.take(link.row, BUFFER, BUFFER * 64);
      receiver.free(link.row, BUFFER - 50);
      const used = counts === 'cumulative' ? BUFFER : 0;
      const request = (amount: number): void => {
        receiver.onDemand(link.row, receiver.epoch(link.row), used, amount);
        link.run(link.clock.now + 10e6, IGNORE);
      };
      request(20);
      assert.equal(available(link), 20, counts);
      request(counts === 'cumulative' ? 30 : 10);
      assert.equal(available(link), 30, counts);
      request(BUFFER);
      assert.equal(available(link), BUFFER - 50, counts);
      receiver.free(link.row, 50);
      request(0);
      assert.equal(available(link), BUFFER, counts);
    }
  });

  it('requests credit for what waits, and for what it predicts, up to the buffer', () => {
    const spec = creditSpec(BUFFER);
    const asking = { ...spec.asking, aheadUnits: [0, 0, 0, 30, 0, 0, 0, 0] };
    const link = linkOf({ asking });
    link.run(10e6, IGNORE);
    const amount = (): number => link.sender.credit.sender.amount(link.row);
    assert.equal(amount(), 30);
    link.waitingUnits = 50;
    assert.equal(amount(), 80);
    link.waitingUnits = 1000;
    assert.equal(amount(), BUFFER);
  });

  it('grants no faster than its shaper, whatever is requested', () => {
    const spec = creditSpec(BUFFER);
    const shaper = { octetPs: 8000, bucketOctets: 4 * 1024, chunkOctets: 1024 };
    const link = linkOf({ granting: { ...spec.granting, shaper } });
    link.offer(4000);
    link.run(2e9, () => {
      const { receiver } = link.receiver.credit;
      const granted = receiver.received(link.row) + receiver.outstanding(link.row);
      const most = shaper.bucketOctets + link.clock.now / shaper.octetPs;
      assert.ok((granted - link.stored) * 64 <= most, `${granted} units at ${link.clock.now}`);
    });
    assert.ok(link.sent * 64 > 0.95 * (2e9 / shaper.octetPs), `${link.sent}`);
  });

  it('lets frames follow each other exactly as far as there is credit for each', () => {
    const random = new RandomStream(1, 'lengths');
    for (let i = 0; i < 100; i++) {
      const link = linkOf();
      link.run(10e6, IGNORE);
      const { sender } = link.sender.credit;
      let used = 0;
      for (;;) {
        const octets = 64 + random.below(1455);
        const units = costOf(octets, 64);
        assert.equal(sender.mayStart(link.row, octets), used + units <= BUFFER);
        if (used + units > BUFFER) break;
        sender.spend(link.row, units);
        used += units;
      }
    }
  });

  it('sends nothing beyond its credit, and all of it in the end', () => {
    const link = linkOf();
    link.offer(5000);
    link.run(100e6, () => {
      assert.ok(link.stored + link.inFlight <= BUFFER);
    });
    link.run(3e9, IGNORE);
    assert.equal(link.sent, 5000);
    assert.ok(nothingIsLost(link.view));
  });

  it('with incremental counts loses for good what its messages carried; cumulative ones do not', () => {
    for (const counts of ['incremental', 'cumulative'] as const) {
      const link = linkOf({ counts });
      link.run(10e6, IGNORE);
      link.harm = { ...NO_HARM, lose: 0.3 };
      link.offer(3000);
      link.run(2e9, IGNORE);
      link.harm = NO_HARM;
      link.run(4e9, IGNORE);
      const stuck = link.sent < 3000;
      assert.equal(stuck, counts === 'incremental', `${counts}: ${link.sent} sent`);
      if (counts === 'cumulative') assert.equal(available(link), BUFFER);
    }
  });

  it('heals while its counters wrap, without a request', () => {
    const spec = creditSpec(BUFFER);
    const asking = { ...spec.asking, when: 'never' as const };
    const link = linkOf({ asking });
    link.run(10e6, IGNORE);
    link.harm = { lose: 0.1, repeat: 0.1, corrupt: 0.1, flip: 0, delay: 0.1, loseData: 0.01 };
    const units = 3 * 0x10000;
    link.offer(units);
    const look = (): void => {
      assert.ok(bufferBacksCredit(link.view, link.inFlight), 'credit was created');
    };
    link.run(20e9, look);
    assert.equal(link.sent, units);
    link.harm = NO_HARM;
    link.run(24e9, look);
    assert.equal(available(link), BUFFER);
  });

  it('sends nothing for a request that outlives the exchange, and touches no other row', () => {
    const link = linkOf();
    const { credit } = link.sender;
    const terms = NOTHING_ASKED;
    credit.setOperational(0, 0b1000, terms);
    credit.setOperational(0, 0, terms);
    const octets = new Uint8Array(64);
    const sent = credit.conversation.requestsSent(0);
    assert.equal(credit.compose(0, 0, octets), 0);
    assert.deepEqual(octets, new Uint8Array(64));
    assert.equal(credit.conversation.requestsSent(0), sent);
    credit.setOperational(0, 0b1000, terms);
    assert.ok(credit.compose(0, 0, octets) > 0);
  });

  it('judges totals by the buffer, and reads them in the width, that its peer says', () => {
    const link = linkOf();
    const { credit } = link.sender;
    const { accounts } = credit;
    const say = (askedBufferUnits: readonly number[], askedWide: boolean): void => {
      credit.setOperational(0, 0, NOTHING_ASKED);
      credit.setOperational(0, 0b1000, { ...NOTHING_ASKED, askedBufferUnits, askedWide });
    };
    assert.equal(accounts.backed[0], BUFFER);
    say([0, 0, 0, 77, 0, 0, 0, 0], false);
    assert.deepEqual([accounts.backed[0], accounts.isWide(0, false)], [77, false]);
    say([0, 0, 0, 40000, 0, 0, 0, 0], true);
    assert.deepEqual([accounts.backed[0], accounts.isWide(0, false)], [40000, true]);
    // A peer of the first version says neither.
    say([], false);
    assert.deepEqual([accounts.backed[0], accounts.isWide(0, false)], [WINDOW_MOST, false]);
  });

  it('has no account for a priority or a channel that a port does not have', () => {
    const { accounts } = linkOf().sender.credit;
    assert.equal(accounts.row(0, 0, 3), 0);
    assert.throws(() => accounts.row(0, 0, 2), /credit.row-of-port/);
    assert.throws(() => accounts.row(0, -1, 3), /credit.row-of-port/);
  });

  it('does not believe what it has no part in, and counts why', () => {
    const link = linkOf();
    link.run(10e6, IGNORE);
    const before = available(link);
    const say = (change: Partial<CeFrame>): void => {
      const frame = { ...blankCeFrame(), opcode: OPCODE_CE_GRANT, flags: 1, tcSelectionVector: 8 };
      frame.tcCredits.fill(0x4000);
      const octets = new Uint8Array(60);
      encodeCe(octets, 0, { ...frame, ...change });
      assert.ok(link.sender.credit.receiveControl(0, octets, 60));
    };
    say({ tcSelectionVector: 0 });
    say({ tcSelectionVector: 1 });
    say({ channel: 9 });
    // A limit from another epoch, or one that is older than the last.
    say({ flags: 7 });
    say({ tcCredits: new Uint32Array(8).fill(BUFFER - 1) });
    assert.equal(available(link), before);
    const { conversation } = link.sender.credit;
    const counted = CE_REFUSALS.map((_, reason) => conversation.refusalsOf(0, reason));
    assert.deepEqual(counted, [0, 1, 1, 1]);
    say({ flags: CE_SYN });
    assert.equal(available(link), 0);
  });

  it('closes an account for a resynchronisation without promising its memory twice', () => {
    const link = linkOf({});
    link.offer(40);
    link.run(10e6, IGNORE);
    const { receiver } = link.receiver.credit;
    receiver.resynchronise(link.row);
    assert.equal(receiver.isOpen(link.row), false);
    const granted = receiver.outstanding(link.row);
    assert.equal(granted, available(link) + link.inFlight + link.stored);
    const epoch = link.sender.credit.sender.epoch(link.row);
    link.offer(40);
    link.run(15e6, () => {
      if (receiver.isOpen(link.row)) return;
      assert.ok(receiver.outstanding(link.row) >= link.inFlight + link.stored);
    });
    assert.equal(receiver.isOpen(link.row), true);
    assert.notEqual(link.sender.credit.sender.epoch(link.row), epoch);
    link.run(3e9, IGNORE);
    assert.equal(available(link), BUFFER);
    assert.ok(nothingIsLost(link.view));
  });

  it('resynchronises at once when units come that were never granted', () => {
    const link = linkOf();
    link.run(10e6, IGNORE);
    const { receiver } = link.receiver.credit;
    receiver.take(link.row, BUFFER, BUFFER * 64);
    assert.equal(receiver.get(link.row, VIOLATIONS), 0);
    receiver.take(link.row, 2, 128);
    assert.equal(receiver.get(link.row, VIOLATIONS), 2);
    assert.equal(receiver.isOpen(link.row), false);
    receiver.free(link.row, BUFFER + 2);
    link.run(15e6, IGNORE);
    assert.equal(available(link), BUFFER);
    assert.equal(receiver.outstanding(link.row), BUFFER);
    link.run(3e9, IGNORE);
    assert.ok(nothingIsLost(link.view));
  });

  it('resynchronises when more is reported as used than was ever granted', () => {
    const link = linkOf();
    link.run(10e6, IGNORE);
    const { receiver } = link.receiver.credit;
    receiver.onReport(link.row, receiver.epoch(link.row), BUFFER + 1);
    assert.equal(receiver.get(link.row, CONTRADICTIONS), 1);
    assert.equal(receiver.get(link.row, RECOVERED), 0);
    link.run(15e6, IGNORE);
    assert.ok(nothingIsLost(link.view));
  });

  it('lets a total be behind what retry may repeat, but not for longer than that takes', () => {
    const settlePs = 30e6;
    const retry = { priorities: 0xff, settlePs, mostOctets: 1 << 20, givesUp: false };
    const link = linkOf({}, retry);
    link.offer(50);
    link.run(10e6, IGNORE);
    const { receiver } = link.receiver.credit;
    const report = (behind: number): number => {
      const total = receiver.count(link.row, PASSED) - behind;
      receiver.onReport(link.row, receiver.epoch(link.row), total);
      return receiver.get(link.row, CONTRADICTIONS);
    };
    assert.equal(report(20), 0);
    link.clock.now += settlePs;
    assert.equal(report(5), 0);
    link.clock.now += 1;
    assert.equal(report(5), 1);
    assert.equal(receiver.get(link.row, RECOVERED), 0);
  });

  it('uses no total that the buffer cannot back, counts it and begins a new epoch', () => {
    const link = linkOf();
    link.offer(50);
    link.run(10e6, IGNORE);
    const { sender } = link.sender.credit;
    const epoch = sender.epoch(link.row);
    const base = sender.count(link.row, CONSUMED);
    sender.onGrant(link.row, epoch, base + BUFFER);
    assert.equal(sender.get(link.row, WRONG_TOTALS), 0);
    sender.onGrant(link.row, epoch, base + BUFFER + 1);
    assert.equal(sender.get(link.row, WRONG_TOTALS), 1);
    assert.equal(available(link), 0);
    assert.notEqual(sender.epoch(link.row), epoch);
    // Nor does it agree to an epoch on such terms.
    sender.onAccept(link.row, sender.epoch(link.row), BUFFER + 1);
    assert.equal(sender.get(link.row, WRONG_TOTALS), 2);
    link.run(3e9, IGNORE);
    assert.equal(available(link), BUFFER);
  });

  it('lets other accounts of the port go on when a total of one cannot be true', () => {
    const link = linkOf();
    link.run(10e6, IGNORE);
    const calls: string[] = [];
    const { sender, starts } = link.sender.credit;
    starts.withdraw = () => calls.push('withdraw');
    starts.permit = () => calls.push('permit') === 0;
    sender.onGrant(link.row, sender.epoch(link.row), BUFFER + 1);
    assert.deepEqual(calls, ['withdraw', 'permit']);
  });

  it('passes over a total that is late, and begins a new epoch when the next is older, too', () => {
    const link = linkOf();
    link.offer(50);
    link.run(30e6, IGNORE);
    const { sender } = link.sender.credit;
    const epoch = sender.epoch(link.row);
    const limit = sender.count(link.row, ALLOWED);
    sender.onGrant(link.row, epoch, limit - 10);
    sender.onGrant(link.row, epoch, limit);
    sender.onGrant(link.row, epoch, limit - 10);
    assert.equal(sender.epoch(link.row), epoch);
    sender.onGrant(link.row, epoch, limit - 9);
    assert.notEqual(sender.epoch(link.row), epoch);
    assert.equal(sender.get(link.row, WRONG_TOTALS), 1);
  });

  it('begins a new epoch when a total goes back by more than can be in flight', () => {
    const link = linkOf();
    link.offer(1000);
    link.run(300e6, IGNORE);
    const { sender } = link.sender.credit;
    const limit = sender.count(link.row, ALLOWED);
    sender.onGrant(link.row, sender.epoch(link.row), limit - BUFFER - 1);
    assert.equal(sender.get(link.row, WRONG_TOTALS), 1);
  });

  it('with incremental counts takes no more than the buffer can back', () => {
    const link = linkOf({ counts: 'incremental' });
    link.run(10e6, IGNORE);
    const { sender } = link.sender.credit;
    sender.onGrant(link.row, 0, 0x6000);
    assert.equal(available(link), BUFFER);
    assert.equal(sender.get(link.row, OVERFLOW), 0x6000);
  });
});
