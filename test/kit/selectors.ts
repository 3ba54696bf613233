import type { LabelSelector, Manifest } from './manifests.js';

// Selectors of objects, evaluated as the API server does, against pods that are beside a run.

type Labels = Record<string, string>;

const RUN = 'app.kubernetes.io/instance';
const APP = 'app.kubernetes.io/name';
const ROLES = ['nats', 'coordinator', 'service', 'points', 'collect'];

/** Pods of others in a namespace: of any workload, of another chart's release, of another run. */
function strangersOf(run: string): Labels[] {
  return [
    {},
    { app: 'web' },
    { selvage: 'nats' },
    { [APP]: 'selvage' },
    { [APP]: 'web', [RUN]: run },
    ...ROLES.map((role) => ({ selvage: role, [APP]: 'selvage', [RUN]: `${run}-2` })),
  ];
}

/** Objects that select pods of others, or none of the run that they belong to. */
export function reachOf(manifests: readonly Manifest[]): string[] {
  const own = manifests.flatMap(({ spec }): Labels[] =>
    spec?.template === undefined ? [] : [spec.template.metadata.labels],
  );
  const collecting = own.map((labels) => ({ ...labels, selvage: 'collect' }));
  const run = own[0]?.[RUN] ?? '';
  return manifests.flatMap((object) =>
    selectorsIn(object).flatMap(({ path, selector }) => {
      const at = `${object.kind} ${object.metadata.name}: ${path}`;
      const foreign = strangersOf(run).find((labels) => selects(selector, labels));
      if (foreign !== undefined) return [`${at} selects ${JSON.stringify(foreign)}`];
      const isUsed = [...own, ...collecting].some((labels) => selects(selector, labels));
      return isUsed ? [] : [`${at} selects nothing`];
    }),
  );
}

interface Found {
  readonly path: string;
  readonly selector: LabelSelector;
}

const KEYS = new Set(['selector', 'podSelector', 'labelSelector']);

/** Wherever an object selects pods. */
function selectorsIn({ kind, spec }: Manifest): Found[] {
  const found: Found[] = [];
  const walk = (node: unknown, path: string): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      const place = `${path}.${key}`;
      if (!KEYS.has(key)) walk(value, place);
      // A Service has labels alone.
      else if (kind === 'Service')
        found.push({ path: place, selector: { matchLabels: value as Labels } });
      else found.push({ path: place, selector: value as LabelSelector });
    }
  };
  walk(spec, 'spec');
  return found;
}

/** An empty selector selects everything. */
function selects(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Labels,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const isIn = values.includes(labels[key] ?? '');
      if (operator === 'In') return isIn;
      if (operator === 'NotIn') return !isIn;
      return (labels[key] !== undefined) === (operator === 'Exists');
    })
  );
}
