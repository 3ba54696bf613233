import protobuf from 'protobufjs/minimal.js';
import { ANY, COMPUTE, RECEIVE, SEND } from '../../engine/contract/operations.js';
import type { JobGraph } from '../graph.js';
import { NODE } from './read-trace.js';

// A job as traces of Chakra (mlcommons/chakra 21585d8), one for each rank: its messages as sends
// and receives, since a trace says of a collective no more than its kind.

const VERSION = '0.0.4';
const PS_PER_US = 1e6;
/** The stream whose computations are those of a CPU. */
const CPU = 0;

/** Fields of messages. */
const METADATA = { version: 1 } as const;
const FIELD = { id: 1, name: 2, type: 3, dataDependencies: 5, microseconds: 7, attribute: 10 };
const ATTRIBUTE = { name: 1, int32: 7, int64: 9, bool: 27 } as const;
/** Wire types of protobuf. */
const [VARINT, DELIMITED] = [0, 2];

interface ChakraTraces {
  readonly traces: readonly Uint8Array[];
  /** Computations that take no whole microseconds, which are rounded. */
  readonly rounded: number;
  /** Operations that wait for the start of another, and here for what that waits for. */
  readonly approximated: number;
}

/** Null: a receive takes a message of any rank or tag, which a trace cannot say. */
export function chakraTraces(graph: JobGraph): ChakraTraces | null {
  const { kind, peer, tag, amount, count, afterStart } = graph;
  let rounded = 0;
  for (let one = 0; one < count; one++) {
    if (kind[one] === RECEIVE && (peer[one] === ANY || tag[one] === ANY)) return null;
    if (kind[one] === COMPUTE && amount[one]! % PS_PER_US !== 0) rounded++;
  }
  const needs = dependenciesOf(graph);
  const tagged = { ...graph, tag: tagsFromZero(graph.tag) };
  const traces = Array.from({ length: graph.ranks }, (_, rank) => traceOf(tagged, rank, needs));
  return { traces, rounded, approximated: new Set(afterStart.to).size };
}

/** Messages of collectives have tags below zero, which no file can have: they follow the others. */
function tagsFromZero(tags: Int32Array): Int32Array {
  const most = tags.reduce((a, b) => Math.max(a, b), 0);
  return tags.map((tag) => (tag < 0 ? most - tag : tag));
}

/** By operation: those that are done before it begins. */
function dependenciesOf({
  count,
  afterDone,
  afterStart,
}: JobGraph): readonly ReadonlySet<number>[] {
  const done: number[][] = Array.from({ length: count }, () => []);
  const started: number[][] = Array.from({ length: count }, () => []);
  for (const [{ first, to }, into] of [
    [afterDone, done],
    [afterStart, started],
  ] as const) {
    for (let one = 0; one < count; one++) {
      for (let at = first[one]!; at < first[one + 1]!; at++) into[to[at]!]!.push(one);
    }
  }
  return done.map((own, one) => {
    const needs = new Set(own);
    // What starts with another waits for what that waits for; no cycle: the job has been checked.
    const starts = [...started[one]!];
    for (const other of starts) {
      for (const earlier of done[other]!) needs.add(earlier);
      starts.push(...started[other]!);
    }
    return needs;
  });
}

function traceOf(graph: JobGraph, rank: number, needs: readonly ReadonlySet<number>[]): Uint8Array {
  const { firstOfRank } = graph;
  const [first, end] = [firstOfRank[rank]!, firstOfRank[rank + 1]!];
  const writer = protobuf.Writer.create();
  writer.fork();
  writer.uint32((METADATA.version << 3) | DELIMITED).string(VERSION);
  writer.ldelim();
  for (let one = first; one < end; one++) {
    writer.fork();
    writeNode(writer, graph, one, first, needs[one]!);
    writer.ldelim();
  }
  return writer.finish();
}

function writeNode(
  writer: protobuf.Writer,
  graph: JobGraph,
  one: number,
  first: number,
  needs: ReadonlySet<number>,
): void {
  const { amount, peer, tag, stream } = graph;
  const kind = graph.kind[one]!;
  writer.uint32((FIELD.id << 3) | VARINT).uint64(one - first);
  const name = graph.nameOf(one);
  if (name !== '') writer.uint32((FIELD.name << 3) | DELIMITED).string(name);
  writer.uint32((FIELD.type << 3) | VARINT).uint32(typeOf(kind));
  for (const earlier of needs) {
    writer.uint32((FIELD.dataDependencies << 3) | VARINT).uint64(earlier - first);
  }
  if (kind === COMPUTE) {
    const microseconds = Math.round(amount[one]! / PS_PER_US);
    writer.uint32((FIELD.microseconds << 3) | VARINT).uint64(microseconds);
    writeAttribute(writer, 'is_cpu_op', 'bool', stream[one] === CPU ? 1 : 0);
  }
  if (kind !== SEND && kind !== RECEIVE) return;
  writeAttribute(writer, 'comm_size', 'int64', amount[one]!);
  writeAttribute(writer, 'comm_tag', 'int32', tag[one]!);
  writeAttribute(writer, kind === SEND ? 'comm_dst' : 'comm_src', 'int32', peer[one]!);
}

/** Where a stream is taken and given back nothing happens. */
function typeOf(kind: number): number {
  if (kind === SEND) return NODE.SEND;
  if (kind === RECEIVE) return NODE.RECEIVE;
  return kind === COMPUTE ? NODE.COMPUTE : NODE.METADATA;
}

function writeAttribute(
  writer: protobuf.Writer,
  name: string,
  type: 'bool' | 'int32' | 'int64',
  value: number,
): void {
  writer.uint32((FIELD.attribute << 3) | DELIMITED).fork();
  writer.uint32((ATTRIBUTE.name << 3) | DELIMITED).string(name);
  writer.uint32((ATTRIBUTE[type] << 3) | VARINT);
  if (type === 'bool') writer.bool(value !== 0);
  else if (type === 'int32') writer.int32(value);
  else writer.int64(value);
  writer.ldelim();
}
