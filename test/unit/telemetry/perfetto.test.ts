import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import protobuf from 'protobufjs';
import { addCounters } from '../../../services/telemetry/perfetto/queue-counters.js';
import { Timeline } from '../../../services/telemetry/perfetto/timeline.js';

/** As much of Perfetto's schema as the tests look at. */
const SCHEMA = `syntax = "proto2";
message Trace { repeated Packet packet = 1; }
message Packet { optional uint64 timestamp = 8; optional uint32 sequence = 10;
  optional Event event = 11; optional Track track = 60; }
message Track { optional uint64 uuid = 1; optional string name = 2; optional uint64 parent = 5;
  optional Counter counter = 8; }
message Counter { optional int32 unit = 3; optional string unit_name = 6; }
message Event { repeated Annotation annotations = 4; optional int32 type = 9;
  optional uint64 track = 11; optional string name = 23; optional int64 value = 30;
  repeated fixed64 out = 47; repeated fixed64 in = 48; }
message Annotation { optional int64 int_value = 4; optional double double_value = 5;
  optional string string_value = 6; optional string name = 10; }
`;

interface Packet {
  readonly timestamp?: number;
  readonly event?: {
    readonly annotations?: readonly object[];
    readonly type: number;
    readonly track: number;
    readonly name?: string;
    readonly value?: number;
    readonly out?: readonly number[];
    readonly in?: readonly number[];
  };
  readonly track?: { readonly uuid: number; readonly name: string; readonly parent?: number };
}

const Trace = protobuf.parse(SCHEMA).root.lookupType('Trace');

function packetsOf(timeline: Timeline): readonly Packet[] {
  const octets = Buffer.concat([...timeline.octets()]);
  return (Trace.toObject(Trace.decode(octets), { longs: Number }) as { packet: Packet[] }).packet;
}

/** One event as text: its time, what it is, and its track. */
function linesOf(timeline: Timeline): string[] {
  return packetsOf(timeline).flatMap(({ timestamp, event }) => {
    if (event === undefined) return [];
    const what = ['', `begin ${event.name}`, 'end', `instant ${event.name}`, `${event.value}`];
    return [`${timestamp} ${what[event.type]} on ${event.track}`];
  });
}

const slice = (name: string, startPs: number, endPs: number) => {
  return { name, category: 'test', startPs, endPs, details: {} };
};

describe('a timeline', () => {
  it('draws slices that overlap on tracks of one name', () => {
    const timeline = new Timeline('run');
    const track = timeline.root.child('queue');
    for (const [name, start, end] of [
      ['a', 0, 3000],
      ['b', 1000, 5000],
      ['c', 3000, 4000],
    ] as const) {
      timeline.slice(track, slice(name, start, end));
    }
    assert.deepEqual(linesOf(timeline), [
      ...['0 begin a on 2', '1 begin b on 3', '3 end on 2'],
      ...['3 begin c on 2', '4 end on 2', '5 end on 3'],
    ]);
    const names = packetsOf(withTrack('queue')).map(({ track: own }) => own?.name);
    assert.deepEqual(names.slice(0, 2), ['run', 'queue']);
    assert.equal(timeline.counts.tracks, 3);
  });

  it('nests what begins and ends with the slice around it', () => {
    const timeline = new Timeline('run');
    const outer = timeline.slice(timeline.root.child('queue'), slice('stay', 0, 2000));
    timeline.slice(outer, slice('wait', 0, 500));
    timeline.slice(outer, slice('blocked', 500, 2000));
    // 500 ps are cut to the nanosecond; the order is that of picoseconds.
    assert.deepEqual(linesOf(timeline), [
      ...['0 begin stay on 2', '0 begin wait on 2', '0 end on 2'],
      ...['0 begin blocked on 2', '2 end on 2', '2 end on 2'],
    ]);
  });

  it('draws what takes no time as an instant', () => {
    const timeline = new Timeline('run');
    timeline.slice(timeline.root.child('drops'), slice('drop', 7000, 7000));
    assert.deepEqual(linesOf(timeline), ['7 instant drop on 2']);
    assert.deepEqual([timeline.counts.slices, timeline.counts.instants], [0, 1]);
  });

  it('writes a cause before its effect at one time, whichever track comes first', () => {
    const timeline = new Timeline('run');
    const [first, second] = [timeline.root.child('first'), timeline.root.child('second')];
    const cause = timeline.slice(second, slice('cause', 1000, 2000));
    const effect = timeline.slice(first, slice('effect', 1000, 2000));
    timeline.arrow(cause, effect);
    const begins = packetsOf(timeline).filter(({ event }) => event?.type === 1);
    assert.deepEqual(
      begins.map(({ event }) => [event!.name, event!.out ?? [], event!.in ?? []]),
      [
        ['cause', [1], []],
        ['effect', [], [1]],
      ],
    );
  });

  it('keeps picoseconds, text and fractions exact in details', () => {
    const timeline = new Timeline('run');
    const details = { start_ps: 2 ** 52 + 1, text: 'wärme', ratio: 0.25, none: -1 };
    timeline.slice(timeline.root, { ...slice('a', 0, 1000), details });
    const [begin] = packetsOf(timeline).filter(({ event }) => event?.type === 1);
    assert.deepEqual(begin!.event!.annotations, [
      { name: 'start_ps', intValue: 2 ** 52 + 1 },
      { name: 'text', stringValue: 'wärme' },
      { name: 'ratio', doubleValue: 0.25 },
      { name: 'none', intValue: -1 },
    ]);
  });

  it('empties a queue that the series has nothing more of', () => {
    const timeline = new Timeline('run');
    const columns = ['time_ps', 'port', 'priority', 'queue_bytes', 'ingress_bytes', 'credit_units'];
    const rows = [
      [1000, 's1:p1', 3, 64, 0, 5],
      [1000, 'flow', 1e9, 1e9],
      [2000, 's1:p1', 3, 64, 0, 5],
      [9000, 's1:p1', 3, 80, 0, 5],
      [12_000, 's1:p2', 3, 1, 0, 0],
    ];
    addCounters(timeline.root, { columns, rows, intervalPs: 1000 });
    const packets = packetsOf(timeline);
    const valuesOf = (name: string): (number | undefined)[][] => {
      const { uuid } = packets.find(({ track }) => track?.name === name)!.track!;
      return packets
        .filter(({ event }) => event?.track === uuid)
        .map(({ timestamp, event }) => [timestamp, event!.value]);
    };
    assert.deepEqual(valuesOf('p3 queue'), [
      [1, 64],
      [3, 0],
      [9, 80],
      [10, 0],
    ]);
    assert.deepEqual(valuesOf('p3 available credit'), [[1, 5]]);
  });
});

function withTrack(name: string): Timeline {
  const timeline = new Timeline('run');
  timeline.root.child(name);
  return timeline;
}
