import type { JSX } from 'preact';
import { render } from 'preact';
import { useState } from 'preact/hooks';
import 'uplot/dist/uPlot.min.css';
import type { PageContent } from '../report/page/page-data.js';
import { ComparePage } from './compare-page.js';
import { LivePage } from './live-page.js';
import { RunPageView } from './run-page.js';
import { viewOf } from './run-view.js';
import { SweepPageView } from './sweep-page.js';
import './page.css';

/** What the page was made with; a run that goes on becomes its report in the end. */
function Page({ made }: { readonly made: PageContent }): JSX.Element {
  const [content, setContent] = useState(made);
  if (content.sweep !== undefined) return <SweepPageView sweep={content.sweep} />;
  const views = content.runs.map(viewOf);
  const [first] = views;
  if (content.live === true) {
    return <LivePage initial={first!} become={setContent} />;
  }
  return views.length > 1 ? <ComparePage views={views} /> : <RunPageView view={first!} />;
}

render(
  <Page made={JSON.parse(document.getElementById('content')!.textContent) as PageContent} />,
  document.getElementById('page')!,
);
