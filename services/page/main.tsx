import type { JSX } from 'preact';
import { render } from 'preact';
import { useState } from 'preact/hooks';
import 'uplot/dist/uPlot.min.css';
import type { PageContent } from '../report/page/page-data.js';
import { ComparePage } from './compare-page.js';
import { LivePage } from './live-page.js';
import { RunPageView } from './run-page.js';
import { viewOf } from './run-view.js';
import './page.css';

/** What the page was made with; a run that goes on becomes its report in the end. */
function Page({ made }: { readonly made: PageContent }): JSX.Element {
  const [content, setContent] = useState(made);
  const views = content.runs.map(viewOf);
  const [first] = views;
  if (content.live !== undefined) {
    return <LivePage initial={first!} setup={content.live} become={setContent} />;
  }
  return views.length > 1 ? <ComparePage views={views} /> : <RunPageView view={first!} />;
}

render(
  <Page made={JSON.parse(document.getElementById('content')!.textContent) as PageContent} />,
  document.getElementById('page')!,
);
