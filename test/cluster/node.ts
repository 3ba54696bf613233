import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeCertificates } from './certificates.js';
import { areBuilt, componentsFolder } from './components.js';

// A cluster of one node: etcd, the components of Kubernetes, containerd and runc, in a network
// namespace of their own. Pods reach each other over a bridge, and find each other by addons.ts.

const ADDRESS = '10.99.0.1';
const SERVER = `https://${ADDRESS}:6443`;
/** Of the API server, for pods. */
const SERVICE = '10.96.0.1';
const PODS = '10.244.0.0/24';
const ETCD = 'http://127.0.0.1:2379';
const PLUGINS = '/usr/lib/cni';
const TRIES = 240;
const PAUSE_MS = 500;
const PROGRAMS = ['etcd', 'containerd', 'ctr', 'runc', 'ip', 'nsenter', 'openssl', 'kubectl'];

/** Why there can be no node on this machine; null: there can. */
export function whyNoNode(): string | null {
  if (process.getuid?.() !== 0) return 'no node: not root';
  const missing = PROGRAMS.filter((name) => spawnSync('which', [name]).status !== 0);
  if (missing.length > 0) return `no node: no ${missing.join(', ')}`;
  if (!existsSync(join(PLUGINS, 'bridge'))) return `no node: no CNI plugins in ${PLUGINS}`;
  return areBuilt() ? null : 'no node: node dist/test/cluster/main.js build makes its components';
}

export class ClusterNode {
  /** For KUBECONFIG, of all rights; it is of use in the node's network namespace alone. */
  readonly kubeconfig: string;
  private readonly processes = new Map<string, ChildProcess>();
  private readonly commands = new Map<string, () => void>();

  private constructor(
    private readonly folder: string,
    private readonly space: string,
  ) {
    this.kubeconfig = join(folder, 'admin.kubeconfig');
  }

  /** For `nsenter --net`. */
  get network(): string {
    return `/run/netns/${this.space}`;
  }

  static async start(): Promise<ClusterNode> {
    const folder = mkdtempSync(join(tmpdir(), 'selvage-node-'));
    const node = new ClusterNode(folder, `selvage-${process.pid}`);
    try {
      node.makeNetwork();
      makeCertificates(folder, ADDRESS, SERVER);
      node.configure();
      await node.startAll();
      return node;
    } catch (error) {
      await node.close();
      throw error;
    }
  }

  /** Runs a program in the network of the node; its output, or what it complained of. */
  run(name: string, ...words: string[]): { code: number | null; text: string } {
    const env = { ...process.env, KUBECONFIG: this.kubeconfig };
    const all = [`--net=${this.network}`, name, ...words];
    const options = { env, encoding: 'utf8', maxBuffer: 1 << 26 } as const;
    const { status, stdout, stderr } = spawnSync('nsenter', all, options);
    return { code: status, text: stdout + stderr };
  }

  /** The same beside this process. */
  start(name: string, ...words: string[]): ChildProcess {
    const env = { ...process.env, KUBECONFIG: this.kubeconfig };
    return spawn('nsenter', [`--net=${this.network}`, name, ...words], { env });
  }

  kubectl(...words: string[]): string {
    const { code, text } = this.run('kubectl', ...words);
    if (code === 0) return text;
    throw new Error(`kubectl ${words.join(' ')}: ${text}`);
  }

  /** An image that `docker save` wrote. */
  load(archive: string): void {
    const socket = join(this.folder, 'containerd.sock');
    const { code, text } = this.run(
      'ctr',
      '-a',
      socket,
      '-n',
      'k8s.io',
      'images',
      'import',
      archive,
    );
    if (code !== 0) throw new Error(`ctr images import: ${text}`);
  }

  /** Kills a component, and starts it again. */
  async restart(name: string): Promise<void> {
    await this.stop(name, 'SIGKILL');
    this.commands.get(name)!();
  }

  async close(): Promise<void> {
    if (this.processes.has('kubelet')) {
      this.run('kubectl', 'delete', 'pods', '--all', '-A', '--force', '--grace-period=0');
    }
    await this.stop('kubelet', 'SIGTERM');
    this.endContainers();
    for (const name of [...this.processes.keys()].reverse()) await this.stop(name, 'SIGTERM');
    spawnSync('ip', ['netns', 'delete', this.space]);
    const mounts = `grep -o '${this.folder}[^ ]*' /proc/mounts | sort -r | xargs -r umount -l`;
    spawnSync('sh', ['-c', mounts]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private makeNetwork(): void {
    const ip = (...words: string[]): void => {
      const { status, stderr } = spawnSync('ip', words, { encoding: 'utf8' });
      if (status !== 0) throw new Error(`ip ${words.join(' ')}: ${stderr}`);
    };
    const within = (...words: string[]): void => {
      ip('-n', this.space, ...words);
    };
    ip('netns', 'add', this.space);
    within('link', 'set', 'lo', 'up');
    within('link', 'add', 'node0', 'type', 'veth', 'peer', 'name', 'node0p');
    within('addr', 'add', `${ADDRESS}/24`, 'dev', 'node0');
    within('addr', 'add', `${SERVICE}/32`, 'dev', 'lo');
    within('link', 'set', 'node0p', 'up');
    within('link', 'set', 'node0', 'up');
    within('route', 'add', 'default', 'dev', 'node0');
    this.run('sysctl', '-qw', 'net.ipv4.ip_forward=1');
  }

  private configure(): void {
    const { folder } = this;
    const write = (name: string, text: string): void => {
      writeFileSync(join(folder, name), text);
    };
    for (const name of ['log', 'cni', 'volumes']) mkdirSync(join(folder, name));
    write(
      'containerd.toml',
      `version = 2
root = "${folder}/containerd"
state = "${folder}/containerd-state"
[grpc]
  address = "${folder}/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "docker.io/local/pause:1"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${PLUGINS}"
    conf_dir = "${folder}/cni"
`,
    );
    const ipam = {
      type: 'host-local',
      dataDir: join(folder, 'addresses'),
      ranges: [[{ subnet: PODS }]],
      routes: [{ dst: '0.0.0.0/0' }],
    };
    const bridge = { type: 'bridge', bridge: 'pods0', isGateway: true, hairpinMode: true, ipam };
    const network = { cniVersion: '0.4.0', name: 'pods', plugins: [bridge] };
    write('cni/10-pods.conflist', JSON.stringify(network));
    // Names that the cluster does not know have no server.
    write('resolv.conf', 'nameserver 127.0.0.1\n');
    const kubelet = {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      cgroupDriver: 'cgroupfs',
      failSwapOn: false,
      clusterDNS: [ADDRESS],
      clusterDomain: 'cluster.local',
      resolvConf: join(folder, 'resolv.conf'),
      containerRuntimeEndpoint: `unix://${folder}/containerd.sock`,
      authentication: { x509: { clientCAFile: join(folder, 'pki/ca.crt') } },
      tlsCertFile: join(folder, 'pki/kubelet.crt'),
      tlsPrivateKeyFile: join(folder, 'pki/kubelet.key'),
      evictionHard: { 'memory.available': '200Mi', 'nodefs.available': '1%' },
      imageGCHighThresholdPercent: 99,
      podLogsDir: join(folder, 'pod-logs'),
      maxPods: 100,
    };
    write('kubelet.json', JSON.stringify(kubelet));
  }

  private async startAll(): Promise<void> {
    const { folder } = this;
    const pki = (name: string): string => join(folder, 'pki', name);
    const config = (name: string): string => join(folder, `${name}.kubeconfig`);
    const component = (name: string): string => join(componentsFolder(), name);
    this.launch(
      ...(['etcd', 'etcd', '--data-dir', join(folder, 'etcd'), '--unsafe-no-fsync'] as const),
      ...[`--listen-client-urls=${ETCD}`, `--advertise-client-urls=${ETCD}`],
    );
    this.launch(
      ...(['apiserver', component('kube-apiserver'), `--etcd-servers=${ETCD}`] as const),
      ...['--secure-port=6443', `--advertise-address=${ADDRESS}`, '--allow-privileged=true'],
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
    await this.until('the API server is ready', 'kubectl', 'get', '--raw', '/readyz');
    this.launch(
      ...(['manager', component('kube-controller-manager'), '--leader-elect=false'] as const),
      ...[`--kubeconfig=${config('controller-manager')}`, '--use-service-account-credentials'],
      `--service-account-private-key-file=${pki('accounts.key')}`,
      `--root-ca-file=${pki('ca.crt')}`,
    );
    this.launch(
      ...(['scheduler', component('kube-scheduler'), '--leader-elect=false'] as const),
      `--kubeconfig=${config('scheduler')}`,
    );
    this.launch('containerd', 'containerd', '--config', join(folder, 'containerd.toml'));
    const socket = join(folder, 'containerd.sock');
    await this.until('containerd answers', 'ctr', '-a', socket, 'version');
    this.launch(
      ...(['kubelet', component('kubelet'), `--config=${join(folder, 'kubelet.json')}`] as const),
      ...[`--kubeconfig=${config('kubelet')}`, `--root-dir=${join(folder, 'kubelet')}`],
      ...['--hostname-override=node1', `--node-ip=${ADDRESS}`],
    );
    const addons = fileURLToPath(new URL('./addons.js', import.meta.url));
    this.launch('addons', process.execPath, addons, folder, ADDRESS, SERVER);
    this.apply({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: {
        name: 'standard',
        annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
      },
      provisioner: 'selvage/folder',
    });
    await this.until('the node is there', 'kubectl', 'get', 'node/node1');
    this.kubectl('wait', '--for=condition=Ready', 'node/node1', '--timeout=120s');
  }

  private apply(object: object): void {
    const file = join(this.folder, 'object.json');
    writeFileSync(file, JSON.stringify(object));
    this.kubectl('apply', '-f', file);
  }

  private launch(name: string, program: string, ...words: readonly string[]): void {
    const log = openSync(join(this.folder, 'log', name), 'a');
    const all = [`--net=${this.network}`, program, ...words];
    const begin = (): void => {
      const process = spawn('nsenter', all, { stdio: ['ignore', log, log], cwd: this.folder });
      this.processes.set(name, process);
    };
    begin();
    this.commands.set(name, begin);
  }

  private async stop(name: string, signal: NodeJS.Signals): Promise<void> {
    const process = this.processes.get(name);
    if (process === undefined) return;
    const ended = new Promise((resolve) => process.once('exit', resolve));
    if (process.exitCode === null && process.signalCode === null) {
      process.kill(signal);
      await ended;
    }
    this.processes.delete(name);
  }

  /** Containers outlive containerd: their shims are processes of their own. */
  private endContainers(): void {
    if (!this.processes.has('containerd')) return;
    const ctr = (...words: string[]): string =>
      this.run('ctr', '-a', join(this.folder, 'containerd.sock'), '-n', 'k8s.io', ...words).text;
    for (const task of ctr('tasks', 'ls', '-q').split('\n').filter(Boolean)) {
      ctr('tasks', 'delete', '--force', task);
    }
  }

  private async until(what: string, name: string, ...words: string[]): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      if (this.run(name, ...words).code === 0) return;
      await setTimeout(PAUSE_MS);
    }
    throw new Error(`${what}: not after ${(TRIES * PAUSE_MS) / 1000} s`);
  }
}
