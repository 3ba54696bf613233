import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** What comes so near to the window is drawn before it is seen. */
const MARGIN = '500px';

/** Whether an element has been near the window, or the page was printed. */
export function useSeen(element: RefObject<HTMLElement | null>): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (isSeen) return;
    const see = (): void => {
      setSeen(true);
    };
    const watch = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) see();
      },
      { rootMargin: MARGIN },
    );
    watch.observe(element.current!);
    addEventListener('beforeprint', see);
    return () => {
      watch.disconnect();
      removeEventListener('beforeprint', see);
    };
  }, [isSeen]);
  return isSeen;
}
