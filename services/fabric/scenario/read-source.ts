/**
 * From the text of a file to values with locations; refuses text that is not plain YAML or JSON.
 */

import type { Document, ErrorCode, Node, YAMLMap } from 'yaml';
import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { ScenarioError, show } from '../../settings/errors.js';
import type { MapEntry, Place, Source, SourceNode } from '../../settings/source-tree.js';
import { positionOf, startOf } from '../../settings/source-tree.js';

const FILE_BYTES_MAX = 4 * 1024 * 1024;
/** A table, as of replay, may be longer than a file written by hand. */
const TABLE_BYTES_MAX = 64 * 1024 * 1024;
/** What real hosts sent in a run of minutes. */
const RECORDING_BYTES_MAX = 2000 * 1024 * 1024;
const MIB = 1024 * 1024;
const DEPTH_MAX = 64;
/** Values that aliases may add: a few lines of aliases to aliases can stand for billions. */
const ALIASED_MAX = 10_000;

/** The key whose mappings are merged into its own (YAML language-independent type `merge`). */
const MERGE = '<<';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a directory',
};

/** What the parser finds, and the remedy. */
const YAML_PROBLEMS: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias cannot have an anchor or a tag of its own',
  BAD_ALIAS: 'an alias has no name; write * and the name of an anchor',
  BAD_COLLECTION_TYPE: 'a tag does not fit the value behind it; remove the tag',
  BAD_DIRECTIVE: 'a directive (%) before the document; remove it',
  BAD_DQ_ESCAPE: 'an escape sequence that does not exist; use single quotes, or \\\\ for \\',
  BAD_INDENT: 'wrong indentation; keys of one mapping begin in the same column',
  BAD_PROP_ORDER: 'an anchor or a tag in the wrong place; put it before the value',
  BAD_SCALAR_START: 'a character that cannot begin a value; put the value in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'two colons on one line; put the value in quotes, or on its own lines',
  BLOCK_IN_FLOW: 'an indented block inside { } or [ ]; separate the entries by commas',
  DUPLICATE_KEY: 'the same key twice',
  IMPOSSIBLE: 'no key and no value can begin here; keys are plain text',
  KEY_OVER_1024_CHARS: 'a key of more than 1024 characters',
  MISSING_CHAR: 'a character is missing: a comma, a colon, a quote, or the end of { } or [ ]',
  MULTILINE_IMPLICIT_KEY: 'a key goes over several lines; is a colon, or a quote, missing?',
  MULTIPLE_ANCHORS: 'more than one anchor for a value',
  MULTIPLE_DOCS: 'more than one document; remove the line ---',
  MULTIPLE_TAGS: 'more than one tag for a value',
  NON_STRING_KEY: 'a key must be plain text',
  RESOURCE_EXHAUSTION: 'nested too deeply',
  TAB_AS_INDENT: 'a tab in the indentation; use blanks',
  TAG_RESOLVE_FAILED: 'a tag (!) that has no meaning here; remove it',
  UNEXPECTED_TOKEN: 'a character that is not expected here; is a quote, or a colon, missing?',
};

/** Standard input, by the name that commands of Unix give it. */
const STDIN = '-';

/** Texts of pipes: what was read from one is gone from it, and a run reads its scenario twice. */
const piped = new Map<string, string>();

/** The text of a file or pipe; throws the reason why it cannot be read. */
export function readText(file: string): string {
  const known = piped.get(file);
  if (known !== undefined) return known;
  const isPiped = isPipe(file);
  const text = readUpTo(
    file === STDIN ? '/dev/stdin' : file,
    FILE_BYTES_MAX,
    (reason) => new ScenarioError(startOf(file), [], reason),
  );
  if (isPiped) piped.set(file, text);
  return text;
}

/** Whether a name is of a pipe, which has no folder and can be read once. */
export function isPipe(file: string): boolean {
  if (file === STDIN || piped.has(file)) return true;
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats !== undefined && (stats.isFIFO() || stats.isSocket());
}

/** The same of a file that a scenario names, such as a table; the caller adds the location. */
export function readTable(file: string): string {
  return readUpTo(file, TABLE_BYTES_MAX, (reason) => new Error(reason));
}

/** The octets of such a file. */
export function readTableOctets(file: string): Uint8Array {
  const octets = readOctets(file, TABLE_BYTES_MAX);
  if (typeof octets === 'string') throw new Error(octets);
  return octets;
}

/** The octets of a recording of live ports. */
export function readRecording(file: string): Uint8Array {
  const octets = readOctets(file, RECORDING_BYTES_MAX);
  if (typeof octets === 'string') throw new Error(octets);
  return octets;
}

function readUpTo(file: string, most: number, fail: (reason: string) => Error): string {
  const octets = readOctets(file, most);
  if (typeof octets === 'string') throw fail(octets);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(octets);
  } catch {
    throw fail('not a text file: it is not in UTF-8');
  }
}

/** Or the reason why not. */
function readOctets(file: string, most: number): Buffer | string {
  const tooLarge = `file too large; at most ${most / MIB} MiB`;
  try {
    const stats = statSync(file);
    if (stats.isCharacterDevice() || stats.isBlockDevice()) return 'it is a device, not a file';
    if (stats.size > most) return tooLarge;
    if (stats.isFile() || stats.isDirectory()) return readFileSync(file);
    return readPipe(file, most) ?? tooLarge;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return `cannot read the file: ${REASONS[code] ?? code}`;
  }
}

/** A pipe has no size: null where more than `most` octets come. */
function readPipe(file: string, most: number): Buffer | null {
  const pipe = openSync(file, 'r');
  try {
    const octets = Buffer.alloc(most + 1);
    let length = 0;
    while (length <= most) {
      const read = readSync(pipe, octets, length, octets.length - length, null);
      if (read === 0) return octets.subarray(0, length);
      length += read;
    }
    return null;
  } finally {
    closeSync(pipe);
  }
}

/** Parses one document of YAML, of which JSON is a part. */
export function parseSource(name: string, text: string, hasLines: boolean): SourceNode | null {
  const lines = new LineCounter();
  const source: Source = { name, lines: hasLines ? lines : null };
  const fail = (offset: number, message: string): ScenarioError =>
    new ScenarioError(positionOf({ source, offset }), [], message);
  const document = parseText(text, lines);
  const problems = document ? [...document.errors, ...document.warnings] : [];
  // The parser recurses: what is nested too deeply exhausts its stack.
  if (document === null || problems.some(({ code }) => code === 'RESOURCE_EXHAUSTION')) {
    throw fail(0, `nested too deeply; at most ${DEPTH_MAX} levels`);
  }
  const open = problems.length === 0 ? null : unclosedIn(text);
  if (open !== null) {
    // What follows is read as a part of it: other errors are consequences.
    const { offset, end } = open;
    throw fail(offset, `not valid YAML: ${text[offset]!} opens here and is not closed; add ${end}`);
  }
  const [first, ...others] = problems.map(({ pos, code }) => {
    // The parser takes a line that is indented below a value for a part of that value.
    const here = problems.filter((other) => other.pos[0] === pos[0]).map((other) => other.code);
    const isBelow = here.includes('BLOCK_AS_IMPLICIT_KEY') && here.length > 1;
    const below = isBelow ? /\n\s*(?=\S)/.exec(text.slice(pos[0])) : null;
    if (below === null) return fail(pos[0], `not valid YAML: ${YAML_PROBLEMS[code]}`);
    const offset = pos[0] + below.index + below[0].length;
    return fail(offset, `not valid YAML: ${YAML_PROBLEMS.BAD_INDENT}`);
  });
  if (first) {
    // Further errors on a line are mostly consequences of the first.
    first.others.push(...others.filter(({ line }, i) => line !== (others[i - 1] ?? first).line));
    throw first;
  }
  if (document.contents === null) return null;
  return new Converter(source).convert(document.contents, 0, false);
}

/** Null if the text is nested too deeply. */
function parseText(text: string, lines: LineCounter): Document | null {
  try {
    // Keys given twice are found below: the parser compares each key with every other.
    return parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const CLOSING: Readonly<Record<string, string>> = { "'": "'", '"': '"', '{': '}', '[': ']' };

/** Where a quote, { or [ opens that is not closed, and what closes it; null if all are. */
function unclosedIn(text: string): { readonly offset: number; readonly end: string } | null {
  const offsets: number[] = [];
  visit(parseDocument(text, { keepSourceTokens: true, uniqueKeys: false }), {
    Node: (_, { srcToken: token }) => {
      if (token?.type === 'flow-collection') {
        const { start, end } = token;
        if (end[0]?.source !== CLOSING[start.source]) offsets.push(start.offset);
      } else if (token?.type === 'single-quoted-scalar' || token?.type === 'double-quoted-scalar') {
        const { source, offset } = token;
        if (source.length === 1 || !source.endsWith(source[0]!)) offsets.push(offset);
      }
    },
  });
  // Brackets around an open quote are open because the quote is. Of brackets the inner is first.
  const quotes = offsets.filter((offset) => /['"]/.test(text[offset]!));
  const offset = quotes.length > 0 ? Math.min(...quotes) : Math.max(...offsets);
  return offset === -Infinity ? null : { offset, end: CLOSING[text[offset]!]! };
}

class Converter {
  /** Earlier nodes with an anchor; a value cannot contain itself. */
  private readonly anchors = new Map<string, Node>();
  private aliased = 0;

  constructor(private readonly source: Source) {}

  convert(node: unknown, depth: number, inAlias: boolean): SourceNode {
    const place = this.placeOf(node as Node | null);
    if (depth > DEPTH_MAX) throw this.error(place, `nested deeper than ${DEPTH_MAX} levels`);
    if (inAlias && ++this.aliased > ALIASED_MAX) {
      throw this.error(place, `aliases stand for too much; at most ${ALIASED_MAX} values`);
    }
    if (isAlias(node)) {
      const target = this.anchors.get(node.source);
      if (!target)
        throw this.error(
          place,
          `unknown alias: ${show(node.source)}; an anchor (&) goes before it`,
        );
      return { ...this.convert(target, depth + 1, true), place };
    }
    const converted = this.convertOwn(node, place, depth, inAlias);
    if (isNode(node) && node.anchor) this.anchors.set(node.anchor, node);
    return converted;
  }

  private convertOwn(node: unknown, place: Place, depth: number, inAlias: boolean): SourceNode {
    if (isMap(node)) return { kind: 'map', place, entries: this.entriesOf(node, depth, inAlias) };
    if (isSeq(node)) {
      const items = node.items.map((item) => this.convert(item, depth + 1, inAlias));
      return { kind: 'list', place, items };
    }
    const value = isScalar(node) ? node.value : null;
    if (isPlain(value)) return { kind: 'scalar', place, value };
    throw this.error(place, 'not a plain value; write text, a number, true or false');
  }

  private entriesOf(map: YAMLMap, depth: number, inAlias: boolean): Map<string, MapEntry> {
    const entries = new Map<string, MapEntry>();
    let merged: ReadonlyMap<string, MapEntry> = new Map();
    for (const { key, value } of map.items) {
      const keyPlace = this.placeOf(key as Node);
      const plainKey = isScalar(key) ? key.value : undefined;
      if (!isPlain(plainKey)) throw this.error(keyPlace, 'a key must be plain text');
      const name = String(plainKey);
      if (name === '__proto__') throw this.error(keyPlace, `unknown key: ${name}`);
      if (entries.has(name)) {
        throw this.error(keyPlace, `the same key twice: ${show(name)}; a key may be given once`);
      }
      const node =
        value === null ? this.nothingAt(keyPlace) : this.convert(value, depth + 1, inAlias);
      entries.set(name, { keyPlace, node });
      if (name === MERGE) merged = this.mergedInto(node);
    }
    entries.delete(MERGE);
    return new Map([...merged, ...entries]);
  }

  /** Of several mappings the first with a key counts, as the YAML type `merge` has it. */
  private mergedInto(node: SourceNode): Map<string, MapEntry> {
    const entries = new Map<string, MapEntry>();
    for (const item of node.kind === 'list' ? node.items : [node]) {
      if (item.kind !== 'map') {
        const message = 'no mapping to merge; write <<: *name, or <<: [*first, *second]';
        throw this.error(item.place, message);
      }
      for (const [name, entry] of item.entries) if (!entries.has(name)) entries.set(name, entry);
    }
    return entries;
  }

  private nothingAt(place: Place): SourceNode {
    return { kind: 'scalar', place, value: null };
  }

  private placeOf(node: Node | null): Place {
    return { source: this.source, offset: node?.range?.[0] ?? 0 };
  }

  private error(place: Place, message: string): ScenarioError {
    return new ScenarioError(positionOf(place), [], message);
  }
}

function isPlain(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
