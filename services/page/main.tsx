import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import type { PageContent } from '../report/page/page-data.js';
import { ComparePage } from './compare-page.js';
import { RunPageView } from './run-page.js';
import { viewOf } from './run-view.js';
import { SweepPageView } from './sweep-page.js';
import './page.css';

const content = JSON.parse(document.getElementById('content')!.textContent) as PageContent;
const views = content.runs.map(viewOf);
const [first] = views;

render(
  content.sweep !== undefined ? (
    <SweepPageView sweep={content.sweep} />
  ) : views.length > 1 ? (
    <ComparePage views={views} />
  ) : (
    <RunPageView view={first!} />
  ),
  document.getElementById('page')!,
);
