import { DeafProbe } from '../contract/probe.js';
import type { Engine } from '../device/engine.js';
import type { Plain } from '../kernel/snapshot.js';
import { restore, save } from '../kernel/snapshot.js';

/** A listener that keeps a log of each device, which goes where the device goes. */
export abstract class LogRecorder<Log extends object> extends DeafProbe {
  private readonly logs: Log[];

  /** `blank`: the log of a device with so many ports, which has seen nothing. */
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

  /** Goes on from what was saved; null: from nothing. */
  restore(device: number, saved: Plain | null): void {
    const log = this.blank(this.engine.devices[device].spec.ports.length);
    if (saved !== null) restore(log, saved);
    this.logs[device] = log;
  }
}
