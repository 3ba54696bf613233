import { setTimeout } from 'node:timers/promises';
import { randomInt } from 'node:crypto';
import type { V1Pod } from '@kubernetes/client-node';
import type { Cluster } from './cluster.js';
import { ClusterError } from './cluster.js';
import { jobEnd } from './job-end.js';
import { ROLE_LABEL } from './labels.js';
import type { Manifest } from './manifests.js';
import { choiceOf, fits, podNeeds, roomOf } from './room.js';
import { MachineWatch, RunWatch } from './run-watch.js';
import { whyEnded } from './pod-reasons.js';
import { lacksRoom, whyHopeless, whyPending } from './why-pending.js';

/** A run that cannot start; nothing of it has been executed. */
export class StartError extends ClusterError {}

export interface StartOptions {
  readonly note: (words: string) => void;
  readonly stopped: AbortSignal;
  /** Milliseconds within which every pod must run. */
  readonly withinMs: number;
  /** Milliseconds for which some pods wait for room before all of them give way. */
  readonly holdMs: number;
  /** Kueue admits the Jobs: they are not resumed here. */
  readonly isQueued: boolean;
}

/** Whoever waits looks at the time so often; the API server is not asked. */
const POLL_MS = 1_000;
/** Runs that gave way to each other do not try again at the same time. */
const GIVE_WAY_MS = [3_000, 12_000] as const;

/** A Job is created suspended, and a StatefulSet without replicas: the gate lets all start. */
export function suspended(manifest: Manifest): Manifest {
  const { kind, spec } = manifest;
  if (kind === 'Job') return { ...manifest, spec: { ...spec, suspend: true } };
  if (kind === 'StatefulSet') return { ...manifest, spec: { ...spec, replicas: 0 } };
  return manifest;
}

/** Starts all pods of a run or none: two runs never wait for each other, each with a part. */
export class StartGate {
  private readonly deadline: number;
  private noted = '';

  constructor(
    private readonly cluster: Cluster,
    private readonly workloads: readonly Manifest[],
    private readonly options: StartOptions,
  ) {
    this.deadline = performance.now() + options.withinMs;
  }

  /** Resolves when every pod runs, or has run; rejects with the reason if they cannot. */
  async open(): Promise<void> {
    const watch = await RunWatch.open(this.cluster);
    try {
      for (;;) {
        await this.awaitRoom();
        await this.release(true);
        if (await this.allRun(watch)) return;
        await this.release(false);
        this.note('gives way to others, since there is room for a part of its pods only');
        await this.allGone(watch);
        await this.until(pause(this.options.stopped, randomInt(...GIVE_WAY_MS)));
      }
    } finally {
      watch.close();
    }
  }

  /** Where nodes can be listed, nothing is started that has no room; autoscalers see it at last. */
  private async awaitRoom(): Promise<void> {
    const needs = podNeeds(this.workloads);
    const choice = choiceOf(this.workloads);
    const until = performance.now() + this.options.holdMs;
    const machine = await MachineWatch.open(this.cluster);
    if (machine === null) return;
    try {
      while (!fits(needs, roomOf(machine.nodes, machine.pods, choice))) {
        this.note(`no room yet for its ${needs.length} pods: ${amountsOf(needs)}`);
        const leftMs = until - performance.now();
        if (leftMs <= 0) return;
        await this.until(machine.changed(this.options.stopped, Math.min(leftMs, POLL_MS)));
      }
    } finally {
      machine.close();
    }
  }

  /** Whether all pods run within the time for which a part of them may hold room. */
  private async allRun(watch: RunWatch): Promise<boolean> {
    const wanted = podNeeds(this.workloads).length;
    const roles = this.workloads.map(({ spec }) => spec?.template?.metadata.labels?.[ROLE_LABEL]);
    for (let stuckSince: number | null = null; ;) {
      const { jobs, claims, events } = watch;
      const pods = watch.pods.filter(({ metadata }) =>
        roles.includes(metadata?.labels?.[ROLE_LABEL]),
      );
      const hopeless = whyHopeless(pods);
      if (hopeless !== null) throw new StartError(hopeless);
      if (jobs.some((job) => jobEnd(job) !== null)) return true;
      const running = pods.filter(hasStarted).length;
      if (running >= wanted) return true;
      const { gone } = watch;
      const ended = whyEnded({ pods, gone, events });
      const reasons = [...whyPending({ pods, jobs, claims, events }), ...ended];
      this.note([`${running} of ${wanted} pods run`, ...reasons].join('\n  '));
      const isStuck = reasons.some(lacksRoom);
      stuckSince = isStuck ? (stuckSince ?? performance.now()) : null;
      if (stuckSince !== null && performance.now() - stuckSince > this.options.holdMs) {
        return false;
      }
      await this.until(watch.changed(this.options.stopped, POLL_MS));
    }
  }

  private async release(isOpen: boolean): Promise<void> {
    for (const manifest of this.workloads) {
      const { kind, spec } = manifest;
      if (kind === 'StatefulSet') {
        const replicas = isOpen ? (spec?.replicas ?? 1) : 0;
        await this.cluster.patch(manifest, { spec: { replicas } });
      } else if (!this.options.isQueued) {
        await this.cluster.patch(manifest, { spec: { suspend: !isOpen } });
      }
    }
  }

  private async allGone(watch: RunWatch): Promise<void> {
    while (watch.pods.some(({ status }) => !isOver(status?.phase))) {
      await this.until(watch.changed(this.options.stopped, POLL_MS));
    }
  }

  /** Waits for a change, unless the time is over. */
  private async until(change: Promise<void>): Promise<void> {
    await change;
    if (performance.now() > this.deadline) {
      const seconds = this.options.withinMs / 1000;
      throw new StartError(`not all pods run after ${seconds} s: ${this.noted}`);
    }
  }

  private note(words: string): void {
    if (words !== this.noted) this.options.note(words);
    this.noted = words;
  }
}

/** Rejects when the user interrupts. */
async function pause(stopped: AbortSignal, ms: number): Promise<void> {
  try {
    await setTimeout(ms, undefined, { signal: stopped });
  } catch {
    throw new ClusterError('interrupted');
  }
}

function hasStarted({ status }: V1Pod): boolean {
  return status?.phase === 'Running' || isOver(status?.phase);
}

function isOver(phase: string | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

function amountsOf(needs: readonly ReadonlyMap<string, number>[]): string {
  const sum = (name: string): number => needs.reduce((all, need) => all + (need.get(name) ?? 0), 0);
  const mib = Math.ceil(sum('memory') / (1 << 20));
  return `${Math.round(sum('cpu') * 10) / 10} CPUs, ${mib} MiB`;
}
