"""Loads a trace by Perfetto's own definition of its format into tables, and answers SQL as JSON.

The tables are those of Perfetto's trace processor as far as a query here needs them: packets are
sorted by time, stably; on each track a begin opens a slice inside the one that is open, and an end
closes the innermost; a flow goes from the slice that names it first to the next one, and a
terminating flow ends there. What trace processor would count as an error in its `stats` is counted
in `stats` here.

    perfetto-tables.py FILE < queries.json
"""

import json
import sqlite3
import sys

from google.protobuf import unknown_fields
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema

Event = schema.TrackEvent

TABLES = """
create table track (id integer primary key, parent integer, name text, rank integer, unit text);
create table slice (id integer primary key, track integer, parent integer, depth integer,
                    name text, category text, ts integer, dur integer);
create table args (slice integer, key text, value);
create index args_of_slice on args (slice, key);
create table flow (slice_out integer, slice_in integer);
create table counter (track integer, ts integer, value real);
create table stats (name text);
"""


def unknown_in(message):
    """Whether octets of a message have no meaning to the schema."""
    if len(unknown_fields.UnknownFieldSet(message)) > 0:
        return True
    for field, value in message.ListFields():
        if field.type != field.TYPE_MESSAGE:
            continue
        children = [value] if hasattr(value, "ListFields") else value
        if any(unknown_in(child) for child in children):
            return True
    return False


class Tables:
    def __init__(self):
        self.db = sqlite3.connect(":memory:")
        self.db.executescript(TABLES)
        self.open = {}
        self.flows = {}
        self.slices = 0

    def fault(self, name):
        self.db.execute("insert into stats values (?)", (name,))

    def load(self, trace):
        for packet in trace.packet:
            if unknown_in(packet):
                self.fault("unknown field")
            if packet.HasField("track_descriptor"):
                self.track(packet.track_descriptor)
        events = [packet for packet in trace.packet if packet.HasField("track_event")]
        for packet in sorted(events, key=lambda packet: packet.timestamp):
            self.event(packet.timestamp, packet.track_event)
        for stack in self.open.values():
            for _ in stack:
                self.fault("slice without end")

    def track(self, track):
        unit = None
        if track.HasField("counter"):
            counter = track.counter
            unit = counter.unit_name or schema.CounterDescriptor.Unit.Name(counter.unit)
        parent = track.parent_uuid if track.HasField("parent_uuid") else None
        row = (track.uuid, parent, track.name, track.sibling_order_rank, unit)
        self.db.execute("insert into track values (?, ?, ?, ?, ?)", row)

    def event(self, ts, event):
        stack = self.open.setdefault(event.track_uuid, [])
        if event.type == Event.TYPE_COUNTER:
            row = (event.track_uuid, ts, event.counter_value)
            self.db.execute("insert into counter values (?, ?, ?)", row)
        elif event.type in (Event.TYPE_SLICE_BEGIN, Event.TYPE_INSTANT):
            self.begin(ts, event, stack)
        elif event.type == Event.TYPE_SLICE_END and stack:
            started, number = stack.pop()
            self.db.execute("update slice set dur = ? where id = ?", (ts - started, number))
        else:
            self.fault("end without slice")

    def begin(self, ts, event, stack):
        self.slices += 1
        parent = stack[-1][1] if stack else None
        row = (self.slices, event.track_uuid, parent, len(stack), event.name)
        row += (",".join(event.categories), ts, 0)
        self.db.execute("insert into slice values (?, ?, ?, ?, ?, ?, ?, ?)", row)
        for annotation in event.debug_annotations:
            value = getattr(annotation, annotation.WhichOneof("value"))
            self.db.execute("insert into args values (?, ?, ?)", (self.slices, annotation.name, value))
        for flow in event.terminating_flow_ids:
            begun = self.flows.pop(flow, None)
            if begun is None:
                self.fault("flow ends before it begins")
            self.db.execute("insert into flow values (?, ?)", (begun, self.slices))
        for flow in event.flow_ids:
            if flow in self.flows:
                self.fault("flow begins twice")
            self.flows[flow] = self.slices
        if event.type == Event.TYPE_SLICE_BEGIN:
            stack.append((ts, self.slices))


def main():
    trace = schema.Trace()
    with open(sys.argv[1], "rb") as file:
        trace.ParseFromString(file.read())
    tables = Tables()
    tables.load(trace)
    queries = json.load(sys.stdin)
    answers = {name: tables.db.execute(sql).fetchall() for name, sql in queries.items()}
    json.dump(answers, sys.stdout)


main()
