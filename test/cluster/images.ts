import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../kit/emulate.js';
import { openEngine } from '../docker/engine.js';
import { TestCluster } from './test-cluster.js';

const IMAGE = 'selvage:0.1.0';
const PAUSE_IMAGE = 'local/pause:1';

/** A cluster of so many nodes, each with the images of a run; `folder` is for what it needs. */
export async function startWithImages(folder: string, nodes: number): Promise<TestCluster> {
  const engine = await openEngine();
  if (typeof engine === 'string') throw new Error(engine);
  try {
    engine.docker('build', '--network', 'host', '-f', 'deploy/Dockerfile', '-t', IMAGE, ROOT);
    // Kubernetes keeps the namespaces of a pod by a process that does nothing.
    writeFileSync(join(folder, 'Dockerfile'), `FROM ${IMAGE}\nENTRYPOINT ["sleep", "infinity"]\n`);
    engine.docker('build', '-t', PAUSE_IMAGE, folder);
    const archive = join(folder, 'images.tar');
    const manifest = readFileSync(join(ROOT, 'k8s/base/nats.yaml'), 'utf8');
    const broker = /image: (nats:.+)/.exec(manifest)![1]!;
    engine.docker('save', '-o', archive, IMAGE, PAUSE_IMAGE, broker);
    const cluster = await TestCluster.start(nodes);
    for (const one of cluster.nodes) one.load(archive);
    return cluster;
  } finally {
    await engine.close();
  }
}
