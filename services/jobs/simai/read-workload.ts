import { show } from '../../settings/errors.js';
import type { JobSource } from '../source.js';

// A workload of SimAI cef83f9: a line of `key: value` pairs, the number of layers, and twelve
// fields a layer: name, dependency, then time, collective and bytes of the forward pass, of
// gradients of the input and of gradients of the weights, and the time of the update.

/** The one order of passes that is known here. */
const POLICY = 'HYBRID_TRANSFORMER_FWD_IN_BCKWD';
const FIELDS = 12;
/** A smaller collective of the forward pass is one of so many octets. */
const LEAST_FORWARD_OCTETS = 4096;
const RANKS_MOST = 1 << 20;

const KINDS: Readonly<Record<string, string>> = {
  ALLREDUCE: 'all-reduce',
  ALLGATHER: 'all-gather',
  REDUCESCATTER: 'reduce-scatter',
  ALLTOALL: 'all-to-all',
};

/** Which ranks take part: those that share a tensor, a shard of data, an expert, or its copies. */
export type GroupKind = 'tensor' | 'data' | 'expert' | 'data-expert';

interface Part {
  readonly computePs: number;
  readonly collective: LayerCollective | null;
}

export interface LayerCollective {
  readonly kind: string;
  readonly group: GroupKind;
  readonly octets: number;
}

export interface Layer {
  readonly name: string;
  readonly line: number;
  readonly forward: Part;
  readonly inputGradient: Part;
  readonly weightGradient: Part;
  readonly updatePs: number;
}

export interface Workload {
  readonly ranks: number;
  /** Ranks that share a tensor, experts, and stages of the pipeline. */
  readonly tensor: number;
  readonly expert: number;
  readonly pipeline: number;
  /** Octets that a stage passes on, which nothing sends here; 0: none. */
  readonly pipelineOctets: number;
  readonly layers: readonly Layer[];
  /** Layers from which a forward pass may be repeated, and those before whose gradients it is. */
  readonly checkpoints: ReadonlySet<number>;
  readonly repeats: ReadonlySet<number>;
}

export function isWorkload(text: string): boolean {
  return /^\s*[A-Z_]+[ \t]+\w+:/.test(text) && /\ball_gpus:/.test(text);
}

/** Throws all errors of the file. */
export function readWorkload(source: JobSource, text: string): Workload {
  return new WorkloadReader(source, text).read();
}

class WorkloadReader {
  private readonly lines: readonly (readonly string[])[];

  constructor(
    private readonly source: JobSource,
    text: string,
  ) {
    this.lines = text.split('\n').map((line) => line.trim().split(/\s+/).filter(Boolean));
  }

  read(): Workload {
    const [head = [], second = []] = this.lines;
    const fields = this.fieldsOf(head);
    const number = (key: string, otherwise: number | null): number =>
      this.headNumber(fields, key, otherwise);
    const sizes = this.source.attempt(() => ({
      ranks: number('all_gpus', null),
      tensor: number('model_parallel_NPU_group', null),
      expert: number('ep', 1),
      pipeline: number('pp', 1),
      pipelineOctets: fields.has('pp_comm') ? this.headOctets(fields.get('pp_comm')!) : 0,
    }));
    if (sizes !== null) {
      this.source.attempt(() => {
        this.checkSizes(sizes);
      });
    }
    const count = this.source.attempt(() => this.layerCount(second));
    const layers = this.lines.slice(2).flatMap((words, i) => {
      if (words.length === 0) return [];
      return this.source.attempt(() => this.layerOf(words, i + 3)) ?? [];
    });
    const [checkpoints, repeats] = ['checkpoints', 'checkpoint_initiates'].map((key) =>
      this.source.attempt(() => this.layersNamed(key, fields.get(key) ?? [], layers.length)),
    );
    this.source.settle();
    if (count !== layers.length) {
      throw this.fail(2, `it says ${count!} layers, and the file has ${layers.length}`);
    }
    return { ...sizes!, layers, checkpoints: checkpoints!, repeats: repeats! };
  }

  private fail(line: number, message: string): Error {
    return this.source.errorAt(line, message);
  }

  /** Words behind each `key:`, up to the next. */
  private fieldsOf([policy, ...words]: readonly string[]): Map<string, string[]> {
    const fields = new Map<string, string[]>();
    this.source.attempt(() => {
      if (policy === POLICY) return;
      throw this.fail(1, `the order of passes is ${show(policy)}; ${POLICY} is known`);
    });
    let own: string[] = [];
    for (const word of words) {
      // SimAI writes this one with and without a colon.
      const key = /^(\w+):$/.exec(word)?.[1] ?? (word === 'pp_comm' ? word : null);
      if (key === null) own.push(word);
      else fields.set(key, (own = []));
    }
    return fields;
  }

  private headNumber(
    fields: ReadonlyMap<string, readonly string[]>,
    key: string,
    otherwise: number | null,
  ): number {
    const words = fields.get(key);
    if (words === undefined && otherwise !== null) return otherwise;
    const value = this.whole(words?.length === 1 ? words[0]! : '');
    if (value !== null && value >= 1 && value <= RANKS_MOST) return value;
    const written = words === undefined ? 'is missing' : `is ${show(words.join(' '))}`;
    throw this.fail(1, `${key}: ${written}; a whole number from 1`);
  }

  private headOctets(words: readonly string[]): number {
    const octets = this.whole(words.length === 1 ? words[0]! : '');
    if (octets !== null) return octets;
    throw this.fail(1, `pp_comm: is ${show(words.join(' '))}; a number of bytes`);
  }

  private checkSizes({ ranks, tensor, expert, pipeline }: Sizes): void {
    const data = ranks / (tensor * pipeline);
    if (!Number.isInteger(data)) {
      const what = `${ranks} ranks are no multiple of ${tensor} (tensor) times ${pipeline}`;
      throw this.fail(1, `${what} (pipeline)`);
    }
    if (!Number.isInteger(data / expert)) {
      throw this.fail(1, `ep: ${expert} does not divide the ${data} ranks that share data`);
    }
  }

  private layerCount(words: readonly string[]): number {
    const count = this.whole(words.length === 1 ? words[0]! : '');
    if (count !== null) return count;
    throw this.fail(2, `${show(words.join(' '))}: the number of layers`);
  }

  /** `checkpoints: 2 5 9` are two layers: 5 and 9. */
  private layersNamed(key: string, words: readonly string[], layers: number): Set<number> {
    const [count = 0, ...named] = words.map((word) => this.whole(word) ?? NaN);
    const stray = named.find((layer) => !(layer < layers));
    if (count !== named.length || stray !== undefined) {
      const what = `${key}: ${words.join(' ')}`;
      throw this.fail(1, `${what} is no number of layers and so many of 0 to ${layers - 1}`);
    }
    return new Set(named);
  }

  private layerOf(words: readonly string[], line: number): Layer {
    if (words.length !== FIELDS) {
      throw this.fail(line, `${words.length} fields; a layer has ${FIELDS}`);
    }
    const part = (at: number, usual: GroupKind, least: number): Part => ({
      computePs: this.time(words[at]!, line),
      collective: this.collectiveOf(words[at + 1]!, words[at + 2]!, { line, usual, least }),
    });
    return {
      ...{ name: words[0]!, line },
      forward: part(2, 'tensor', LEAST_FORWARD_OCTETS),
      inputGradient: part(5, 'tensor', 1),
      weightGradient: part(8, 'data', 1),
      updatePs: this.time(words[11]!, line),
    };
  }

  private time(word: string, line: number): number {
    const ns = this.whole(word);
    if (ns !== null && Number.isSafeInteger(ns * 1000)) return ns * 1000;
    throw this.fail(line, `${show(word)} is no time in whole nanoseconds`);
  }

  private collectiveOf(
    word: string,
    size: string,
    { line, usual, least }: { line: number; usual: GroupKind; least: number },
  ): LayerCollective | null {
    const octets = this.whole(size);
    if (octets === null) throw this.fail(line, `${show(size)} is no number of bytes`);
    const [, name, suffix] = /^([A-Z]+?)(_EP|_DP_EP)?$/.exec(word) ?? [];
    if (name === 'NONE') return null;
    const kind = name === undefined ? undefined : KINDS[name];
    if (kind === undefined) {
      const known = `NONE, ${Object.keys(KINDS).join(', ')}, also with _EP or _DP_EP`;
      throw this.fail(line, `${show(word)} is no collective that is known: ${known}`);
    }
    if (octets === 0) return null;
    const group = suffix === '_EP' ? 'expert' : suffix === '_DP_EP' ? 'data-expert' : usual;
    return { kind, group, octets: Math.max(octets, least) };
  }

  private whole(word: string): number | null {
    const value = /^\d{1,16}$/.test(word) ? Number(word) : NaN;
    return Number.isSafeInteger(value) ? value : null;
  }
}

type Sizes = Pick<Workload, 'ranks' | 'tensor' | 'expert' | 'pipeline'>;
