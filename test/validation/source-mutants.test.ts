/**
 * Defects of one line each, written into a copy of the compiled engine: what is pinned has to
 * notice each of them, in a few seconds.
 */

import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { SourceDefect } from '../kit/engine-copy.js';
import { EngineCopy } from '../kit/engine-copy.js';

interface Mutant extends SourceDefect {
  readonly name: string;
  /** Examples whose golden fingerprints differ then, or whose run fails. */
  readonly examples: readonly string[];
}

const MUTANTS: readonly Mutant[] = [
  {
    name: 'a buffer that gives back nine octets too much',
    file: 'services/engine/buffer/shared-buffer.js',
    from: 'function release(port, group, stored) {',
    to: 'function release(port, group, stored) { stored += 9;',
    examples: ['incast-pfc'],
  },
  {
    name: 'another constant in the hash that breaks ties',
    file: 'services/engine/kernel/slots.js',
    from: '0x2c1b3c6d',
    to: '0x2c1b3c6f',
    examples: ['incast-pfc'],
  },
  {
    name: 'a cursor of credit messages that is negative',
    file: 'services/mechanisms/credit/conversation.js',
    from: /this\.cursor\[port\] = row - /,
    to: 'this.cursor[port] = -2 - row + ',
    examples: ['incast-credit'],
  },
  {
    name: 'a default that is changed',
    file: 'services/mechanisms/credit/settings.js',
    from: ".prefault('static')",
    to: ".prefault('demand')",
    examples: ['incast-credit'],
  },
  {
    name: 'a rate limiter that keeps its old time stamp when it is enabled',
    file: 'services/engine/nic-82599/rate-table.js',
    from: /if \(is > was\)/,
    to: 'if (false)',
    examples: ['nic-qcn', 'nic-dcqcn'],
  },
  {
    name: 'a pool that serves its first queue only',
    file: 'services/engine/device/nic-82599/descriptor-queues.js',
    from: 'function turnInPool(d, nic, pool_) {',
    to: 'function turnInPool(d, nic, pool_) { return nic.queueOf(pool_, 0);',
    examples: ['nic-pools'],
  },
  {
    name: 'a pool whose queues do not take turns',
    file: 'services/engine/device/nic-82599/descriptor-queues.js',
    from: /nic\.lastInPool\[pool_\] = queue - first;/,
    to: '',
    examples: ['nic-pools'],
  },
  {
    name: 'a pool whose flows are all in its first queue',
    file: 'services/engine/nic-82599/nic.js',
    from: /\(hash >>> /,
    to: '(0 >>> ',
    examples: ['nic-pools'],
  },
];

describe('a defect in the source', () => {
  const copy = new EngineCopy(['services', 'test/kit', 'test/golden']);
  after(() => {
    copy.remove();
  });

  function isWell(examples: readonly string[], defect: SourceDefect | null): boolean {
    return copy.run('test/golden/main.js', examples, defect).status === 0;
  }

  it('is what fails, and nothing else', () => {
    assert.ok(isWell([...new Set(MUTANTS.flatMap(({ examples }) => examples))], null));
  });

  for (const { name, examples, ...defect } of MUTANTS) {
    it(`is noticed: ${name}`, () => {
      assert.ok(!isWell(examples, defect));
    });
  }
});

/** Defects that no fingerprint is needed for: a run of a user ends in a failure. */
const FATAL: readonly (SourceDefect & { readonly name: string; readonly options: string[] })[] = [
  {
    name: 'a queue whose length keeps 40 octets of each frame that leaves',
    file: 'services/engine/port/queues.js',
    from: /(records\[q \+ 3 \/\* QUEUE_OCTETS \*\/\] - )(words\[frame \+ 6 \/\* STORED \*\/\])/,
    to: '$1($2 - 40)',
    options: [],
  },
  {
    name: 'a port that is an octet faster than its link',
    file: 'services/engine/device/loop.js',
    from: 'const free = now + wireOctets * octetPs + late;',
    to: 'const free = now + (wireOctets - 1) * octetPs + late;',
    options: ['--check'],
  },
  {
    name: 'a port that is an octet faster than a link of no length',
    file: 'services/engine/device/loop.js',
    from: 'const free = now + wireOctets * octetPs + late;',
    to: 'const free = now + (wireOctets - 1) * octetPs + late;',
    options: [
      '--check',
      '--set',
      'fabric.hostLink={ rate: 100G, length: 0m, interfaceDelay: 0ns }',
    ],
  },
];

describe('a defect in the source ends a run', () => {
  const copy = new EngineCopy(['services', 'page']);
  after(() => {
    copy.remove();
  });

  function statusOf(options: readonly string[], defect: SourceDefect | null): number | null {
    const words = ['run', 'examples/incast-dcqcn.yaml', '--quiet', '--out', copy.pathOf('run')];
    return copy.run('services/cli/main.js', [...words, ...options], defect).status;
  }

  for (const { name, options, ...defect } of FATAL) {
    it(`which is ${name}`, () => {
      assert.equal(statusOf(options, null), 0);
      assert.equal(statusOf(options, defect), 3);
    });
  }
});
