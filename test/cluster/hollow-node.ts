// A node without a runtime: its pods run by what the API server has of them, and end when they are
// deleted. What else becomes of them, a test says.
//
//   node hollow-node.js FOLDER API-SERVER NAME CPUS

import { Api } from './api.js';

const [folder, server, name, cpu] = process.argv.slice(2) as [string, string, string, string];
const POLL_MS = 300;
const api = new Api(folder, server);

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly containers: readonly { name: string; image: string }[] };
  readonly status: { readonly phase: string };
}

async function report(): Promise<void> {
  const now = new Date().toISOString();
  const ready = { type: 'Ready', status: 'True', reason: 'Hollow', lastHeartbeatTime: now };
  const capacity = { cpu, memory: '64Gi', pods: '500' };
  const status = { capacity, allocatable: capacity, conditions: [ready] };
  await api.call('PATCH', `/api/v1/nodes/${name}/status`, { status });
}

async function runPods(): Promise<void> {
  const { items } = await api.call<{ items: Pod[] }>(
    'GET',
    `/api/v1/pods?fieldSelector=spec.nodeName=${name}`,
  );
  for (const { metadata, spec, status } of items) {
    const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
    if (metadata.deletionTimestamp !== undefined) {
      await api.call('DELETE', `${path}?gracePeriodSeconds=0`);
    } else if (status.phase === 'Pending') {
      const startedAt = new Date().toISOString();
      const containerStatuses = spec.containers.map((container) => ({
        ...{ name: container.name, image: container.image, imageID: '', restartCount: 0 },
        ...{ ready: true, started: true, state: { running: { startedAt } } },
      }));
      const conditions = [{ type: 'Ready', status: 'True' }];
      await api.call('PATCH', `${path}/status`, {
        status: { phase: 'Running', conditions, containerStatuses },
      });
    }
  }
}

const metadata = { name, labels: { 'kubernetes.io/hostname': name } };
await api.call('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata });
for (;;) {
  for (const act of [report, runPods]) {
    await act().catch((error: unknown) => {
      console.error((error as Error).message);
    });
  }
  await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}
