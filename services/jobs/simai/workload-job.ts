import { COMPUTE } from '../../engine/contract/operations.js';
import { GraphBuilder, type JobGraph } from '../graph.js';
import { COLLECTIVES, weaveMessages } from '../steps/collectives.js';
import { Weaver } from '../steps/weaver.js';
import type { GroupKind, Layer, LayerCollective, Workload } from './read-workload.js';

/** All ranks compute in one stream; updates of weights take none. */
const [COMPUTING, NO_STREAM] = [0, -1];
const NOTHING = -1;

/**
 * The job of a workload, in the order of SimAI: forward through the layers, whose collectives are
 * waited for; backward, where those of weights are not. A pass begins a layer forward when its
 * weights of the pass before are there.
 */
export function workloadJob(workload: Workload, passes: number): JobGraph {
  return new WorkloadJob(workload).build(passes);
}

class WorkloadJob {
  private readonly builder: GraphBuilder;
  private readonly weaver: Weaver;
  private readonly groups: Readonly<Record<GroupKind, readonly (readonly number[])[]>>;
  /** By rank: what its next computation or collective waits for. */
  private readonly lasts: Int32Array;
  /** By rank: the collective of weights before, as they go one after the other. */
  private readonly weights: Int32Array;
  /** By layer, and by rank: its update of the pass before. */
  private readonly updates: Int32Array[];

  constructor(private readonly workload: Workload) {
    const { ranks, layers } = workload;
    this.builder = new GraphBuilder(ranks);
    this.weaver = new Weaver(ranks, this.builder);
    this.groups = groupsOf(workload);
    this.lasts = new Int32Array(ranks).fill(NOTHING);
    this.weights = new Int32Array(ranks).fill(NOTHING);
    this.updates = layers.map(() => new Int32Array(ranks).fill(NOTHING));
  }

  build(passes: number): JobGraph {
    const { layers, repeats } = this.workload;
    this.builder.expectAll(passes * this.operationsOfPass());
    for (let pass = 0; pass < passes; pass++) {
      layers.forEach((layer, i) => {
        this.forEachRank((rank) => {
          this.lasts[rank] = this.join(rank, [this.lasts[rank]!, this.updates[i]![rank]!], layer);
        });
        this.goForward(layer);
      });
      for (let i = layers.length - 1; i >= 0; i--) {
        if (repeats.has(i)) {
          for (const layer of layers.slice(this.checkpointBefore(i), i)) this.goForward(layer);
        }
        this.goBackward(layers[i]!, i);
      }
    }
    return this.builder.build();
  }

  /** Computations, updates, and both ends of messages: what joins others adds some more. */
  private operationsOfPass(): number {
    const { layers, ranks } = this.workload;
    let [perRank, messages] = [0, 0];
    for (const { forward, inputGradient, weightGradient } of layers) {
      perRank += 4;
      for (const { collective } of [forward, inputGradient, weightGradient]) {
        if (collective !== null) messages += this.messagesOf(collective);
      }
    }
    return perRank * ranks + 2 * messages;
  }

  /** In all groups together. */
  private messagesOf({ kind, group }: LayerCollective): number {
    const { messages } = COLLECTIVES[kind]!.algorithms[algorithmOf(kind)]!;
    return this.groups[group].reduce((sum, ranks) => sum + messages(ranks.length), 0);
  }

  /** The last layer up to one whose results are kept; without any, the first. */
  private checkpointBefore(layer: number): number {
    const { checkpoints } = this.workload;
    return Math.max(0, ...[...checkpoints].filter((kept) => kept <= layer));
  }

  private goForward(layer: Layer): void {
    this.compute(layer, layer.forward.computePs, 'forward');
    this.waitFor(layer, layer.forward.collective);
  }

  private goBackward(layer: Layer, index: number): void {
    const { inputGradient, weightGradient, updatePs } = layer;
    this.compute(layer, inputGradient.computePs, 'input gradient');
    this.waitFor(layer, inputGradient.collective);
    this.compute(layer, weightGradient.computePs, 'weight gradient');
    const { collective } = weightGradient;
    const updates = this.updates[index]!;
    if (collective === null) {
      this.forEachRank((rank) => (updates[rank] = this.lasts[rank]!));
    } else {
      const starts = this.lasts.map((last, rank) =>
        this.join(rank, [last, this.weights[rank]!], layer),
      );
      const ends = this.collect(layer, collective, starts);
      this.weights.set(ends);
      updates.set(ends);
    }
    this.forEachRank((rank) => {
      const details = { stream: NO_STREAM, origin: layer.line, name: `${layer.name} update` };
      updates[rank] = this.add(rank, updatePs, [updates[rank]!], details);
    });
  }

  private compute({ name, line }: Layer, durationPs: number, what: string): void {
    const details = { stream: COMPUTING, origin: line, name: `${name} ${what}` };
    this.forEachRank((rank) => {
      this.lasts[rank] = this.add(rank, durationPs, [this.lasts[rank]!], details);
    });
  }

  /** A collective that the next computation of each rank waits for. */
  private waitFor(layer: Layer, collective: LayerCollective | null): void {
    if (collective !== null) this.lasts.set(this.collect(layer, collective, this.lasts));
  }

  /** In each of its groups, from an operation of each rank on; returns what ends it at each. */
  private collect(layer: Layer, collective: LayerCollective, starts: Int32Array): Int32Array {
    const { kind, group, octets } = collective;
    this.weaver.expect(this.messagesOf(collective));
    const ends = starts.slice();
    for (const ranks of this.groups[group]) {
      if (ranks.length < 2) continue;
      const step = { kind, group: ranks, octets };
      const begin = (rank: number): number => starts[rank]!;
      this.weaver.weave(step, begin, () => {
        weaveMessages(this.weaver, step, { algorithm: algorithmOf(kind), chunks: 1 });
      });
      for (const rank of ranks) ends[rank] = this.join(rank, this.weaver.joined[rank]!, layer);
    }
    return ends;
  }

  /** What is done when all of these are. */
  private join(rank: number, operations: readonly number[], { line }: Layer): number {
    const known = operations.filter((one) => one !== NOTHING);
    if (known.length < 2) return known[0] ?? NOTHING;
    return this.add(rank, 0, known, { stream: NO_STREAM, origin: line });
  }

  private add(
    rank: number,
    durationPs: number,
    after: readonly number[],
    details: { stream: number; origin: number; name?: string },
  ): number {
    const own = this.builder.ranks[rank]!;
    const operation = own.add(COMPUTE, durationPs, details);
    for (const one of after) if (one !== NOTHING) own.require(operation, one, 'done');
    return operation;
  }

  private forEachRank(visit: (rank: number) => void): void {
    for (let rank = 0; rank < this.workload.ranks; rank++) visit(rank);
  }
}

/**
 * Ranks of a tensor stand beside each other; those that share data have the same place in each
 * stage. Of these, so many in a row have the experts, and every so-manieth has the same one.
 */
function groupsOf({
  ranks,
  tensor,
  expert,
  pipeline,
}: Workload): Record<GroupKind, readonly (readonly number[])[]> {
  const stride = tensor * pipeline;
  const copies = ranks / stride;
  const data = range(stride, (place) => range(copies, (copy) => place + copy * stride));
  return {
    data,
    tensor: range(ranks / tensor, (block) => range(tensor, (place) => block * tensor + place)),
    expert: data.flatMap((own) =>
      range(copies / expert, (block) => own.slice(block * expert, (block + 1) * expert)),
    ),
    'data-expert': data.flatMap((own) =>
      range(expert, (place) => own.filter((_, i) => i % expert === place)),
    ),
  };
}

/** The first is the one that libraries take. */
function algorithmOf(kind: string): string {
  return Object.keys(COLLECTIVES[kind]!.algorithms)[0]!;
}

function range<Value>(count: number, valueOf: (i: number) => Value): Value[] {
  return Array.from({ length: count }, (_, i) => valueOf(i));
}
