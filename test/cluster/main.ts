// A cluster of one node on this machine, for tests and to try things by hand:
//
//   node dist/test/cluster/main.js build   builds its components, once
//   node dist/test/cluster/main.js up      brings it up; Ctrl-C takes all down

import { once } from 'node:events';
import { buildComponents } from './components.js';
import { ClusterNode, whyNoNode } from './node.js';

const [action] = process.argv.slice(2);
if (action === 'build') {
  buildComponents();
} else if (action === 'up') {
  const why = whyNoNode();
  if (why !== null) throw new Error(why);
  const node = await ClusterNode.start();
  console.log(`KUBECONFIG=${node.kubeconfig} nsenter --net=${node.network} kubectl get nodes`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await node.close();
} else {
  console.error('build or up');
  process.exitCode = 2;
}
