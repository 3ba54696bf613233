import type { KubeConfig, KubernetesObject } from '@kubernetes/client-node';
import { Watch } from '@kubernetes/client-node';
import { setTimeout as pauseFor } from 'node:timers/promises';
import type { Source } from './cluster.js';
import { ClusterError, FORBIDDEN } from './cluster.js';

/** Those who wait for the next change of whatever is watched. */
export class Changes {
  private hasChanged = false;
  private failure: Error | null = null;
  private wake: () => void = () => undefined;

  changed(): void {
    this.hasChanged = true;
    this.wake();
  }

  fail(error: Error): void {
    this.failure ??= error;
    this.wake();
  }

  /**
   * Resolves after a change, once those have come that follow at once, or after a time; rejects
   * when the user interrupts, or where the cluster answers no longer.
   */
  async next(stopped: AbortSignal, withinMs: number): Promise<void> {
    if (!this.hasChanged && this.failure === null && !stopped.aborted) {
      await this.woken(stopped, withinMs);
    }
    if (this.failure !== null) throw this.failure;
    if (this.hasChanged && !stopped.aborted) await pauseFor(SETTLE_MS);
    if (stopped.aborted) throw new ClusterError('interrupted');
    this.hasChanged = false;
  }

  private woken(stopped: AbortSignal, withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        stopped.removeEventListener('abort', done);
        this.wake = () => undefined;
        resolve();
      };
      const timer = setTimeout(done, withinMs);
      stopped.addEventListener('abort', done);
      this.wake = done;
    });
  }
}

/** What controllers do in one go comes as several changes. */
const SETTLE_MS = 200;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/** Objects of a kind as the API server has them now: listed once, and then watched. */
export class Watched<T extends KubernetesObject> {
  private readonly found = new Map<string, T>();
  private version = '';
  private controller: AbortController | null = null;
  private isClosed = false;

  constructor(
    private readonly config: KubeConfig,
    private readonly source: Source<T>,
    private readonly changes: Changes,
    /** Called with the last state of an object that was deleted. */
    private readonly onGone: (object: T) => void = () => undefined,
  ) {}

  /** Resolves when the objects are known. */
  async start(): Promise<void> {
    await this.list();
    void this.follow();
  }

  get all(): T[] {
    return [...this.found.values()];
  }

  close(): void {
    this.isClosed = true;
    this.controller?.abort();
  }

  private async list(): Promise<void> {
    const { metadata, items } = await this.source.list();
    const before = new Map(this.found);
    this.found.clear();
    for (const object of items.filter(this.source.concerns)) {
      this.found.set(keyOf(object), object);
      before.delete(keyOf(object));
    }
    for (const object of before.values()) this.onGone(object);
    this.version = metadata?.resourceVersion ?? '';
  }

  /** A watch that ends goes on where it ended; one that failed, after a list. */
  private async follow(): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ;) {
      const from = this.version;
      const isWell = await this.watch();
      if (this.isClosed) return;
      if (this.version !== from) pauseMs = FIRST_PAUSE_MS;
      await pauseFor(pauseMs);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      if (isWell) continue;
      try {
        await this.list();
        this.changes.changed();
      } catch (error) {
        this.changes.fail(error as Error);
        return;
      }
    }
  }

  /** Resolves at its end: whether the next may begin there. */
  private async watch(): Promise<boolean> {
    let isWell = true;
    const { path, query } = this.source;
    const request = { ...query, resourceVersion: this.version, allowWatchBookmarks: 'true' };
    await new Promise<void>((resolve) => {
      const take = (type: string, object: T): void => {
        if (this.isClosed) return;
        if (type === 'ERROR') isWell = false;
        else this.take(type, object);
      };
      const end = (error: unknown): void => {
        if ((error as { statusCode?: number } | null)?.statusCode === FORBIDDEN) {
          this.changes.fail(new ClusterError(`no right to watch ${path}`, FORBIDDEN));
        }
        isWell &&= error === null || error === undefined;
        resolve();
      };
      void new Watch(this.config).watch(path, request, take, end).then((controller) => {
        this.controller = controller;
        if (this.isClosed) controller.abort();
      }, end);
    });
    return isWell;
  }

  private take(type: string, object: T): void {
    this.version = object.metadata?.resourceVersion ?? this.version;
    if (type === 'BOOKMARK' || !this.source.concerns(object)) return;
    if (type === 'DELETED') {
      this.found.delete(keyOf(object));
      this.onGone(object);
    } else {
      this.found.set(keyOf(object), object);
    }
    this.changes.changed();
  }
}

function keyOf({ metadata }: KubernetesObject): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}
