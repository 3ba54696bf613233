import type { ComponentChildren, JSX } from 'preact';
import { goToEpisode } from '../address.js';

/** Leads to the view of an episode. */
export function EpisodeLink(props: {
  readonly episode: number;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <button
      type="button"
      class="link"
      onClick={() => {
        goToEpisode(props.episode);
      }}
    >
      {props.children}
    </button>
  );
}
