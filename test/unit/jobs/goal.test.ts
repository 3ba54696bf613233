import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defectsOf } from '../../../services/jobs/check-job.js';
import {
  encodeBinaryGoal,
  isBinaryGoal,
  parseBinaryGoal,
} from '../../../services/jobs/goal/binary-goal.js';
import { JobSource } from '../../../services/jobs/source.js';
import { errorsOf, goal, PAIR } from './samples.js';

const job = (rank0: string, rank1 = ''): string =>
  `num_ranks 2\nrank 0 {\n${rank0}\n}\nrank 1 {\n${rank1}\n}\n`;

describe('a file of GOAL', () => {
  it('names all of its errors, each with its line', () => {
    const text = job('a: send 1b to 2\nb: clac 3\na: calc 1', 'c requires d\nr: recv 1b from 1');
    assert.deepEqual(
      errorsOf(() => goal(text)),
      [
        'job.goal:3:1: there is no rank 2: 2 ranks are 0 to 1',
        'job.goal:4:1: not a statement of GOAL: b: clac 3; write calc 100, send 64b to 1, recv 64b from 0, or a requires b',
        'job.goal:8:1: no statement of rank 1 before this has the label c',
        'job.goal:9:1: rank 1 would receive from itself',
      ],
    );
  });

  for (const [text, expected] of [
    ['', /an empty file/],
    ['num_ranks 0', /begins with num_ranks and their number/],
    ['num_ranks 2\nrank 0 {\n}', /num_ranks says 2, and the file has 1/],
    ['num_ranks 1\nrank 0 {', /ends within rank 0/],
    ['num_ranks 1\nrank 1 {\n}', /rank 1, where rank 0 is next/],
    ['num_ranks 1\n/* a\nrank 0 {', /ends within a comment/],
    [job('s: send 1b to 1 tag -1'), /a send has a tag/],
    [job('s: send 1b to 1 cpu 1 tag 2'), /it has tag, cpu and nic, in this order/],
    [job('c: calc 1 tag 2'), /it has cpu/],
    [job('s: send 1b to 1 nic 1'), /a rank here has one, nic 0/],
    [job('s: send 1b from 1'), /write send … to/],
    [job('c: calc 99999999999999999'), /too large/],
    [job('c: calc 1\nc requires c'), /would wait for itself/],
    [job('long: calc 1\nb: calc 1\nb requires lon'), /has the label lon; did you mean long\?/],
  ] as const) {
    it(`is refused: ${JSON.stringify(text)}`, () => {
      assert.match(errorsOf(() => goal(text)).join('\n'), expected);
    });
  }

  it('may have comments where a statement begins', () => {
    const text = PAIR.replace('num_ranks 2', '/* over\nlines */ num_ranks 2\n// more');
    assert.deepEqual([...goal(text).kind], [...goal(PAIR).kind]);
  });

  it('that cannot end is named with its cycle, through messages, too', () => {
    const text = job(
      'r: recv 1b from 1\ns: send 1b to 1\ns requires r',
      'r: recv 1b from 0\ns: send 1b to 0\ns requires r',
    );
    const { message, origin } = defectsOf(goal(text))[0]!;
    assert.equal(origin, 3);
    assert.match(
      message,
      /^a cycle, in which each waits for the next: rank 0 r .*, rank 1 s .*, rank 1 r/,
    );
  });

  it('whose messages do not fit is named with what nearly fits', () => {
    const text = job('s1: send 8b to 1 tag 0', 'r1: recv 8b from 0 tag 1');
    const { message } = defectsOf(goal(text))[0]!;
    assert.equal(
      message,
      'rank 1 r1 (receive from 0, tag 1) waits for a message that nobody sends; ' +
        'rank 0 s1 (send to 1, tag 0) (line 3) nearly fits it',
    );
  });

  it('may not send what nobody receives, nor more than its receive takes', () => {
    const messages = (text: string): string =>
      defectsOf(goal(text))
        .map(({ message }) => message)
        .join();
    assert.match(messages(job('s: send 8b to 1')), /is received by nobody/);
    assert.match(
      messages(job('s: send 9b to 1', 'r: recv 8b from 0')),
      /sends 9 octets, and the receive that takes them has 8/,
    );
    assert.equal(messages(job('s: send 7b to 1', 'r: recv 8b from 0')), '');
  });
});

describe('GOAL as octets', () => {
  const octets = encodeBinaryGoal(goal(PAIR));

  it('is the file that txt2bin of LogGOPSim writes', () => {
    const expected =
      '7f10000000000000020000000000260000000000000084000000000000008400000000000000e20000000000' +
      '0000020000000100000000000000000000000300000000881300000000000000000000000001000000000000' +
      '0000000000010000000100000001010000000020000000000000070000000000000000000100000000000000' +
      '0100000001000000020000000100000000000000000000000200000000002000000000000007000000000001' +
      '0000000000000000000000010000000100000003000000006400000000000000000000000000000000000100' +
      '0000000000000100000001000000';
    assert.equal(Buffer.from(octets).toString('hex'), expected);
  });

  it('survives any octet that is wrong, and any end', () => {
    for (let at = 0; at < octets.length; at++) {
      for (const flip of [1, 0x80, 0xff]) {
        const wrong = octets.slice();
        wrong[at]! ^= flip;
        if (!isBinaryGoal(wrong)) continue;
        errorsOf(() => defectsOf(parseBinaryGoal(new JobSource('x'), wrong)));
      }
      if (at >= 8) {
        const cut = errorsOf(() => parseBinaryGoal(new JobSource('x'), octets.subarray(0, at)));
        assert.notEqual(cut.length, 0, `cut at ${at}`);
      }
    }
  });

  it('that a simulator has consumed is refused', () => {
    const consumed = octets.slice();
    new DataView(consumed.buffer).setBigUint64(0, 2342n, true);
    assert.match(
      errorsOf(() => parseBinaryGoal(new JobSource('x'), consumed))[0]!,
      /a simulator has consumed this file/,
    );
  });
});
