// A cluster on this machine, for tests and to try things by hand:
//
//   node dist/test/cluster/main.js build    builds its components, once
//   node dist/test/cluster/main.js up [N]   brings up N nodes (1); Ctrl-C takes all down

import { once } from 'node:events';
import { buildComponents } from './components.js';
import { TestCluster, whyNoNode } from './test-cluster.js';

const [action, count = '1'] = process.argv.slice(2);
if (action === 'build') {
  buildComponents();
} else if (action === 'up') {
  const why = whyNoNode();
  if (why !== null) throw new Error(why);
  const cluster = await TestCluster.start(Number(count));
  console.log(
    `KUBECONFIG=${cluster.kubeconfig} nsenter --net=${cluster.network} kubectl get nodes`,
  );
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await cluster.close();
} else {
  console.error('build or up');
  process.exitCode = 2;
}
