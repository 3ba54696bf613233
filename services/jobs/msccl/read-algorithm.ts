import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { show } from '../../settings/errors.js';
import type { JobSource } from '../source.js';

// An algorithm of MSCCL b23e9cd, as msccl-tools 7e7d6bf writes it: `algo` > `gpu` > `tb` (a thread
// block) > `step`. Newer files say `op` for step, and `step`, `buf` and `off` for its attributes.

/** By type of a step: whether it receives, and whether it sends, in this order. */
const TYPES: Readonly<Record<string, readonly [receives: boolean, sends: boolean]>> = {
  s: [false, true],
  r: [true, false],
  rcs: [true, true],
  rrs: [true, true],
  rrcs: [true, true],
  rrc: [true, false],
  cpy: [false, false],
  re: [false, false],
  nop: [false, false],
};

/** By name in the file: the collective that it is; null: none that has a name here. */
const COLLECTIVES: Readonly<Record<string, string | null>> = {
  allreduce: 'all-reduce',
  allgather: 'all-gather',
  reduce_scatter: 'reduce-scatter',
  alltoall: 'all-to-all',
  broadcast: 'broadcast',
  reduce: 'reduce',
  custom: null,
};

const NUMBER_MOST = 1 << 20;

export interface BlockStep {
  readonly line: number;
  readonly number: number;
  readonly type: string;
  readonly receives: boolean;
  readonly sends: boolean;
  /** Chunks from this one of the vector on. */
  readonly chunk: number;
  readonly count: number;
  /** The step of a thread block of this GPU that must be done; null: none. */
  readonly after: { readonly block: number; readonly step: number } | null;
}

export interface Block {
  readonly id: number;
  readonly line: number;
  /** Peers; null: it sends, or receives, nothing. */
  readonly sendsTo: number | null;
  readonly receivesFrom: number | null;
  readonly channel: number;
  readonly steps: BlockStep[];
}

interface Gpu {
  readonly id: number;
  readonly line: number;
  /** By letter of a buffer: its chunks. */
  readonly chunks: Readonly<Record<string, number>>;
  readonly blocks: Block[];
}

export interface Algorithm {
  readonly name: string;
  readonly collective: string | null;
  /** Chunks of a vector. */
  readonly chunks: number;
  readonly gpus: readonly Gpu[];
}

export function isAlgorithm(text: string): boolean {
  return /^(?:\uFEFF)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^]*?-->\s*)*<algo\b/.test(text);
}

/** Throws all errors of the file. */
export function readAlgorithm(source: JobSource, text: string): Algorithm {
  return new AlgorithmReader(source).read(text);
}

type Attributes = Readonly<Record<string, string>>;

class AlgorithmReader {
  private readonly parser = new SaxesParser();
  private readonly gpus: Gpu[] = [];
  private head: Pick<Algorithm, 'name' | 'collective' | 'chunks'> | null = null;
  private ranks = 0;
  private gpu: Gpu | null = null;
  private block: Block | null = null;
  private isBroken = false;

  constructor(private readonly source: JobSource) {}

  read(text: string): Algorithm {
    this.parser.on('error', (error) => {
      // What follows it is read as something else, and only the first is worth its line.
      if (this.isBroken) return;
      this.isBroken = true;
      const message = error.message.replace(/^[^:]*:\d+:\d+: /, '');
      this.source.attempt(() => {
        throw this.fail(`this is no XML: ${message}`);
      });
    });
    this.parser.on('opentag', (tag) => {
      if (!this.isBroken)
        this.source.attempt(() => {
          this.open(tag);
        });
    });
    this.parser.write(text).close();
    if (this.head === null && !this.isBroken) {
      this.source.attempt(() => {
        throw this.source.errorAt(1, 'no <algo>: it is no algorithm of MSCCL');
      });
    }
    this.source.settle();
    this.source.attempt(() => {
      this.checkGpus();
    });
    this.source.settle();
    return { ...this.head!, gpus: this.gpus.toSorted((a, b) => a.id - b.id) };
  }

  private fail(message: string): Error {
    return this.source.errorAt(this.parser.line, message);
  }

  private open({ name, attributes }: SaxesTagPlain): void {
    switch (name) {
      case 'algo':
        this.openAlgorithm(attributes);
        return;
      case 'gpu':
        this.openGpu(attributes);
        return;
      case 'tb':
        this.openBlock(attributes);
        return;
      case 'step':
      case 'op':
        this.openStep(attributes);
        return;
      default:
        throw this.fail(`<${name}>: algo, gpu, tb and step are known`);
    }
  }

  private openAlgorithm(attributes: Attributes): void {
    const { coll = '', name = '' } = attributes;
    this.ranks = this.number(attributes, 'ngpus', 1);
    const chunks = this.number(attributes, 'nchunksperloop', 1);
    const collective = COLLECTIVES[coll];
    if (collective === undefined) {
      const known = Object.keys(COLLECTIVES).join(', ');
      throw this.fail(`coll is ${show(coll)}; it is one of ${known}`);
    }
    this.head = { name, collective, chunks };
  }

  private openGpu(attributes: Attributes): void {
    // Errors of the head have no part here.
    if (this.head === null) return;
    const id = this.number(attributes, 'id', 0);
    if (id >= this.ranks) throw this.fail(`gpu ${id}: ngpus is ${this.ranks}`);
    if (this.gpus.some((other) => other.id === id)) throw this.fail(`gpu ${id} is there twice`);
    const chunks = Object.fromEntries(
      ['i', 'o', 's'].map((letter) => [letter, this.number(attributes, `${letter}_chunks`, 0)]),
    );
    this.block = null;
    this.gpu = { id, line: this.parser.line, chunks, blocks: [] };
    this.gpus.push(this.gpu);
  }

  private openBlock(attributes: Attributes): void {
    const { gpu } = this;
    if (gpu === null) return;
    const id = this.number(attributes, 'id', 0);
    if (gpu.blocks.some((other) => other.id === id)) {
      throw this.fail(`tb ${id} is there twice in gpu ${gpu.id}`);
    }
    const peers = ['send', 'recv'].map((key) => {
      const peer = this.number(attributes, key, -1);
      if (peer === gpu.id) throw this.fail(`gpu ${gpu.id}, tb ${id}: ${key} names itself`);
      if (peer < this.ranks) return peer < 0 ? null : peer;
      throw this.fail(`gpu ${gpu.id}, tb ${id}: ${key} is ${peer}, and ngpus is ${this.ranks}`);
    });
    const channel = this.number(attributes, 'chan', 0);
    const [sendsTo, receivesFrom] = peers as [number | null, number | null];
    this.block = { id, line: this.parser.line, sendsTo, receivesFrom, channel, steps: [] };
    gpu.blocks.push(this.block);
  }

  private openStep(attributes: Attributes): void {
    const { gpu, block } = this;
    if (gpu === null || block === null) return;
    const { type = '' } = attributes;
    const number = this.number(attributes, 's' in attributes ? 's' : 'step', 0);
    const title = `gpu ${gpu.id}, tb ${block.id}, step ${number}`;
    if (number !== block.steps.length) {
      throw this.fail(`${title}: step ${block.steps.length} comes now; they are in order`);
    }
    const does = TYPES[type];
    if (does === undefined) {
      throw this.fail(`${title}: type is ${show(type)}; one of ${Object.keys(TYPES).join(', ')}`);
    }
    const [receives, sends] = does;
    if (sends && block.sendsTo === null) throw this.fail(`${title} sends, and its tb has no send`);
    if (receives && block.receivesFrom === null) {
      throw this.fail(`${title} receives, and its tb has no recv`);
    }
    const count = this.number(attributes, 'cnt', 0);
    const isLocal = !sends && !receives;
    const chunk = isLocal ? 0 : this.chunkOf(attributes, count, title);
    const [depid, deps] = [
      this.number(attributes, 'depid', -1),
      this.number(attributes, 'deps', -1),
    ];
    const after = depid < 0 || deps < 0 ? null : { block: depid, step: deps };
    const { line } = this.parser;
    block.steps.push({ line, number, type, receives, sends, chunk, count, after });
  }

  /** What is sent is read from the source, what is received only goes to the destination. */
  private chunkOf(attributes: Attributes, count: number, title: string): number {
    const { chunks } = this.gpu!;
    const [buffer, key] =
      'srcbuf' in attributes
        ? [attributes['srcbuf'] ?? '', 'srcoff']
        : [attributes['buf'] ?? 'i', 'off'];
    const chunk = this.number(attributes, key, 0);
    const room = chunks[buffer];
    if (room === undefined) throw this.fail(`${title}: buffer ${show(buffer)}; i, o or s`);
    // Of an algorithm in place, input and output are one buffer.
    const most = buffer === 's' ? room : Math.max(room, chunks['i']!, chunks['o']!);
    if (chunk + count <= most) return chunk;
    const what = `chunks ${chunk} to ${chunk + count - 1}`;
    throw this.fail(`${title}: ${what} of buffer ${buffer}, which has ${most}`);
  }

  private checkGpus(): void {
    if (this.gpus.length !== this.ranks) {
      throw this.source.errorAt(1, `ngpus is ${this.ranks}, and the file has ${this.gpus.length}`);
    }
  }

  private number(attributes: Attributes, key: string, least: number): number {
    const word = attributes[key];
    const value = word !== undefined && /^-?\d{1,9}$/.test(word.trim()) ? Number(word) : NaN;
    if (value >= least && value <= NUMBER_MOST) return value;
    const written = word === undefined ? 'is missing' : `is ${show(word)}`;
    throw this.fail(`${key} ${written}; a whole number from ${least}`);
  }
}
