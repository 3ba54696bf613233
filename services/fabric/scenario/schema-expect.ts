/** Schema of `observe` and `expect`: what is recorded, and what must hold at the end. */

import { z } from 'zod';
import type { Metric } from '../../mechanisms/metric.js';
import { EXCHANGE } from '../../mechanisms/registry.js';
import type { JsonSchema } from '../../settings/decided-unions.js';
import type { Quantity } from '../../settings/quantities.js';
import { aboveZero, rate, share, size, time } from '../../settings/quantities.js';
import { CAPTURE_TYPES } from '../../engine/analysis/capture/capture-filter.js';
import { METRICS } from './metrics.js';
import {
  choice,
  either,
  flag,
  integer,
  list,
  mapping,
  notBoth,
  quantity,
  ruled,
  text,
  word,
} from '../../settings/parts.js';

const PORT = /^[A-Za-z_*?][A-Za-z0-9_*?-]*(:[p*?][0-9*?]*)?$/;
const port = (): z.ZodString =>
  text('a port', PORT, 'a port such as leaf1:p3, or a pattern such as leaf*:*');

const tracesSchema = mapping({
  share: quantity(share)
    .describe(
      'Share of the frames, chosen by what they carry; if not given, 0.1 %, or all frames of ' +
        '`flows` where that names some.',
    )
    .exactOptional(),
  flows: list(text('a flow', /./, 'the name of a flow'), 'flows such as h1->h2')
    .describe('Only frames of these flows; empty: of all.')
    .prefault([]),
  priorities: list(integer(0, 7), 'priorities')
    .describe('Only frames of these priorities; empty: of all.')
    .prefault([]),
  slowest: integer(0, 1000)
    .describe('And so many of the slowest frames, found by running once more.')
    .prefault(0),
  dropped: flag()
    .describe('And the frames that were dropped, found by running once more.')
    .prefault(false),
});

/** A port, a device (all its ports), or a link (the ports at both of its ends). */
const CAPTURED = /^[A-Za-z_*?][A-Za-z0-9_*?-]*(:[p*?][0-9*?]*)?$/;

const capturesSchema = mapping({
  ports: list(
    text(
      'a port',
      CAPTURED,
      'a port such as leaf1:p3, a device such as h*, or a link leaf1--spine1',
    ),
    'ports such as leaf1:p3, devices such as h*, or links such as leaf1--spine1',
  )
    .min(1, 'no port is named; write ports such as leaf1:p3')
    .describe('Ports, all ports of devices, or both ends of links.'),
  filters: list(
    mapping({
      priority: integer(0, 7)
        .describe('Frames of this priority, and control frames that concern it.')
        .exactOptional(),
      type: choice(CAPTURE_TYPES).describe('Frames of this type.').exactOptional(),
      flow: either(
        [integer(0, Number.MAX_SAFE_INTEGER), text('a flow', /./, 'the name of a flow')],
        'a flow',
        'the number or name of a flow',
      )
        .describe('Frames of this flow, and what answers them.')
        .exactOptional(),
    }),
    'filters such as { priority: 3, type: data }',
  )
    .describe('A frame is captured if one of these lets it pass; empty: all are.')
    .prefault([]),
  snap: quantity(aboveZero(size))
    .describe(
      'Bytes kept of a frame, never less than its headers. Default: the headers; of RoCEv2 the ' +
        'payload, too (zeros), since Wireshark calls such packets malformed when they are cut.',
    )
    .exactOptional(),
  frames: integer(1, 10_000_000)
    .describe('Most frames of each port; later frames are counted, and reported at the end.')
    .prefault(100_000),
});

export const observeSchema = mapping({
  series: either(
    [word('auto'), quantity(aboveZero(time))],
    'a time',
    'auto, or a time such as 10us',
  )
    .describe(
      'Sampling interval of the time series. `auto`: 130 to 256 samples in the whole run, fewer ' +
        'in fabrics of more than 450 ports; `selvage run` uses it unless `--no-observe`. ' +
        'Default: no series.',
    )
    .exactOptional(),
  ports: list(port(), 'ports such as leaf1:*')
    .describe('Ports in the series; empty: all.')
    .prefault([]),
  episodes: flag()
    .describe(
      'Record congestion episodes and their causes; it takes a tenth more time, and far more ' +
        'where ports are paused all the time. Without it, `selvage why` repeats the run.',
    )
    .prefault(false),
  events: either([flag(), word('steps')], 'what to record', 'true, false, or steps')
    .describe(
      'Record each drop, mark, pause and delivery as a row of events.csv; steps: also the six ' +
        `steps of ${EXCHANGE} exchange, with a table per link in exchanges.csv and spans ` +
        '(--otlp).',
    )
    .prefault(false),
  wire: flag()
    .describe(
      'Hash what each port puts on the wire: frames, their times and contents. The summary then ' +
        'has a fingerprint that does not depend on what happens inside devices.',
    )
    .prefault(false),
  queue: port()
    .describe(
      'Port whose queue a duel measures the time to react by: from when it holds 2.4 us of its ' +
        'link until one of its sources is paused or notified. Default: the port ' +
        'towards the receiver of the incast.',
    )
    .exactOptional(),
  storm: quantity(aboveZero(time))
    .describe('A priority of a port that is paused for so long is reported as a storm.')
    .prefault('1ms'),
  traces: tracesSchema
    .describe(
      'Follow frames from end to end; a frame must pass every filter. With `episodes`, what ' +
        'blocked a frame leads to its cause. Default: none.',
    )
    .exactOptional(),
  captures: capturesSchema
    .describe('Write what passes ports into capture.pcapng, for Wireshark. Default: none.')
    .exactOptional(),
});

const UNITS: Readonly<Record<Metric<never>['unit'], Quantity | 'number' | 'digest'>> = {
  count: 'number',
  ratio: 'number',
  text: 'digest',
  ...{ time, share, rate, octets: size },
};

/** Quantities have units; of others: a plain number, or hexadecimal text. */
export function boundUnitOf(metric: string): Quantity | 'number' | 'digest' {
  return UNITS[METRICS[metric]!.unit];
}

const bound = (what: string): z.ZodExactOptional<z.ZodUnion<readonly [z.ZodNumber, z.ZodString]>> =>
  either([z.number(), z.string()], 'a bound', 'a number, with the unit of the metric')
    .describe(what)
    .exactOptional();

const BOUNDS = ['min', 'max', 'equals'] as const;

/** Bounds by the unit of the metric, and at least one of them. */
function boundRules(): JsonSchema[] {
  const units = new Set(Object.keys(METRICS).map(boundUnitOf));
  const ofUnit = [...units].map((unit): JsonSchema => {
    const metrics = Object.keys(METRICS).filter((name) => boundUnitOf(name) === unit);
    const refused = { not: {}, errorMessage: 'a digest has no min or max: give equals' };
    const bound: JsonSchema =
      unit === 'digest'
        ? { type: 'string', pattern: '^[0-9a-fA-F]+$' }
        : unit === 'number'
          ? { type: 'number', minimum: 0 }
          : { written: unit.written, title: unit.allowed };
    const range = unit === 'digest' ? refused : bound;
    const metric = { enum: metrics };
    return {
      if: { properties: { metric }, required: ['metric'] },
      then: { properties: { min: range, max: range, equals: bound } },
    };
  });
  const unbounded = { not: { anyOf: BOUNDS.map((key) => ({ required: [key] })) } };
  const missing = { not: {}, errorMessage: 'nothing is expected: give min, max or equals' };
  return [...ofUnit, { if: unbounded, then: missing }];
}

const filter = (what: string): z.ZodExactOptional<z.ZodString> =>
  text('a name', /./, 'a name').describe(what).exactOptional();

const expectation = ruled(
  mapping({
    metric: choice(Object.keys(METRICS)).describe(
      'What is measured: times, rates and sizes have units; completed and share are percentages.',
    ),
    priority: integer(0, 7).describe('Of this priority only.').exactOptional(),
    load: filter('Of this load only.'),
    flow: filter('Of this flow only, such as h1->h2.'),
    device: filter('At this device only.'),
    port: filter('At this port only, such as leaf1:p3.'),
    min: bound('At least this.'),
    max: bound('At most this.'),
    equals: bound('Exactly this.'),
  }),
  notBoth('equals', 'min'),
  notBoth('equals', 'max'),
  ...boundRules(),
);

export const expectSchema = list(expectation, 'expectations such as { metric: drops, max: 0 }');

export type ExpectationInput = z.output<typeof expectSchema>[number];
