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
  /** CPU time by wall-clock time, and messages by second, since the report before. */
  readonly cpuShare: number;
  readonly messageRate: number;
}

const SILENT: Vital = {
  ...{ atMs: -Infinity, epoch: 0, executedPs: 0, waitsFor: [], cpuMs: 0, messages: 0 },
  ...{ cpuShare: 0, messageRate: 0 },
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
    const { epoch = 0, executedPs = 0, cpuMs = 0, messages = 0 } = withoutNull(alive);
    const seconds = (atMs - before.atMs) / 1000;
    const isFirst = before.atMs === -Infinity || seconds <= 0;
    const isSameEpoch = epoch === before.epoch;
    this.last[service] = {
      ...{ atMs, epoch, executedPs, waitsFor: alive.waitsFor ?? [], cpuMs, messages },
      cpuShare: isFirst ? 0 : (cpuMs - before.cpuMs) / 1000 / seconds,
      messageRate: isFirst ? 0 : Math.max(0, messages - before.messages) / seconds,
    };
    return isSameEpoch && executedPs > before.executedPs;
  }
}

type Numbers = 'epoch' | 'executedPs' | 'cpuMs' | 'messages';

function withoutNull(alive: selvage.v1.Alive.$Properties): Partial<Record<Numbers, number>> {
  const pick = (name: Numbers): Partial<Record<Numbers, number>> =>
    typeof alive[name] === 'number' ? { [name]: alive[name] } : {};
  return { ...pick('epoch'), ...pick('executedPs'), ...pick('cpuMs'), ...pick('messages') };
}
