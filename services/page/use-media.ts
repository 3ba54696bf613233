import { useEffect, useState } from 'preact/hooks';

/** Pages on which what is side by side elsewhere is one below the other. */
export const NARROW = '(max-width: 900px)';

export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const update = (): void => {
      setMatches(media.matches);
    };
    update();
    media.addEventListener('change', update);
    return () => {
      media.removeEventListener('change', update);
    };
  }, [query]);
  return matches;
}
