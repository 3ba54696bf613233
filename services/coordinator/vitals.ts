import type { selvage } from '#contracts';

/** What a service sent last about itself, and how fast it is. */
export interface Vital {
  readonly atMs: number;
  readonly epoch: number;
  /** It has executed everything before. */
  readonly executedPs: number;
  /** Services whose messages it waits for. */
  readonly waitsFor: readonly number[];
  readonly cpuMs: number;
  readonly messages: number;
  /** Wall-clock time of its process. */
  readonly elapsedMs: number;
  /** CPU time by wall-clock time, and messages by second, since the report before. */
  readonly cpuShare: number;
  readonly messageRate: number;
}

const SILENT: Vital = {
  ...{ atMs: -Infinity, epoch: 0, executedPs: 0, waitsFor: [], cpuMs: 0, messages: 0 },
  ...{ elapsedMs: 0, cpuShare: 0, messageRate: 0 },
};

/** Signs of life of all services, by their number. */
export class Vitals {
  private readonly last: Vital[];

  constructor(services: number) {
    this.last = Array.from({ length: services }, () => SILENT);
  }

  of(service: number): Vital {
    return this.last[service]!;
  }

  /** Another process has the number now. */
  forget(service: number): void {
    this.last[service] = SILENT;
  }

  /** Returns whether it has executed more than when it last reported. */
  note(service: number, alive: selvage.v1.Alive.$Properties, atMs: number): boolean {
    const before = this.of(service);
    const [epoch, executedPs] = [alive.epoch ?? 0, alive.executedPs ?? 0];
    const [cpuMs, messages] = [alive.cpuMs ?? 0, alive.messages ?? 0];
    // Several may be received at once: rates are by the clock of the service.
    const elapsedMs = alive.elapsedMs ?? 0;
    const seconds = (elapsedMs - before.elapsedMs) / 1000;
    const isFirst = before.atMs === -Infinity || seconds <= 0;
    const isSameEpoch = epoch === before.epoch;
    this.last[service] = {
      ...{ atMs, epoch, executedPs, waitsFor: alive.waitsFor ?? [], cpuMs, messages },
      elapsedMs,
      cpuShare: isFirst ? 0 : (cpuMs - before.cpuMs) / 1000 / seconds,
      messageRate: isFirst ? 0 : Math.max(0, messages - before.messages) / seconds,
    };
    return isSameEpoch && executedPs > before.executedPs;
  }
}
