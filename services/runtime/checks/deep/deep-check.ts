import type { Engine } from '../../../engine/device/engine.js';
import type { Fabric } from '../../../fabric/assembly/fabric.js';
import { settingsOfDevices } from '../../../fabric/assembly/settings.js';
import { configurationOf } from '../../../oracle/configuration.js';
import { Oracle } from '../../../oracle/oracle.js';
import type { DeepSummary } from '../../../oracle/verdict.js';
import type { Breach } from '../breach.js';
import { WireRecord } from './wire-record.js';

/** A second model of the fabric, which reads only the wires: `--check=deep`. */
export class DeepCheck {
  private readonly record: WireRecord;
  private readonly oracle: Oracle;
  private isBlind = false;

  constructor(fabric: Fabric, engine: Engine) {
    const { scenario, topology } = fabric;
    const settings = settingsOfDevices(scenario, topology, (_path, message) => new Error(message));
    this.oracle = new Oracle(configurationOf(fabric, settings));
    this.record = new WireRecord(engine);
    engine.listen(this.record);
  }

  get breach(): Breach | null {
    return this.oracle.breach;
  }

  summary(): DeepSummary {
    return this.oracle.summary();
  }

  /**
   * The fabric is no longer what its configuration says: a fault was injected, or the run goes on
   * from a saved state. Nothing is judged from then on.
   */
  disturbed(timePs: number): void {
    this.isBlind = true;
    this.oracle.blinded(timePs);
  }

  /** Everything before this time has been executed, by all devices. */
  reached(timePs: number): void {
    const events = this.record.take();
    if (this.isBlind) return;
    for (const event of events) {
      this.oracle.take(event);
      if (this.oracle.breach !== null) return;
    }
    this.oracle.reached(timePs);
  }
}
