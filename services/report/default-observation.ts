/** What `selvage run` records unless the scenario or `--no-observe` says otherwise. */

const DEFAULTS: Readonly<Record<string, string>> = {
  series: 'observe.series=auto',
  episodes: 'observe.episodes=true',
};

/** Settings for what a scenario leaves open; `document` is its text as plain values. */
export function defaultObservation(document: unknown): readonly string[] {
  const { observe = {} } = document as { readonly observe?: object };
  return Object.entries(DEFAULTS).flatMap(([key, setting]) => (key in observe ? [] : [setting]));
}

/** The settings that a person gave. */
export function withoutDefaults(set: readonly string[]): readonly string[] {
  return set.filter((setting) => !Object.values(DEFAULTS).includes(setting));
}
