import { ANY, COMPUTE, RECEIVE, SEND } from '../../engine/contract/operations.js';
import { GraphBuilder, type JobGraph, type RankBuilder } from '../graph.js';
import type { JobSource } from '../source.js';

// The binary form of GOAL, as LogGOPSim 76451de maps it into memory: a table of ranks, and for each
// its roots, its nodes of 39 octets and an appendix with the lists of what waits for them.

const MAGIC = 4223n;
/** Of a file that a simulator has changed while it read it. */
const CONSUMED = 2342n;
const MAGIC_OCTETS = 8;
const HEADER_OCTETS = 6;
const RANK_OCTETS = 16;
const NODE_OCTETS = 39;

/** Offsets in a node. */
const [UNMET, TYPE, PEER, SIZE, TAG, CPU, NIC] = [0, 4, 5, 9, 17, 21, 22];
const [DONE_COUNT, DONE_AT, START_COUNT, START_AT] = [23, 27, 31, 35];

/** By type of a node, from 1. */
const KINDS = [SEND, RECEIVE, COMPUTE] as const;
const PS_PER_NS = 1000;

export function isBinaryGoal(octets: Uint8Array): boolean {
  if (octets.length < MAGIC_OCTETS) return false;
  const magic = viewOf(octets).getBigUint64(0, true);
  return magic === MAGIC || magic === CONSUMED;
}

/** The graph of a binary file; throws what is wrong with it. */
export function parseBinaryGoal(source: JobSource, octets: Uint8Array): JobGraph {
  const view = viewOf(octets);
  const fail = (at: number, message: string): Error => source.errorAt(0, `octet ${at}: ${message}`);
  if (view.getBigUint64(0, true) === CONSUMED) {
    throw fail(0, 'a simulator has consumed this file; make it anew from its text');
  }
  if (octets.length < MAGIC_OCTETS + HEADER_OCTETS) throw fail(octets.length, 'the file is cut');
  const ranks = view.getUint32(MAGIC_OCTETS, true);
  const tableAt = MAGIC_OCTETS + HEADER_OCTETS;
  if (tableAt + ranks * RANK_OCTETS > octets.length) {
    throw fail(MAGIC_OCTETS, `${ranks} ranks do not fit into ${octets.length} octets`);
  }
  const builder = new GraphBuilder();
  for (let rank = 0; rank < ranks; rank++) {
    const entry = tableAt + rank * RANK_OCTETS;
    const [begin, end] = [0, 8].map((at) => Number(view.getBigUint64(entry + at, true)));
    const [from, to] = [begin! + MAGIC_OCTETS, end! + MAGIC_OCTETS];
    if (from > to || to > octets.length || from < tableAt) {
      throw fail(entry, `rank ${rank} is from octet ${from} to ${to} of ${octets.length}`);
    }
    source.attempt(() => {
      readRank(builder.addRank(), { view, ranks, rank, from, to, fail });
    });
  }
  source.settle();
  return builder.build();
}

interface RankOctets {
  readonly view: DataView;
  readonly ranks: number;
  readonly rank: number;
  readonly from: number;
  readonly to: number;
  readonly fail: (at: number, message: string) => Error;
}

function readRank(builder: RankBuilder, octets: RankOctets): void {
  const { view, rank, from, to, fail } = octets;
  if (to - from < 8) throw fail(from, `rank ${rank} is cut`);
  const [nodes, roots] = [view.getUint32(from, true), view.getUint32(from + 4, true)];
  const nodesAt = from + 8 + roots * 4;
  const appendixAt = nodesAt + nodes * NODE_OCTETS;
  if (appendixAt > to) throw fail(from, `${nodes} nodes of rank ${rank} do not fit into it`);
  for (let node = 0; node < nodes; node++) readNode(builder, octets, nodesAt + node * NODE_OCTETS);
  for (let node = 0; node < nodes; node++) {
    const at = nodesAt + node * NODE_OCTETS;
    for (const [count, index, what] of [
      [DONE_COUNT, DONE_AT, 'done'],
      [START_COUNT, START_AT, 'started'],
    ] as const) {
      const length = view.getUint32(at + count, true);
      const listAt = appendixAt + view.getUint32(at + index, true) * 4;
      if (length > 0 && listAt + length * 4 > to) {
        throw fail(at, `the list of what waits for node ${node} leaves rank ${rank}`);
      }
      for (let i = 0; i < length; i++) {
        const other = view.getUint32(listAt + i * 4, true);
        if (other >= nodes) throw fail(listAt + i * 4, `no node ${other}: there are ${nodes}`);
        if (other === node) throw fail(listAt + i * 4, `node ${node} would wait for itself`);
        builder.require(other, node, what);
      }
    }
  }
}

function readNode(builder: RankBuilder, octets: RankOctets, at: number): void {
  const { view, ranks, rank, fail } = octets;
  const kind = KINDS[view.getUint8(at + TYPE) - 1];
  if (kind === undefined) throw fail(at + TYPE, `a node of type ${view.getUint8(at + TYPE)}`);
  const size = Number(view.getBigUint64(at + SIZE, true));
  const amount = kind === COMPUTE ? size * PS_PER_NS : size;
  if (amount > Number.MAX_SAFE_INTEGER) throw fail(at + SIZE, `too large: ${size}`);
  if (view.getUint8(at + NIC) > 0) throw fail(at + NIC, 'a rank here has one NIC, nic 0');
  const peer = view.getInt32(at + PEER, true);
  const isAny = peer === ANY && kind === RECEIVE;
  if (kind !== COMPUTE && !isAny && (peer < 0 || peer >= ranks || peer === rank)) {
    throw fail(at + PEER, `rank ${rank} has a message with rank ${peer >>> 0} of ${ranks}`);
  }
  builder.add(kind, amount, {
    peer: kind === COMPUTE ? ANY : peer,
    tag: kind === COMPUTE ? 0 : view.getInt32(at + TAG, true),
    stream: view.getUint8(at + CPU),
    origin: at,
  });
}

/** A job as LogGOPSim reads it. */
export function encodeBinaryGoal(graph: JobGraph): Uint8Array {
  const { ranks, firstOfRank, stream } = graph;
  const parts = Array.from({ length: ranks }, (_, rank) =>
    encodeRank(graph, firstOfRank[rank]!, firstOfRank[rank + 1]!),
  );
  const bodyAt = HEADER_OCTETS + ranks * RANK_OCTETS;
  const total = parts.reduce((sum, { length }) => sum + length, MAGIC_OCTETS + bodyAt);
  const octets = new Uint8Array(total);
  const view = viewOf(octets);
  view.setBigUint64(0, MAGIC, true);
  view.setUint32(MAGIC_OCTETS, ranks, true);
  view.setUint8(
    MAGIC_OCTETS + 4,
    stream.reduce((most, one) => Math.max(most, one), 0),
  );
  let at = bodyAt;
  parts.forEach((part, rank) => {
    const entry = MAGIC_OCTETS + HEADER_OCTETS + rank * RANK_OCTETS;
    view.setBigUint64(entry, BigInt(at), true);
    octets.set(part, MAGIC_OCTETS + at);
    at += part.length;
    view.setBigUint64(entry + 8, BigInt(at), true);
  });
  return octets;
}

function encodeRank(graph: JobGraph, from: number, to: number): Uint8Array {
  const { needs, kind, amount, peer, tag, stream, afterDone, afterStart } = graph;
  const nodes = to - from;
  const roots = Array.from({ length: nodes }, (_, i) => i).filter((i) => needs[from + i] === 0);
  const appendix: number[] = [];
  const nodesAt = 8 + roots.length * 4;
  const head = new Uint8Array(nodesAt + nodes * NODE_OCTETS);
  const view = viewOf(head);
  view.setUint32(0, nodes, true);
  view.setUint32(4, roots.length, true);
  roots.forEach((root, i) => {
    view.setUint32(8 + i * 4, root, true);
  });
  for (let operation = from; operation < to; operation++) {
    const at = nodesAt + (operation - from) * NODE_OCTETS;
    const isCompute = kind[operation] === COMPUTE;
    const size = isCompute ? amount[operation]! / PS_PER_NS : amount[operation]!;
    view.setUint32(at + UNMET, needs[operation]!, true);
    view.setUint8(at + TYPE, KINDS.findIndex((one) => one === kind[operation]) + 1);
    view.setInt32(at + PEER, isCompute ? 0 : peer[operation]!, true);
    view.setBigUint64(at + SIZE, BigInt(Math.round(size)), true);
    view.setInt32(at + TAG, tag[operation]!, true);
    view.setUint8(at + CPU, stream[operation]!);
    for (const [count, index, { first, to: list }] of [
      [DONE_COUNT, DONE_AT, afterDone],
      [START_COUNT, START_AT, afterStart],
    ] as const) {
      const own = list.subarray(first[operation], first[operation + 1]);
      view.setUint32(at + count, own.length, true);
      view.setUint32(at + index, appendix.length, true);
      for (const other of own) appendix.push(other - from);
    }
  }
  const whole = new Uint8Array(head.length + appendix.length * 4);
  whole.set(head);
  const tail = viewOf(whole);
  appendix.forEach((other, i) => {
    tail.setUint32(head.length + i * 4, other, true);
  });
  return whole;
}

function viewOf(octets: Uint8Array): DataView {
  return new DataView(octets.buffer, octets.byteOffset, octets.byteLength);
}
