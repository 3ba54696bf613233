import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BORN, HOP_TIMES, QUEUED } from '../../../services/engine/analysis/trace/hop-log.js';
import type { DeviceWaits } from '../../../services/engine/analysis/waits/wait-records.js';
import { Observers, observersOf } from '../../../services/runtime/observers.js';
import { disagreeingRecords } from '../../../services/runtime/checks/record-check.js';
import { wholeEngine } from '../../../services/runtime/whole-engine.js';
import { Windows } from '../../../services/runtime/embedded/windows.js';
import { fabricOf } from '../../kit/emulate.js';

/** An incast that pauses and marks, half way, with all that it recorded. */
function recorded(): {
  readonly breach: (change: (seen: Seen) => Partial<Seen>) => string | null;
} {
  const fabric = fabricOf(
    'examples/watched-incast.yaml',
    'observe.traces.share=100%',
    'priorities.3.ecn={min: 5KB, max: 20KB}',
  );
  const engine = wholeEngine(fabric);
  const observers = new Observers(engine, observersOf(fabric));
  const windows = new Windows(engine, fabric.cluster);
  for (let at = windows.nextTime(); at < UNTIL_PS; at = windows.nextTime()) {
    windows.run(at + fabric.lookaheadPs);
  }
  const nowPs = windows.latestPs;
  const seen = observers.observed(nowPs);
  return {
    breach: (change) =>
      disagreeingRecords(engine, { ...seen, ...change(seen) }, nowPs)?.reason ?? null,
  };
}

type Seen = ReturnType<Observers['observed']>;

const UNTIL_PS = 60e6;

/** The records of each device, changed. */
function waits(
  { waits: all }: Seen,
  change: (own: DeviceWaits) => Partial<DeviceWaits>,
): Partial<Seen> {
  return { waits: all!.map((own) => ({ ...own, ...change(own) })) };
}

describe('records', () => {
  const { breach } = recorded();

  it('agree with what devices counted', () => {
    assert.equal(
      breach(() => ({})),
      null,
    );
  });

  it('of a hold that is left out are missed', () => {
    const reason = breach((seen) =>
      waits(seen, ({ holds }) => ({ holds: holds.slice(1), jams: [] })),
    );
    assert.match(reason!, /blocked times are recorded|blocked while it is/);
  });

  it('of a hold that was none are found', () => {
    const reason = breach((seen) =>
      waits(seen, ({ holds }) => ({ holds: holds.map((hold) => ({ ...hold, startPs: 0 })) })),
    );
    assert.match(reason!, /recorded blocked times are measured/);
  });

  it('of a hold that does not end are found', () => {
    const reason = breach((seen) =>
      waits(seen, ({ holds }) => ({ holds: holds.map((hold) => ({ ...hold, endPs: Infinity })) })),
    );
    assert.match(reason!, /measured|blocked while it is/);
  });

  it('of a pause that ends before it begins are found', () => {
    const reason = breach((seen) =>
      waits(seen, ({ stops }) => ({
        stops: stops.map(({ startPs, ...rest }) => ({ ...rest, startPs, endPs: startPs - 1 })),
      })),
    );
    assert.match(reason!, /begins before it ends/);
  });

  it('of a jam without a pause are found', () => {
    const jam = { port: 0, group: 3, egress: 1, priority: 3, startPs: 1, endPs: 2, isAny: false };
    const reason = breach((seen) => waits(seen, () => ({ jams: [jam], stops: [] })));
    assert.match(reason!, /only who pauses is jammed/);
    const stop = {
      ...{ port: 0, group: 3, channel: -1, mechanism: 'pfc', startPs: 0, endPs: 5 },
      ...{ frameTimePs: 0, cause: null },
    };
    const unblocked = breach((seen) =>
      waits(seen, () => ({ jams: [jam], stops: [stop], holds: [] })),
    );
    assert.match(unblocked!, /an egress that is blocked/);
  });

  it('of a mark that is no event are missed', () => {
    assert.match(
      breach((seen) => ({ events: seen.events!.map(() => NO_EVENTS) as never }))!,
      /each mark/,
    );
  });

  it('of a frame that leaves before it comes are found', () => {
    const reason = breach(({ hops }) => {
      const times = hops!.hops.times.slice();
      times[5 * HOP_TIMES + BORN] = times[5 * HOP_TIMES + QUEUED]! + 1;
      return { hops: { ...hops!, hops: { ...hops!.hops, times } } };
    });
    assert.match(reason!, /passes in time/);
  });
});

const NO_EVENTS = { omitted: 0, rows: () => [] };
