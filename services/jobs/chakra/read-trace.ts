import protobuf from 'protobufjs/minimal.js';
import { gunzipSync } from 'node:zlib';
import { show } from '../../settings/errors.js';
import type { JobSource } from '../source.js';

// A Chakra execution trace, as mlcommons/chakra 21585d8 defines it: messages with their lengths in
// front, the first of them metadata, each later one a node; gzipped, or not. And its JSON variant.

export const NODE = {
  METADATA: 1,
  MEMORY_LOAD: 2,
  MEMORY_STORE: 3,
  COMPUTE: 4,
  SEND: 5,
  RECEIVE: 6,
  COLLECTIVE: 7,
} as const;

const TYPE_MOST = NODE.COLLECTIVE;
const GZIP = [0x1f, 0x8b];
const OBJECT = '{'.charCodeAt(0);
/** Fields 1 and 2 of the metadata, a string and a message: the version, and an attribute. */
const METADATA_TAGS = [0x0a, 0x12];

export interface ChakraNode {
  readonly id: number;
  readonly name: string;
  readonly type: number;
  readonly controlDependencies: readonly number[];
  readonly dataDependencies: readonly number[];
  readonly microseconds: number;
  /** Of a metadata node: what it is about. */
  readonly inputs: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
}

type Attribute = number | string | boolean;

/** Gzipped, JSON with a graph, or messages of which the first has a version or attributes. */
export function isTrace(octets: Uint8Array): boolean {
  if (isGzipped(octets)) return true;
  const head = new TextDecoder().decode(octets.subarray(0, 4096)).trimStart();
  if (head.charCodeAt(0) === OBJECT) return head.includes('"workload_graph"');
  try {
    const reader = protobuf.Reader.create(octets);
    const end = reader.uint32() + reader.pos;
    if (end >= octets.length || !METADATA_TAGS.includes(reader.uint32())) return false;
    return reader.uint32() + reader.pos <= end;
  } catch {
    // The octets end in a number.
    return false;
  }
}

function isGzipped(octets: Uint8Array): boolean {
  return GZIP.every((octet, at) => octets[at] === octet);
}

/** The nodes of a file, in its order; throws what is wrong with it. */
export function readTrace(source: JobSource, octets: Uint8Array): ChakraNode[] {
  const plain = unpacked(source, octets);
  const text = new TextDecoder().decode(plain.subarray(0, 64)).trimStart();
  if (text.charCodeAt(0) === OBJECT) return readJson(source, new TextDecoder().decode(plain));
  return readMessages(source, plain);
}

function unpacked(source: JobSource, octets: Uint8Array): Uint8Array {
  if (!isGzipped(octets)) return octets;
  try {
    return gunzipSync(octets);
  } catch {
    throw source.errorAt(0, 'the file is gzipped, and damaged or cut');
  }
}

function readMessages(source: JobSource, octets: Uint8Array): ChakraNode[] {
  const nodes: ChakraNode[] = [];
  const reader = protobuf.Reader.create(octets);
  for (let first = true; reader.pos < octets.length; first = false) {
    const at = reader.pos;
    try {
      const end = reader.uint32() + reader.pos;
      if (end > octets.length) throw new RangeError('cut');
      if (!first) nodes.push(readNode(reader, end));
      reader.pos = end;
    } catch (error) {
      const left = octets.length - at;
      const why = error instanceof RangeError ? `${left} octets are left` : String(error);
      throw source.errorAt(0, `octet ${at}: message ${nodes.length} is cut or damaged; ${why}`);
    }
  }
  if (nodes.length === 0) throw source.errorAt(0, 'no node of a Chakra trace');
  return nodes;
}

function readNode(reader: protobuf.Reader, end: number): ChakraNode {
  let [id, name, type, microseconds, inputs] = [0, '', 0, 0, ''];
  const [controlDependencies, dataDependencies]: [number[], number[]] = [[], []];
  const attributes: Record<string, Attribute> = {};
  while (reader.pos < end) {
    const tag = reader.uint32();
    switch (tag >>> 3) {
      case 1:
        id = whole(reader.uint64());
        break;
      case 2:
        name = reader.string();
        break;
      case 3:
        type = reader.uint32();
        break;
      case 4:
        readNumbers(reader, tag, controlDependencies);
        break;
      case 5:
        readNumbers(reader, tag, dataDependencies);
        break;
      case 7:
        microseconds = whole(reader.uint64());
        break;
      case 8:
        inputs = readValues(reader);
        break;
      case 10:
        readAttribute(reader, attributes);
        break;
      default:
        reader.skipType(tag & 7);
    }
  }
  if (reader.pos !== end) throw new RangeError('cut');
  return {
    ...{ id, name, type, controlDependencies, dataDependencies, microseconds, inputs, attributes },
  };
}

/** 64 bits come as an object where its package is installed. */
function whole(value: unknown): number {
  return typeof value === 'number' ? value : (value as { toNumber(): number }).toNumber();
}

/** Packed, or one by one: both occur, in one node too. */
function readNumbers(reader: protobuf.Reader, tag: number, into: number[]): void {
  if ((tag & 7) !== 2) {
    into.push(whole(reader.uint64()));
    return;
  }
  const end = reader.uint32() + reader.pos;
  while (reader.pos < end) into.push(whole(reader.uint64()));
}

function readValues(reader: protobuf.Reader): string {
  const end = reader.uint32() + reader.pos;
  let values = '';
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === 1) values = reader.string();
    else reader.skipType(tag & 7);
  }
  return values;
}

/** Any kind of integer where an integer is meant; lists and octets are of no use here. */
function readAttribute(reader: protobuf.Reader, into: Record<string, Attribute>): void {
  const end = reader.uint32() + reader.pos;
  let name = '';
  let value: Attribute | null = null;
  while (reader.pos < end) {
    const tag = reader.uint32();
    const read = READERS[tag >>> 3];
    if (tag >>> 3 === 1) name = reader.string();
    else if (read === undefined) reader.skipType(tag & 7);
    else value = read(reader);
  }
  if (value !== null) into[name] = value;
}

/** By field of an attribute. */
const READERS: Readonly<Record<number, (reader: protobuf.Reader) => Attribute>> = {
  3: (reader) => reader.double(),
  5: (reader) => reader.float(),
  7: (reader) => reader.int32(),
  9: (reader) => whole(reader.int64()),
  11: (reader) => reader.uint32(),
  13: (reader) => whole(reader.uint64()),
  15: (reader) => reader.sint32(),
  17: (reader) => whole(reader.sint64()),
  19: (reader) => reader.fixed32(),
  21: (reader) => whole(reader.fixed64()),
  23: (reader) => reader.sfixed32(),
  25: (reader) => whole(reader.sfixed64()),
  27: (reader) => reader.bool(),
  29: (reader) => reader.string(),
};

/** Keys of a node of the JSON variant, in any case; all others are attributes. */
const KEYS: Readonly<Record<string, string>> = {
  id: 'id',
  name: 'name',
  nodetype: 'type',
  runtime: 'microseconds',
  data_deps: 'dataDependencies',
  datadeps: 'dataDependencies',
  ctrl_deps: 'controlDependencies',
  ctrldeps: 'controlDependencies',
};

function readJson(source: JobSource, text: string): ChakraNode[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw source.errorAt(0, `not JSON: ${(error as Error).message}`);
  }
  const { workload_graph: graph } = parsed as { readonly workload_graph?: unknown };
  if (!Array.isArray(graph)) throw source.errorAt(0, 'no list workload_graph in the file');
  return graph.map((one: unknown, index) => {
    if (typeof one !== 'object' || one === null) {
      throw source.errorAt(0, `workload_graph.${index} is ${show(one)}, and no node`);
    }
    return nodeOf(source, one as Readonly<Record<string, unknown>>, index);
  });
}

function nodeOf(
  source: JobSource,
  written: Readonly<Record<string, unknown>>,
  index: number,
): ChakraNode {
  const known: Record<string, unknown> = {};
  const attributes: Record<string, Attribute> = {};
  for (const [key, value] of Object.entries(written)) {
    const own = KEYS[key.toLowerCase()];
    if (own !== undefined) known[own] = value;
    else if (['number', 'string', 'boolean'].includes(typeof value)) {
      attributes[key.toLowerCase()] = value as Attribute;
    }
  }
  const refuse = (key: string): Error =>
    source.errorAt(0, `workload_graph.${index}: ${key} is ${show(known[key])}`);
  const number = (key: string, usual: number): number => {
    const value = known[key] ?? usual;
    if (typeof value !== 'number' || !Number.isFinite(value)) throw refuse(key);
    return value;
  };
  const numbers = (key: string): number[] => {
    const values = known[key] ?? [];
    const isSound = Array.isArray(values) && values.every((one) => Number.isSafeInteger(one));
    if (!isSound) throw refuse(key);
    return values as number[];
  };
  return {
    id: number('id', NaN),
    name: typeof known['name'] === 'string' ? known['name'] : '',
    type: number('type', 0),
    controlDependencies: numbers('controlDependencies'),
    dataDependencies: numbers('dataDependencies'),
    microseconds: number('microseconds', 0),
    inputs: '',
    attributes,
  };
}

/** An error of a node, for people who look for it in the file. */
export function titleOfNode({ id, name }: ChakraNode): string {
  return name === '' ? `node ${id}` : `node ${id} (${name})`;
}

export function isKnownType(type: number): boolean {
  return Number.isInteger(type) && type >= NODE.METADATA && type <= TYPE_MOST;
}
