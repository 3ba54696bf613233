import { show } from '../../settings/errors.js';
import type { JobSource } from '../source.js';

// A connection matrix of htsim (uet-htsim 40ccb05): a head of counts, then connections, triggers
// and failed links, a line each.

/** What the number behind `start` counts: it depends on the program that reads the file. */
export type StartUnit = 'us' | 'ps';

const PS_OF: Readonly<Record<StartUnit, number>> = { us: 1e6, ps: 1 };
const NODES_MOST = 1 << 20;

export interface Connection {
  readonly line: number;
  readonly from: number;
  readonly to: number;
  readonly id: number | null;
  /** Null: a trigger starts it. */
  readonly startPs: number | null;
  readonly trigger: number | null;
  readonly octets: number;
  /** Triggers that are called when it is acknowledged, and when it has arrived. */
  readonly callsWhenSent: number | null;
  readonly callsWhenReceived: number | null;
  /** Messages of one connection follow each other. */
  readonly message: number | null;
}

export interface Trigger {
  readonly line: number;
  readonly kind: 'oneshot' | 'multishot' | 'barrier';
  /** Calls that a barrier waits for. */
  readonly count: number;
}

export interface Matrix {
  readonly nodes: number;
  readonly connections: readonly Connection[];
  readonly triggers: ReadonlyMap<number, Trigger>;
}

export function isMatrix(text: string): boolean {
  const heads: string[] = [];
  for (let at = 0; at < text.length && heads.length < 2;) {
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    const [first = ''] = text.slice(at, end).split('#', 1)[0]!.trim().split(/\s+/, 1);
    if (first !== '') heads.push(first.toLowerCase());
    at = end + 1;
  }
  return heads[0] === 'nodes' && heads[1] === 'connections';
}

/** Throws all errors of the file. */
export function readMatrix(source: JobSource, text: string, unit: StartUnit): Matrix {
  return new MatrixReader(source, unit).read(text);
}

const COUNTS = ['nodes', 'connections', 'triggers', 'failures'];

class MatrixReader {
  private readonly counts = new Map<string, number>();
  private readonly connections: Connection[] = [];
  private readonly triggers = new Map<number, Trigger>();
  /** Failed links are the fabric's: here they are only read. */
  private failures = 0;
  private line = 0;
  private unnumbered = 0;

  constructor(
    private readonly source: JobSource,
    private readonly unit: StartUnit,
  ) {}

  read(text: string): Matrix {
    for (const written of text.split('\n')) {
      this.line++;
      const words = written.split('#', 1)[0]!.trim().split(/\s+/);
      if (words[0] === '') continue;
      this.source.attempt(() => {
        this.readLine(words);
      });
    }
    this.source.settle();
    const nodes = this.counts.get('nodes');
    this.source.attempt(() => {
      this.checkCount('connections', this.connections.length);
      this.checkCount('triggers', this.triggers.size);
      this.checkCount('failures', this.failures);
    });
    if (nodes === undefined) {
      this.source.attempt(() => {
        throw this.source.errorAt(1, 'the number of nodes is missing; write Nodes 16');
      });
    }
    this.source.settle();
    return {
      ...{ nodes: nodes!, connections: this.connections },
      triggers: this.triggers,
    };
  }

  private fail(message: string): Error {
    return this.source.errorAt(this.line, message);
  }

  private readLine(words: readonly string[]): void {
    const [first = ''] = words;
    const key = first.toLowerCase();
    if (COUNTS.includes(key)) {
      const value = this.number(key, words[1]);
      if (words.length !== 2 || (key === 'nodes' && (value < 1 || value > NODES_MOST))) {
        throw this.fail(`${words.join(' ')}: one number${key === 'nodes' ? ', from 1' : ''}`);
      }
      this.counts.set(key, value);
      return;
    }
    if (key === 'trigger') this.readTrigger(words);
    else if (key === 'failure') this.readFailure(words);
    else if (first.includes('->')) this.readConnection(words);
    else throw this.fail(`${show(first)}: a line is SRC->DST, trigger, failure, or a count`);
  }

  private readConnection([ends = '', ...rest]: readonly string[]): void {
    const [from, to] = ends.split('->').map((word) => this.node(word));
    if (from === to) throw this.fail(`node ${from!} would send to itself`);
    const names = ['id', 'start', 'trigger', 'size', 'msg', 'prio'];
    const known = [...names, 'send_done_trigger', 'recv_done_trigger'];
    const words = this.pairs(this.numbered(rest), known);
    const value = (key: string): number | null => words.get(key) ?? null;
    const [start, trigger] = [value('start'), value('trigger')];
    if ((start === null) === (trigger === null)) {
      const what = start === null ? 'neither start nor trigger' : 'start and trigger';
      throw this.fail(`${ends} has ${what}; a connection has one of them`);
    }
    const [id, octets] = [value('id'), value('size')];
    if (trigger !== null && id === null) throw this.fail(`${ends}: a trigger needs an id`);
    if (octets === null) throw this.fail(`${ends} has no size; write size 1000000`);
    if (octets === 0) {
      throw this.fail(`${ends} has size 0, and would send without end; write a size`);
    }
    // Digits of less than a picosecond say nothing.
    const startPs = start === null ? null : Math.round(start * PS_OF[this.unit]);
    if (startPs !== null && !Number.isSafeInteger(startPs)) {
      throw this.fail(`start ${start!} ${this.unit} is too late`);
    }
    this.connections.push({
      ...{ line: this.line, from: from!, to: to!, id, startPs, trigger, octets },
      callsWhenSent: value('send_done_trigger'),
      callsWhenReceived: value('recv_done_trigger'),
      message: value('msg'),
    });
  }

  /** `msg` may have no number: such messages of connections count from 1, in their order. */
  private numbered(words: readonly string[]): readonly string[] {
    const at = words.indexOf('msg');
    if (at < 0 || at % 2 === 1 || /^\d/.test(words[at + 1] ?? '')) return words;
    return words.toSpliced(at + 1, 0, String(++this.unnumbered));
  }

  private readTrigger([, key, id, kind = '', ...rest]: readonly string[]): void {
    if (key !== 'id') throw this.fail('a trigger is: trigger id 1 oneshot|multishot|barrier');
    const number = this.number('id', id);
    if (this.triggers.has(number)) throw this.fail(`trigger ${number} is there twice`);
    if (kind !== 'oneshot' && kind !== 'multishot' && kind !== 'barrier') {
      throw this.fail(`trigger ${number} is ${show(kind)}; oneshot, multishot or barrier`);
    }
    const words = this.pairs(rest, ['count']);
    const count = words.get('count') ?? (kind === 'barrier' ? 0 : 1);
    if (count < 1 || (kind !== 'barrier' && words.size > 0)) {
      throw this.fail(`trigger ${number}: a barrier has a count from 1, and others have none`);
    }
    this.triggers.set(number, { line: this.line, kind, count });
  }

  private readFailure([, ...rest]: readonly string[]): void {
    const at = rest.indexOf('switch_type');
    const tier = rest[at + 1]?.toUpperCase();
    if (at < 0 || (tier !== 'TOR' && tier !== 'AGG' && tier !== 'CORE')) {
      throw this.fail('a failure is: failure switch_type TOR|AGG|CORE switch_id 0 link_id 0');
    }
    const words = this.pairs(rest.toSpliced(at, 2), ['switch_id', 'link_id']);
    if (words.size < 2) {
      throw this.fail('a failure has a switch_id and a link_id');
    }
    this.failures++;
  }

  /** `key number key number …`, each key once. */
  private pairs(words: readonly string[], known: readonly string[]): Map<string, number> {
    const pairs = new Map<string, number>();
    for (let i = 0; i < words.length; i += 2) {
      const key = words[i]!;
      if (!known.includes(key)) throw this.fail(`${show(key)}: one of ${known.join(', ')}`);
      if (pairs.has(key)) throw this.fail(`${key} is there twice`);
      pairs.set(key, this.number(key, words[i + 1]));
    }
    return pairs;
  }

  private node(word: string): number {
    const node = this.number('a node', word);
    const nodes = this.counts.get('nodes');
    if (nodes !== undefined && node < nodes) return node;
    if (nodes === undefined) throw this.fail('the number of nodes comes first: Nodes 16');
    throw this.fail(`there is no node ${word}: they are 0 to ${nodes - 1}`);
  }

  /** Times may have decimals. */
  private number(key: string, word: string | undefined): number {
    const form = key === 'start' ? /^\d{1,16}(\.\d{1,12})?$/ : /^\d{1,16}$/;
    const value = word !== undefined && form.test(word) ? Number(word) : NaN;
    if (key === 'start' ? Number.isFinite(value) : Number.isSafeInteger(value)) return value;
    throw this.fail(`${key}: ${word === undefined ? 'a number is missing' : show(word)}`);
  }

  private checkCount(key: string, found: number): void {
    const said = this.counts.get(key) ?? 0;
    if (said === found || (key === 'failures' && !this.counts.has(key))) return;
    throw this.source.errorAt(1, `it says ${said} ${key}, and the file has ${found}`);
  }
}
