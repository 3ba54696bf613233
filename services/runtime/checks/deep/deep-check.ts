import type { Engine } from '../../../engine/device/engine.js';
import type { Fabric } from '../../../fabric/assembly/fabric.js';
import { settingsOfDevices } from '../../../fabric/assembly/settings.js';
import { configurationOf } from '../../../oracle/configuration.js';
import { Oracle } from '../../../oracle/oracle.js';
import type { DeepSummary } from '../../../oracle/verdict.js';
import type { Breach } from '../breach.js';
import type { RunResults } from '../../results/results.js';
import { CongestionIsolation } from './congestion-isolation.js';
import { Figures } from './figures.js';
import { Trimming } from './trimming.js';
import { WireRecord } from './wire-record.js';

/** A second model of the fabric, which reads only the wires: `--check=deep`. */
export class DeepCheck {
  private readonly record: WireRecord;
  private readonly oracle: Oracle;
  private readonly figures: Figures;
  private isBlind = false;

  constructor(fabric: Fabric, engine: Engine) {
    const { scenario, topology } = fabric;
    const settings = settingsOfDevices(scenario, topology, (_path, message) => new Error(message));
    this.figures = new Figures(fabric);
    const configuration = configurationOf(fabric, settings);
    this.oracle = new Oracle(configuration);
    const { devices, observers, verdict } = this.oracle;
    observers.push(new CongestionIsolation({ configuration, devices, verdict }, observers));
    observers.push(new Trimming({ verdict }), this.figures);
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
      this.figures.take(event);
      this.oracle.take(event);
      if (this.oracle.breach !== null) return;
    }
    this.oracle.reached(timePs);
  }

  /** What the results of a run that has ended say otherwise than its wires. */
  wrongFigure(results: RunResults): Breach | null {
    if (this.isBlind) return null;
    this.oracle.verdict.judge('figures');
    return this.figures.compare(results, this.oracle);
  }
}
