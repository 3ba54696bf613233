import { useState } from 'preact/hooks';
import { useMedia } from './use-media.js';

export type Theme = 'light' | 'dark';

/** Shares of a link's rate and the colour at them; between two, mixed. */
const HEAT: Readonly<Record<Theme, readonly (readonly [number, string])[]>> = {
  light: [
    [0, '#ccd3db'],
    [0.004, '#a5c8ee'],
    [0.5, '#3079d0'],
    [0.66, '#35a98f'],
    [0.82, '#efb41c'],
    [1, '#e4570f'],
  ],
  dark: [
    [0, '#3a4350'],
    [0.004, '#27557f'],
    [0.5, '#4aa0ee'],
    [0.66, '#45c0a6'],
    [0.82, '#f6c244'],
    [1, '#ff7a33'],
  ],
};

export function heatColour(theme: Theme, share: number): string {
  const stops = HEAT[theme];
  const next = Math.max(
    1,
    stops.findIndex(([at]) => at >= Math.min(1, share)),
  );
  const [[low, from], [high, to]] = [stops[next - 1]!, stops[next]!];
  return mixed(from, to, Math.max(0, (Math.min(1, share) - low) / (high - low)));
}

function mixed(from: string, to: string, share: number): string {
  const channel = (colour: string, at: number): number => parseInt(colour.slice(at, at + 2), 16);
  const parts = [1, 3, 5].map((at) =>
    Math.round(channel(from, at) * (1 - share) + channel(to, at) * share),
  );
  return `rgb(${parts.join(' ')})`;
}

/** From the best to the worst, behind text: blue and orange differ to all eyes. */
const LOSS: Readonly<Record<Theme, readonly [string, string]>> = {
  light: ['#cfe4f9', '#f5b26b'],
  dark: ['#17426b', '#8f4d0c'],
};

export function lossColour(theme: Theme, share: number): string {
  const [from, to] = LOSS[theme];
  return mixed(from, to, share);
}

/** Lines of charts, distinct also for readers with few colours. */
export const SERIES_COLOURS: Readonly<Record<Theme, readonly string[]>> = {
  light: ['#2563c9', '#d9480f', '#0b8a6a', '#8e44c9', '#b7860b', '#c2255c', '#0c8599', '#5c6773'],
  dark: ['#6ea8fe', '#ff9459', '#4fd1a5', '#c79bf2', '#f0c24b', '#ff85ad', '#4cc9dc', '#a9b4c0'],
};

export function colourOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** What the reader has chosen here, or else the system's choice; paper is light. */
export function useTheme(): readonly [Theme, () => void] {
  const [chosen, choose] = useState<Theme | null>(null);
  const systemDark = useMedia('(prefers-color-scheme: dark)');
  const isPrinted = useMedia('print');
  const theme = isPrinted ? 'light' : (chosen ?? (systemDark ? 'dark' : 'light'));
  document.documentElement.dataset['theme'] = theme;
  return [
    theme,
    () => {
      choose(theme === 'dark' ? 'light' : 'dark');
    },
  ];
}
