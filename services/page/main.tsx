import type { JSX } from 'preact';
import { render } from 'preact';
import { useState } from 'preact/hooks';
import 'uplot/dist/uPlot.min.css';
import type { PageContent } from '../report/page/page-data.js';
import { octetsFrom } from './base64.js';
import { ComparePage } from './compare-page.js';
import { LivePage } from './live-page.js';
import { RunPageView } from './run-page.js';
import { viewOf } from './run-view.js';
import { SweepPageView } from './sweep/sweep-page.js';
import './page.css';

/** What the page was made with; a run that goes on becomes its report in the end. */
function Page({ made }: { readonly made: PageContent }): JSX.Element {
  const [content, setContent] = useState(made);
  if (content.sweep !== undefined) return <SweepPageView sweep={content.sweep} />;
  const views = content.runs.map(viewOf);
  const [first] = views;
  if (content.live !== undefined) {
    return <LivePage initial={first!} choices={content.live.faults} become={setContent} />;
  }
  if (views.length === 1) return <RunPageView view={first!} />;
  return <ComparePage views={views} comparison={content.comparison!} />;
}

/** What the file holds, compressed: the page needs no server, and so fetches nothing. */
async function contentOf(base64: string): Promise<PageContent> {
  const plain = new Blob([octetsFrom(base64)])
    .stream()
    .pipeThrough(new DecompressionStream('gzip'));
  return (await new Response(plain).json()) as PageContent;
}

void contentOf(document.getElementById('content')!.textContent).then((made) => {
  render(<Page made={made} />, document.getElementById('page')!);
});
