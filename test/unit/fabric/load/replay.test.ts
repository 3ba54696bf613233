import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Flow } from '../../../../services/fabric/load/flow.js';
import type { LoadCommon } from '../../../../services/fabric/scenario/scenario.js';
import { expand, load } from './loads.js';

function replay(lines: readonly string[], part: Partial<LoadCommon> = {}): Flow[] {
  const readFile = (): string => lines.join('\n');
  return expand([load({ kind: 'replay', path: 'trace.csv', ...part })], { readFile });
}

const HEADER = 'time,source,destination,bytes';

describe('replay', () => {
  it('makes a message of every line', () => {
    const flows = replay([
      `${HEADER},priority`,
      '1.5us,h1,h2,64KiB,4',
      '',
      '# later',
      '2e-6, h2, h1, 100, 0',
    ]);
    assert.deepEqual(
      flows.map((flow) => [flow.name, flow.startPs, flow.messageBytes, flow.priority]),
      [
        ['h1->h2', 1_500_000, 65_536, 4],
        ['h2->h1', 2_000_000, 100, 0],
      ],
    );
  });

  it('takes columns in any order and the load’s own priority', () => {
    const [flow] = replay(['Bytes,destination,source,TIME', '10,h3,h4,0']);
    assert.deepEqual([flow!.name, flow!.priority, flow!.messageBytes], ['h4->h3', 3, 10]);
  });

  it('counts times from the start of the load and leaves out what comes after its end', () => {
    const flows = replay([HEADER, '1ns,h1,h2,10', '2ns,h1,h2,10'], { startPs: 500, endPs: 2500 });
    assert.deepEqual(
      flows.map((flow) => flow.startPs),
      [1500],
    );
  });

  const broken: [string[], RegExp][] = [
    [[], /^Error: load\.0\.path: trace\.csv has no messages$/],
    [[HEADER], /trace\.csv has no messages/],
    [['time,src,destination,bytes', '0,h1,h2,1'], /trace\.csv:1: there is no column src/],
    [['time,source,source,bytes', '0,h1,h2,1'], /trace\.csv:1: the column source is there twice/],
    [['time,source,bytes', '0,h1,1'], /trace\.csv:1: the heading of .* destination is missing/],
    [[HEADER, '0,h1,h2,1', '0,h1,h2'], /trace\.csv:3: 3 values under 4 headings/],
    [[HEADER, '1min,h1,h2,1'], /trace\.csv:2: 1min is no time/],
    [[HEADER, '-1,h1,h2,1'], /trace\.csv:2: -1 is no time/],
    [[HEADER, '0,h1,h2,0'], /trace\.csv:2: 0 is no volume/],
    [[HEADER, '0,h1,h2,5x'], /trace\.csv:2: 5x is no volume/],
    [[HEADER, '0,h1,h22,5'], /trace\.csv:2: there is no host h22; did you mean h2\?/],
    [[HEADER, '0,s1,h2,5'], /trace\.csv:2: s1 is a switch, not a host/],
    [[HEADER, '0,h2,h2,5'], /trace\.csv:2: h2 would send to itself/],
    [[`${HEADER},priority`, '0,h1,h2,5,8'], /trace\.csv:2: 8 is no priority/],
  ];
  for (const [lines, message] of broken) {
    it(`refuses ${JSON.stringify(lines.join(' | '))}`, () => {
      assert.throws(() => replay(lines), message);
    });
  }
});
