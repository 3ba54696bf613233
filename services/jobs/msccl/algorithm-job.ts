import { COMPUTE, RECEIVE, SEND } from '../../engine/contract/operations.js';
import { GraphBuilder, type JobGraph, type RankBuilder } from '../graph.js';
import type { JobSource } from '../source.js';
import { partsOf } from '../steps/collectives.js';
import type { Algorithm, Block, BlockStep } from './read-algorithm.js';

/** Copies and reductions take no time and no stream. */
const NO_STREAM = -1;
const NO_STEP = -1;

/** The job of an algorithm for a vector of so many octets; throws all errors. */
export function algorithmJob(source: JobSource, algorithm: Algorithm, octets: number): JobGraph {
  return new AlgorithmJob(source, algorithm, octets).build();
}

/** A step that sends or receives, at its GPU. */
interface Half {
  readonly gpu: number;
  readonly block: Block;
  readonly step: BlockStep;
}

class AlgorithmJob {
  private readonly builder: GraphBuilder;
  /** By chunk of the vector. */
  private readonly sizes: readonly number[];
  private readonly ownStep: number;
  /** By connection (sender, receiver and channel): its steps in order, at either end. */
  private readonly sends = new Map<string, Half[]>();
  private readonly receives = new Map<string, Half[]>();
  /** Of both ends of a message: its number. */
  private readonly tagOf = new Map<BlockStep, { send?: number; receive?: number }>();
  private readonly octetsOf = new Map<BlockStep, number>();

  constructor(
    private readonly source: JobSource,
    private readonly algorithm: Algorithm,
    octets: number,
  ) {
    const { gpus, chunks, collective } = algorithm;
    this.builder = new GraphBuilder(gpus.length);
    this.sizes = partsOf(octets, chunks);
    const group = gpus.map(({ id }) => id);
    const step = collective === null ? null : { kind: collective, group, octets };
    this.ownStep = step === null ? NO_STEP : this.builder.steps.push(step) - 1;
  }

  build(): JobGraph {
    this.collect();
    this.pair();
    this.source.settle();
    for (const { id, blocks } of this.algorithm.gpus) this.addGpu(id, blocks);
    this.source.settle();
    return this.builder.build();
  }

  private collect(): void {
    const add = (lists: Map<string, Half[]>, key: string, half: Half): void => {
      const own = lists.get(key);
      if (own === undefined) lists.set(key, [half]);
      else own.push(half);
    };
    for (const { id: gpu, blocks } of this.algorithm.gpus) {
      const taken = new Map<string, Block>();
      for (const block of blocks) {
        for (const step of block.steps) {
          const half = { gpu, block, step };
          if (step.sends) add(this.sends, `${gpu} ${block.sendsTo!} ${block.channel}`, half);
          if (step.receives) {
            add(this.receives, `${block.receivesFrom!} ${gpu} ${block.channel}`, half);
          }
        }
        this.source.attempt(() => {
          this.checkConnections(gpu, block, taken);
        });
      }
    }
  }

  /** Two thread blocks that share a connection would have no order between their steps. */
  private checkConnections(gpu: number, block: Block, taken: Map<string, Block>): void {
    for (const [way, peer] of [
      ['send', block.sendsTo],
      ['recv', block.receivesFrom],
    ] as const) {
      if (peer === null) continue;
      const key = `${way} ${peer} ${block.channel}`;
      const other = taken.get(key);
      if (other !== undefined) {
        const what = `gpu ${gpu}: tb ${other.id} and tb ${block.id} both have ${way} ${peer}`;
        throw this.source.errorAt(block.line, `${what} on channel ${block.channel}`);
      }
      taken.set(key, block);
    }
  }

  /** The k-th step that sends on a connection goes with the k-th that receives on it. */
  private pair(): void {
    let tags = 0;
    for (const key of new Set([...this.sends.keys(), ...this.receives.keys()])) {
      const [sends, receives] = [this.sends.get(key) ?? [], this.receives.get(key) ?? []];
      for (let k = 0; k < Math.max(sends.length, receives.length); k++) {
        const [send, receive] = [sends[k], receives[k]];
        const tag = tags++;
        this.source.attempt(() => {
          this.check(send, receive, key);
        });
        if (send === undefined || receive === undefined) continue;
        this.tagOf.set(send.step, { ...this.tagOf.get(send.step), send: tag });
        this.tagOf.set(receive.step, { ...this.tagOf.get(receive.step), receive: tag });
        this.octetsOf.set(receive.step, this.octets(send.step));
      }
    }
  }

  private check(send: Half | undefined, receive: Half | undefined, key: string): void {
    const [from, to, channel] = key.split(' ');
    if (send === undefined || receive === undefined) {
      const [half, does, missing, peer] = send
        ? [send, 'sends', 'receives', to!]
        : [receive!, 'receives', 'sends', from!];
      const what = `${titleOf(half)} ${does}, and no step of gpu ${peer} ${missing} it`;
      throw this.source.errorAt(half.step.line, `${what} (channel ${channel!})`);
    }
    if (send.step.count === receive.step.count) return;
    const what = `${titleOf(send)} sends ${send.step.count} chunks`;
    const other = `${titleOf(receive)}, which receives them, has ${receive.step.count}`;
    throw this.source.errorAt(send.step.line, `${what}, and ${other}`);
  }

  /** Buffers beside the vector hold copies of its chunks. */
  private octets({ chunk, count }: BlockStep): number {
    const { sizes } = this;
    let sum = 0;
    for (let i = 0; i < count; i++) sum += sizes[(chunk + i) % sizes.length]!;
    return sum;
  }

  private addGpu(gpu: number, blocks: readonly Block[]): void {
    const own = this.builder.ranks[gpu]!;
    const placed = new Map<BlockStep, number>();
    for (const block of blocks) {
      for (const step of block.steps) placed.set(step, this.addStep(own, block, step));
    }
    for (const block of blocks) {
      block.steps.forEach((step, k) => {
        const operation = placed.get(step)!;
        if (k > 0) own.require(operation, placed.get(block.steps[k - 1]!)!, 'done');
        if (step.after === null) return;
        const { after } = step;
        this.source.attempt(() => {
          const before = blocks.find(({ id }) => id === after.block)?.steps[after.step];
          if (before === undefined) {
            const what = `${titleOf({ gpu, block, step })} waits for step ${after.step}`;
            throw this.source.errorAt(
              step.line,
              `${what} of tb ${after.block}, which is not there`,
            );
          }
          own.require(operation, placed.get(before)!, 'done');
        });
      });
    }
  }

  /**
   * The operation that ends a step. What it receives may come before the step is reached: there are
   * slots for it.
   */
  private addStep(own: RankBuilder, block: Block, step: BlockStep): number {
    const { line, number, type } = step;
    const details = {
      ...{ stream: NO_STREAM, step: this.ownStep, origin: line },
      name: `tb ${block.id} step ${number} ${type}`,
    };
    const tags = this.tagOf.get(step);
    const message = { ...details, peer: block.sendsTo!, tag: tags?.send ?? 0 };
    const last = step.sends
      ? own.add(SEND, this.octets(step), message)
      : own.add(COMPUTE, 0, details);
    if (step.receives) {
      const from = { ...details, peer: block.receivesFrom!, tag: tags!.receive! };
      own.require(last, own.add(RECEIVE, this.octetsOf.get(step)!, from), 'done');
    }
    return last;
  }
}

function titleOf({ gpu, block, step }: Half): string {
  return `gpu ${gpu}, tb ${block.id}, step ${step.number}`;
}
