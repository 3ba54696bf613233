import type { ShownFault, LiveNews, LiveSpan, LiveStatus } from '../report/page/live-data.js';
import type { PageContent } from '../report/page/page-data.js';
import type { PortSample } from '../runtime/port-sample.js';
import type { LiveRun } from './live-run.js';
import type { LiveAddress } from './live-server.js';
import { LiveServer } from './live-server.js';
import { LiveSpans } from './live-spans.js';

/** Least time between two messages to viewers. */
const SEND_MS = 100;

/** State for the viewers of one run: its progress, samples of its ports, and injected faults. */
export class LiveHost {
  private readonly spans: LiveSpans;
  private news: LiveSpan[] = [];
  private sentAt = -Infinity;
  private isOver = false;
  private server: LiveServer | null = null;

  constructor(
    private readonly content: PageContent,
    private readonly status: () => LiveStatus,
    private readonly faults: () => readonly ShownFault[],
  ) {
    this.spans = new LiveSpans(content.runs[0]!.ports.map(({ rateBps }) => rateBps));
  }

  /** Returns the address of the page. */
  async open(address: LiveAddress, run: LiveRun): Promise<string> {
    const known = (): LiveNews => this.newsOf(this.spans.all(), true);
    const server = new LiveServer(address, this.content, run, known);
    const place = await server.listen();
    this.server = server;
    return place;
  }

  sampled(sample: PortSample): void {
    const span = this.spans.take(sample);
    if (span !== null) this.news.push(span);
  }

  /** Something changed that is sent at once. */
  changed(): void {
    this.sentAt = performance.now();
    const isAnew = this.spans.takeAnew();
    this.server?.publish(this.newsOf(isAnew ? this.spans.all() : this.news, isAnew));
    this.news = [];
  }

  /** Called periodically during the run. */
  publish(): void {
    if (performance.now() - this.sentAt > SEND_MS) this.changed();
  }

  /** The run is over: viewers get its report, and the server closes. */
  async finish(content: PageContent): Promise<void> {
    this.isOver = true;
    await this.server?.finish(content);
  }

  close(): void {
    this.server?.close();
  }

  private newsOf(spans: readonly LiveSpan[], isAnew: boolean): LiveNews {
    const status = this.status();
    const state = this.isOver ? 'over' : status.state;
    return { status: { ...status, state }, spans, isAnew, faults: this.faults() };
  }
}
