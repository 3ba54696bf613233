import { faultChoices } from '../report/page/page-faults.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import { LiveHost } from '../live/live-host.js';
import type { LiveAddress } from '../live/live-server.js';
import type { LiveRun } from '../live/live-run.js';
import type { ShownFault, LiveStatus } from '../report/page/live-data.js';
import { pageOfFabric } from '../report/page/page-of-fabric.js';
import type { MeasuredRun } from '../report/page/page-of-run.js';
import { pageOfRun } from '../report/page/page-of-run.js';
import type { RunRecord } from '../report/run-directory.js';
import { InputError } from './exit.js';

/** The page of a run of the command line, from its beginning to its report. */
export class LiveView {
  private host: LiveHost | null = null;

  constructor(
    private readonly address: LiveAddress,
    private readonly fabric: Fabric,
    private readonly run: Pick<MeasuredRun, 'document' | 'origin'>,
  ) {}

  /** Begins to serve the page, and prints its address. */
  async open(
    run: LiveRun,
    status: () => LiveStatus,
    faults: () => readonly ShownFault[],
  ): Promise<LiveHost> {
    const { address } = this;
    const live = { faults: faultChoices() };
    const content = { runs: [pageOfFabric(this.fabric, this.run)], live };
    const host = new LiveHost(content, status, faults);
    try {
      const place = await host.open(address, run);
      const hint = address.token === null ? '' : '  (asks for the token)';
      process.stderr.write(`live at ${place}${hint}\n`);
    } catch (error) {
      throw new InputError(`--ui: ${address.host}:${address.port}: ${(error as Error).message}`);
    }
    this.host = host;
    return host;
  }

  /** Turns the page into the report. */
  async finish(record: RunRecord): Promise<void> {
    await this.host?.finish({ runs: [pageOfRun(record, record.facts)] });
  }

  /** After a failure. */
  close(): void {
    this.host?.close();
  }
}
