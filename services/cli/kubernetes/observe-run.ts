import { nameIn } from './labels.js';
import type { Manifest, PodTemplate } from './manifests.js';
import { manifestsOfFile } from './manifests.js';
import type { Values } from './values.js';

// What a run has beside its own objects where values, or its scenario, want it: rights to use the
// API server, metrics for Prometheus, and the way to a collector.

const FOLDER = 'optional';
const METRICS_PORT = 9464;
/** On the volume of the run: infrastructure faults that have been injected. */
const STRUCK = '/work/struck.json';

interface Wanted {
  readonly run: string;
  readonly values: Values;
  /** The scenario has infrastructure faults. */
  readonly breaksPods: boolean;
}

/** Objects beside those of every run. */
export function optionalManifests({ run, values, breaksPods }: Wanted): Manifest[] {
  const { events = false, finish = false, metrics, otlp } = values;
  const rights = [events, breaksPods, finish];
  const read = (name: string): Manifest[] => manifestsOfFile(FOLDER, `${name}.yaml`, run);
  return [
    ...(rights.includes(true) ? read('role').map((one) => withRules(one, rights)) : []),
    ...(metrics === undefined ? [] : read('metrics')),
    ...(metrics === 'podMonitor' ? read('pod-monitor') : []),
    ...(otlp === undefined ? [] : read('otlp').map((policy) => withPort(policy, otlp))),
  ];
}

/** Least rights: of the rules, those that are needed. */
function withRules(manifest: Manifest, wanted: readonly boolean[]): Manifest {
  const { rules } = manifest as { rules?: readonly object[] };
  if (rules === undefined) return manifest;
  return { ...manifest, rules: rules.filter((_, index) => wanted[index]) } as Manifest;
}

function withPort(policy: Manifest, otlp: string): Manifest {
  const ports = [{ protocol: 'TCP', port: Number(/:(\d+)(\/|$)/.exec(otlp)![1]) }];
  return { ...policy, spec: { ...policy.spec, egress: [{ ports }] } };
}

/** Gives the coordinator what these objects are for. */
export function fitObserved(
  { metadata, spec }: PodTemplate,
  { run, values, breaksPods }: Wanted,
): void {
  const { events = false, finish = false, metrics, otlp } = values;
  const container = spec.containers[0]!;
  if (events || breaksPods || finish) spec.automountServiceAccountToken = true;
  if (events) {
    const fieldPath = "metadata.labels['batch.kubernetes.io/controller-uid']";
    container.env.push({ name: 'SELVAGE_JOB_UID', valueFrom: { fieldRef: { fieldPath } } });
  }
  if (breaksPods) container.env.push({ name: 'SELVAGE_STRUCK', value: STRUCK });
  if (finish) container.env.push({ name: 'SELVAGE_BROKERS', value: nameIn(run, 'nats') });
  if (otlp !== undefined) container.args.push(`--otlp=${otlp}`);
  if (metrics === undefined) return;
  container.args.push(`--metrics=0.0.0.0:${METRICS_PORT}`);
  container.ports.push({ name: 'metrics', containerPort: METRICS_PORT });
  if (metrics === 'podMonitor') return;
  const scraped = { 'prometheus.io/scrape': 'true', 'prometheus.io/port': `${METRICS_PORT}` };
  metadata.annotations = { ...metadata.annotations, ...scraped };
}
