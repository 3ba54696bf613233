import type { selvage } from '#contracts';
import type { CheckpointStore, NamedManifest } from '../runtime/checkpoints/store.js';
import type { Log } from '../runtime/log.js';
import type { OperationLog } from '../runtime/operations.js';
import { unixMs } from '../runtime/operations.js';
import { isDeepStrictEqual } from 'node:util';
import type { Checkpoint, Cut, Layout } from './manifest.js';
import { packManifest, unpackManifest } from './manifest.js';

/** Checkpoints take at most this share of the wall-clock time of a run. */
const MOST_SHARE = 0.05;
/** So many times as long as the last one took, the run goes on before the next. */
const PAUSE_PER_COST = 1 / MOST_SHARE - 1;

/** Identity of the run, and the interval of its checkpoints. */
interface CheckpointOptions {
  readonly run: string;
  readonly services: number;
  readonly layout: Layout;
  /** Wall-clock time between them, at least. */
  readonly checkpointMs: number;
  readonly log: Log;
  readonly operations: OperationLog;
}

/** Outcome of a service's report about a checkpoint; a Promise is the commit of all of them. */
type SaveVerdict = 'unwanted' | 'waiting' | 'given up' | Promise<void>;

/** The checkpoints of a run: the latest, the one before it, and the one being written. */
export class Checkpoints {
  last: Checkpoint | null = null;
  /** Written by this coordinator, and how long the run waited for them. */
  written = 0;
  waitedMs = 0;
  /** Why the latest attempt was given up; null: it was not. */
  failure: string | null = null;
  /** Where to return to if the latest is damaged. */
  private earlier: Checkpoint | null = null;
  private saving: Cut | null = null;
  private hashes: (Uint8Array | null)[] = [];
  private savedAt = performance.now();
  private beganAt = 0;
  /** Wall-clock time for which the run waited for the last one. */
  private costMs = 0;
  /** When the last one was committed; null if another coordinator did that. */
  private committedAt: number | null = null;

  constructor(
    private readonly store: CheckpointStore,
    private readonly options: CheckpointOptions,
  ) {}

  /** Loads those that another coordinator left. */
  async recall(): Promise<void> {
    const { run, layout } = this.options;
    const manifests = (await this.store.manifests()).map((octets) => unpackManifest(octets, run));
    // Before services were repartitioned, the one before the last had another layout.
    const [last = null, earlier = null] = manifests
      .filter((manifest) => isDeepStrictEqual(manifest.layout, layout))
      .map(({ checkpoint }) => checkpoint);
    this.last = last;
    this.earlier = earlier?.name === last?.name ? null : earlier;
  }

  /** Wall-clock time since the last one was written; negative if there is none, or unknown. */
  get ageMs(): number {
    const isKnown = this.last !== null && this.committedAt !== null;
    return isKnown ? performance.now() - this.committedAt! : -1;
  }

  /** An epoch begins: the checkpoint being written is void. */
  forget(): void {
    this.saving = null;
  }

  /** Rounds begin, from a checkpoint or the beginning. */
  begun(): void {
    this.savedAt = performance.now();
  }

  isDue(boundPs: number): boolean {
    if (boundPs === this.last?.boundPs || boundPs === 0) return false;
    const pauseMs = Math.max(this.options.checkpointMs, this.costMs * PAUSE_PER_COST);
    return performance.now() - this.savedAt > pauseMs;
  }

  /** One is being written; reports of services about it are processed from now on. */
  begin(cut: Cut): void {
    this.saving = cut;
    this.beganAt = performance.now();
    this.hashes = new Array<null>(this.options.services).fill(null);
  }

  take(service: number, saved: selvage.v1.Saved.$Properties): SaveVerdict {
    const { saving } = this;
    if (saving === null || saved.checkpoint !== saving.name) return 'unwanted';
    if (saved.failure) {
      this.giveUp(saving, `service ${service}: ${saved.failure}`);
      return 'given up';
    }
    this.hashes[service] = saved.hash ?? new Uint8Array(0);
    const stateHashes = this.hashes.flatMap((hash) => hash ?? []);
    return stateHashes.length < this.hashes.length
      ? 'waiting'
      : this.commit({ ...saving, stateHashes }, saving);
  }

  /** Where a service begins an epoch; null: at the beginning of the run. */
  keptStateOf(service: number): selvage.v1.KeptState.$Properties | null {
    if (this.last === null) return null;
    const { name: checkpoint, epoch, boundPs, stateHashes } = this.last;
    return { checkpoint, epoch, boundPs, stateHash: stateHashes[service]! };
  }

  /**
   * A service cannot return to the latest one: the one before it, or the beginning, takes its
   * place. Returns what is wrong; null if that is known already. Throws if there is no other place.
   */
  leave(service: number, unusable: selvage.v1.Unusable.$Properties): string | null {
    const name = this.last?.name;
    if (name === undefined || name !== unusable.checkpoint) return null;
    const what = `checkpoint ${name} is unusable: service ${service}: ${unusable.reason}`;
    if (this.last?.epoch === 0) throw new Error(what);
    this.options.log.warn(what);
    this.last = this.earlier;
    this.earlier = null;
    return what;
  }

  /** A committed checkpoint is complete, even if a service is lost meanwhile. */
  private async commit(kept: Checkpoint, saving: Cut): Promise<void> {
    const { last } = this;
    try {
      await this.store.commit(this.named(kept), last && this.named(last));
    } catch (error) {
      this.giveUp(saving, (error as Error).message);
      return;
    }
    this.earlier = last;
    this.last = kept;
    this.savedAt = performance.now();
    this.costMs = this.savedAt - this.beganAt;
    this.committedAt = this.savedAt;
    this.written++;
    this.waitedMs += this.costMs;
    this.failure = null;
    this.note(saving, '');
    const { name: checkpoint, boundPs: virtualPs } = kept;
    const tookMs = Math.round(this.costMs);
    this.options.log.info('checkpoint is written', { checkpoint, virtualPs, tookMs });
    if (this.saving === saving) this.saving = null;
  }

  /**
   * The run continues, with the checkpoint that it has. A store that was away once does not put off
   * the next attempt; one that fails again does, as if that had been the cost of a checkpoint.
   */
  private giveUp(saving: Cut, reason: string): void {
    this.savedAt = performance.now();
    if (this.failure !== null) this.costMs = this.savedAt - this.beganAt;
    this.failure = `checkpoint ${saving.name} is given up: ${reason}`;
    this.options.log.warn(this.failure);
    this.note(saving, reason);
    if (this.saving === saving) this.saving = null;
  }

  private note({ epoch, boundPs }: Cut, reason: string): void {
    const { operations } = this.options;
    if (!operations.isSampled('checkpoint')) return;
    const endMs = unixMs();
    const startMs = endMs - (this.savedAt - this.beganAt);
    const times = { startMs, endMs, fromPs: boundPs, toPs: boundPs };
    operations.note({ kind: 'checkpoint', ...times, epoch, service: -1, reason });
  }

  private named(checkpoint: Checkpoint): NamedManifest {
    const { name } = checkpoint;
    const { run, layout } = this.options;
    return { name, manifest: packManifest(checkpoint, run, layout) };
  }
}
