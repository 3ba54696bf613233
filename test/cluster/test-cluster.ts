import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GATEWAY, gatewayWords } from '../kit/object-storage.js';
import { makeCertificates } from './certificates.js';
import { until } from './commands.js';
import { areBuilt, componentsFolder } from './components.js';
import {
  ClusterNode,
  ip,
  makeNetwork,
  NodePlace,
  PLUGINS,
  Programs,
  removeNetwork,
  runIn,
} from './node.js';

// A cluster on this machine: etcd and the components of Kubernetes beside the first node, in its
// network namespace, and as many nodes as are wanted; without one, an API server that judges.

const ETCD = 'http://127.0.0.1:2379';
/** Of the API server, for pods. */
const SERVICE = '10.96.0.1';
/** What a node needs, and the Debian package that has it. */
const PROGRAMS: Readonly<Record<string, string>> = {
  etcd: 'etcd-server',
  containerd: 'containerd',
  ctr: 'containerd',
  runc: 'runc',
  ip: 'iproute2',
  nsenter: 'util-linux',
  openssl: 'openssl',
  kubectl: 'kubernetes-client',
};
const BRIDGE = join(PLUGINS, 'bridge');
const BRIDGE_PACKAGE = 'containernetworking-plugins';

/** Debian packages that this machine lacks for a node. */
export function missingPackages(): string[] {
  const isMissing = (name: string): boolean => spawnSync('which', [name]).status !== 0;
  const programs = Object.entries(PROGRAMS).filter(([name]) => isMissing(name));
  const own = programs.map(([, packaged]) => packaged);
  return [...new Set([...own, ...(existsSync(BRIDGE) ? [] : [BRIDGE_PACKAGE])])];
}

/** Why there can be no node on this machine; null: there can. */
export function whyNoNode(): string | null {
  if (process.getuid?.() !== 0) return 'no node: not root';
  const missing = missingPackages();
  const command = 'node dist/test/cluster/main.js';
  if (missing.length > 0) {
    return `no node: the Debian packages ${missing.join(', ')} are missing; ${command} build --install`;
  }
  return areBuilt() ? null : `no node: ${command} build makes its components`;
}

export class TestCluster {
  readonly nodes: readonly ClusterNode[];
  readonly programs: Programs;
  private readonly server: string;

  private constructor(
    private readonly folder: string,
    private readonly places: readonly NodePlace[],
    private readonly hub: string,
    nodes: number,
  ) {
    makeNetwork(places, hub);
    ip('-n', places[0]!.space, 'addr', 'add', `${SERVICE}/32`, 'dev', 'lo');
    this.programs = new Programs(folder, places[0]!.network);
    this.server = `https://${places[0]!.address}:6443`;
    this.nodes = places.slice(0, nodes).map((place) => {
      const own = join(folder, place.name);
      mkdirSync(own);
      return new ClusterNode(place, own, folder);
    });
  }

  static async start(nodes = 1): Promise<TestCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'selvage-node-'));
    const hub = `selvage-${process.pid}`;
    const places = Array.from({ length: Math.max(1, nodes) }, (_, i) => new NodePlace(i, hub));
    const cluster = new TestCluster(folder, places, hub, nodes);
    try {
      makeCertificates(folder, places, cluster.server);
      await cluster.startAll();
      return cluster;
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  /** For KUBECONFIG, of all rights; it is of use in the nodes' network namespaces alone. */
  get kubeconfig(): string {
    return this.kubeconfigOf('admin');
  }

  /** For `nsenter --net`. */
  get network(): string {
    return this.places[0]!.network;
  }

  /** Of a user that certificates.ts names. */
  kubeconfigOf(user: string): string {
    return join(this.folder, `${user}.kubeconfig`);
  }

  /** Runs a program in the network of the first node. */
  run(name: string, ...words: string[]): { code: number | null; text: string } {
    return this.runAs('admin', name, ...words);
  }

  runAs(user: string, name: string, ...words: string[]): { code: number | null; text: string } {
    const env = { ...process.env, KUBECONFIG: this.kubeconfigOf(user) };
    return runIn(this.places[0]!, name, words, env);
  }

  /** The same beside this process. */
  start(name: string, ...words: string[]): ChildProcess {
    return this.startAs('admin', name, ...words);
  }

  startAs(user: string, name: string, ...words: string[]): ChildProcess {
    const env = { ...process.env, KUBECONFIG: this.kubeconfigOf(user) };
    return spawn('nsenter', [`--net=${this.network}`, name, ...words], { env });
  }

  kubectl(...words: string[]): string {
    const { code, text } = this.run('kubectl', ...words);
    if (code === 0) return text;
    throw new Error(`kubectl ${words.join(' ')}: ${text}`);
  }

  apply(object: object): void {
    const file = join(this.folder, 'object.json');
    writeFileSync(file, JSON.stringify(object));
    this.kubectl('apply', '-f', file);
  }

  /** Object storage with a bucket, which pods reach; its endpoint. */
  startStorage(port: number, bucket: string): string {
    const [data, metadata] = [join(this.folder, 'storage'), join(this.folder, 'metadata')];
    for (const one of [join(data, bucket), metadata]) mkdirSync(one, { recursive: true });
    const { address } = this.places[0]!;
    this.programs.launch(
      'storage',
      GATEWAY!,
      ...gatewayWords(`${address}:${port}`, data, metadata),
    );
    return `http://${address}:${port}`;
  }

  /** A node of which the API server knows, and no kubelet. */
  addHollowNode(name: string, cpus: number): void {
    const { folder, server } = this;
    const words = [folder, server, name, `${cpus}`];
    this.programs.launch('hollow', process.execPath, fileOf('./hollow-node.js'), ...words);
  }

  /** Kills a component, and starts it again. */
  async restart(name: string): Promise<void> {
    const { programs } = name === 'kubelet' ? this.nodes[0]! : this;
    await programs.stop(name, 'SIGKILL');
    programs.start(name);
  }

  async close(): Promise<void> {
    if (this.nodes.length > 0) {
      this.run('kubectl', 'delete', 'pods', '--all', '-A', '--force', '--grace-period=0');
    }
    for (const node of this.nodes) await node.close();
    await this.programs.stopAll();
    removeNetwork(this.places, this.hub);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async startAll(): Promise<void> {
    const { folder, programs } = this;
    const { address } = this.places[0]!;
    const pki = (name: string): string => join(folder, 'pki', name);
    const config = (name: string): string => this.kubeconfigOf(name);
    const component = (name: string): string => join(componentsFolder(), name);
    programs.launch(
      ...(['etcd', 'etcd', '--data-dir', join(folder, 'etcd'), '--unsafe-no-fsync'] as const),
      ...[`--listen-client-urls=${ETCD}`, `--advertise-client-urls=${ETCD}`],
    );
    programs.launch(
      ...(['apiserver', component('kube-apiserver'), `--etcd-servers=${ETCD}`] as const),
      ...['--secure-port=6443', `--advertise-address=${address}`, '--allow-privileged=true'],
      ...['--service-cluster-ip-range=10.96.0.0/16', '--authorization-mode=Node,RBAC'],
      ...[`--client-ca-file=${pki('ca.crt')}`, `--tls-cert-file=${pki('apiserver.crt')}`],
      `--tls-private-key-file=${pki('apiserver.key')}`,
      `--kubelet-client-certificate=${pki('kubelet-client.crt')}`,
      `--kubelet-client-key=${pki('kubelet-client.key')}`,
      '--kubelet-preferred-address-types=InternalIP',
      `--service-account-key-file=${pki('accounts.pub')}`,
      `--service-account-signing-key-file=${pki('accounts.key')}`,
      '--service-account-issuer=https://kubernetes.default.svc',
    );
    const isReady = (): boolean => this.run('kubectl', 'get', '--raw', '/readyz').code === 0;
    await until(isReady);
    programs.launch(
      ...(['manager', component('kube-controller-manager'), '--leader-elect=false'] as const),
      ...[`--kubeconfig=${config('controller-manager')}`, '--use-service-account-credentials'],
      `--service-account-private-key-file=${pki('accounts.key')}`,
      `--root-ca-file=${pki('ca.crt')}`,
      // A node that is lost is given up soon.
      ...['--node-monitor-grace-period=12s', '--node-monitor-period=2s'],
    );
    programs.launch(
      ...(['scheduler', component('kube-scheduler'), '--leader-elect=false'] as const),
      `--kubeconfig=${config('scheduler')}`,
    );
    const words = [folder, address, this.server];
    programs.launch('addons', process.execPath, fileOf('./addons.js'), ...words);
    this.apply({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: {
        name: 'standard',
        annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
      },
      provisioner: 'selvage/folder',
    });
    for (const node of this.nodes) await node.start();
    for (const { place } of this.nodes) {
      const name = `node/${place.name}`;
      await until(() => this.run('kubectl', 'get', name).code === 0);
      this.kubectl('wait', '--for=condition=Ready', name, '--timeout=120s');
    }
  }
}

/** A program of this folder. */
function fileOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
