import { useEffect, useState } from 'preact/hooks';
import type { LiveAnswer, LiveNews, LiveOrder, LiveState } from '../report/page/live-data.js';
import type { PageContent, TreesView } from '../report/page/page-data.js';

const NO_ANSWER: LiveAnswer = { done: false, detail: 'the run does not answer' };

/** Says something to the run. */
export async function say(path: 'steer' | 'faults', body: unknown): Promise<LiveAnswer> {
  try {
    const reply = await fetch(path, { method: 'POST', body: JSON.stringify(body) });
    return (await reply.json()) as LiveAnswer;
  } catch {
    return NO_ANSWER;
  }
}

export function steer(order: LiveOrder): Promise<LiveAnswer> {
  return say('steer', order);
}

/** Receives what is new of the run until it is over; true while nothing answers. */
export function useNews(
  receive: (news: LiveNews) => void,
  become: (content: PageContent) => void,
): boolean {
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    const events = new EventSource('events');
    events.onmessage = ({ data }) => {
      const news = JSON.parse(data as string) as LiveNews;
      setLost(false);
      receive(news);
      if (news.status.state !== 'over') return;
      void reportOf().then((report) => {
        if (report === null) return;
        events.close();
        become(report);
      });
    };
    events.onerror = () => {
      setLost(true);
    };
    return () => {
      events.close();
    };
  }, []);
  return isLost;
}

/** How often the page requests what holds the run back. */
const ASK_MS = 2_000;

/** What holds the run back, found again and again while it goes on, and when it stands still. */
export function useTrees(state: LiveState): TreesView | null {
  const [trees, setTrees] = useState<TreesView | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = state === 'over';
    const ask = async (): Promise<void> => {
      const found = await treesNow();
      if (isOver) return;
      if (found !== null) setTrees(found);
      timer = setTimeout(() => void ask(), ASK_MS);
    };
    if (!isOver) void ask();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [state]);
  return trees;
}

async function treesNow(): Promise<TreesView | null> {
  try {
    const reply = await fetch('trees.json');
    return reply.ok ? ((await reply.json()) as TreesView | null) : null;
  } catch {
    return null;
  }
}

/** Null: the run has ended, and its report is not written yet. */
async function reportOf(): Promise<PageContent | null> {
  try {
    const reply = await fetch('report.json');
    return reply.ok ? ((await reply.json()) as PageContent) : null;
  } catch {
    return null;
  }
}
