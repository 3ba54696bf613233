import { NullProbe } from '../contract/probe.js';
import type { Engine } from '../device/engine.js';
import type { Plain } from '../kernel/snapshot.js';
import { restore, save } from '../kernel/snapshot.js';

/** A probe that keeps a log of each device, which moves between partitions with the device. */
export abstract class LogRecorder<Log extends object> extends NullProbe {
  private readonly logs: Log[];

  /** `blank`: the empty log of a device with so many ports. */
  constructor(
    protected readonly engine: Engine,
    private readonly blank: (ports: number) => Log,
  ) {
    super();
    this.logs = engine.devices.map(({ spec }) => blank(spec.ports.length));
  }

  log(device: number): Log {
    return this.logs[device];
  }

  save(device: number): Plain {
    return save(this.logs[device]);
  }

  /** Continues from a saved log; null: from an empty one. */
  restore(device: number, saved: Plain | null): void {
    const log = this.blank(this.engine.devices[device].spec.ports.length);
    if (saved !== null) restore(log, saved);
    this.logs[device] = log;
  }
}
