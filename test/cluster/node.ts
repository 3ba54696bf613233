import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './commands.js';
import { componentsFolder } from './components.js';

// One node: kubelet, containerd and runc in a network namespace of their own, which has one link to
// the other nodes of the cluster. Pods reach each other over a bridge and by routes.

export const PLUGINS = '/usr/lib/cni';
/** Link that all nodes of a cluster have in common: node K has address K + 1 on it. */
const NODES = '10.99.0';
const PODS = '10.244';

const CGROUPS = '/sys/fs/cgroup';
const REMOVE = ['-type', 'd', '-exec', 'rmdir', '{}', ';'];

/** Names and addresses of a node, by its number. */
export class NodePlace {
  readonly name: string;
  readonly address: string;
  readonly pods: string;
  readonly space: string;
  readonly network: string;

  constructor(
    readonly number: number,
    /** Of the cluster: several may be on a machine. */
    id: string,
  ) {
    this.name = `node${number + 1}`;
    this.address = `${NODES}.${number + 1}`;
    this.pods = `${PODS}.${number}.0/24`;
    this.space = `${id}-${this.name}`;
    this.network = `/run/netns/${this.space}`;
  }
}

/** Runs programs of a network namespace beside this process, each with a log and a name. */
export class Programs {
  private readonly processes = new Map<string, ChildProcess>();
  private readonly commands = new Map<string, () => void>();

  constructor(
    private readonly folder: string,
    private readonly network: string,
  ) {
    mkdirSync(join(folder, 'log'), { recursive: true });
  }

  launch(name: string, program: string, ...words: readonly string[]): void {
    const log = openSync(join(this.folder, 'log', name), 'a');
    const all = [`--net=${this.network}`, program, ...words];
    const begin = (): void => {
      const child = spawn('nsenter', all, { stdio: ['ignore', log, log], cwd: this.folder });
      this.processes.set(name, child);
    };
    begin();
    this.commands.set(name, begin);
  }

  has(name: string): boolean {
    return this.processes.has(name);
  }

  /** Starts one again that was stopped. */
  start(name: string): void {
    this.commands.get(name)!();
  }

  async stop(name: string, signal: NodeJS.Signals): Promise<void> {
    const child = this.processes.get(name);
    if (child === undefined) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await ended;
    }
    this.processes.delete(name);
  }

  async stopAll(): Promise<void> {
    for (const name of [...this.processes.keys()].reverse()) await this.stop(name, 'SIGTERM');
  }
}

export class ClusterNode {
  readonly programs: Programs;

  /** `folder`: of this node; `cluster`: with certificates and kubeconfigs. */
  constructor(
    readonly place: NodePlace,
    private readonly folder: string,
    private readonly cluster: string,
  ) {
    this.programs = new Programs(folder, place.network);
  }

  async start(): Promise<void> {
    const { folder, cluster } = this;
    const { name, address } = this.place;
    for (const one of cgroupsOf(this.place)) mkdirSync(one, { recursive: true });
    this.configure();
    this.programs.launch('containerd', 'containerd', '--config', join(folder, 'containerd.toml'));
    await until(() => this.ctr('version').code === 0);
    const kubelet = join(componentsFolder(), 'kubelet');
    this.programs.launch(
      ...(['kubelet', kubelet, `--config=${join(folder, 'kubelet.json')}`] as const),
      ...[`--kubeconfig=${join(cluster, `${name}.kubeconfig`)}`],
      ...[`--root-dir=${join(folder, 'kubelet')}`],
      ...[`--hostname-override=${name}`, `--node-ip=${address}`],
    );
  }

  /** An image that `docker save` wrote. */
  load(archive: string): void {
    const { code, text } = this.ctr('-n', 'k8s.io', 'images', 'import', archive);
    if (code !== 0) throw new Error(`ctr images import: ${text}`);
  }

  /** All of it ends at once, with its containers, as where a machine loses its power. */
  async lose(): Promise<void> {
    await this.programs.stop('kubelet', 'SIGKILL');
    this.endContainers();
  }

  async close(): Promise<void> {
    await this.programs.stop('kubelet', 'SIGTERM');
    this.endContainers();
    await this.programs.stopAll();
    const mounts = `grep -o '${this.folder}[^ ]*' /proc/mounts | sort -r | xargs -r umount -l`;
    spawnSync('sh', ['-c', mounts]);
    for (const one of cgroupsOf(this.place)) spawnSync('find', [one, '-depth', ...REMOVE]);
  }

  private ctr(...words: string[]): { code: number | null; text: string } {
    return runIn(this.place, 'ctr', ['-a', join(this.folder, 'containerd.sock'), ...words]);
  }

  /** Containers outlive containerd: their shims are processes of their own. */
  private endContainers(): void {
    if (!this.programs.has('containerd')) return;
    for (const task of this.ctr('-n', 'k8s.io', 'tasks', 'ls', '-q').text.split('\n')) {
      if (task !== '') this.ctr('-n', 'k8s.io', 'tasks', 'delete', '--force', task);
    }
  }

  private configure(): void {
    const { folder, cluster } = this;
    const { name, pods } = this.place;
    const write = (file: string, text: string): void => {
      writeFileSync(join(folder, file), text);
    };
    mkdirSync(join(folder, 'cni'));
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
      ranges: [[{ subnet: pods }]],
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
      cgroupRoot: `/${this.place.space}`,
      failSwapOn: false,
      clusterDNS: [`${NODES}.1`],
      clusterDomain: 'cluster.local',
      resolvConf: join(folder, 'resolv.conf'),
      containerRuntimeEndpoint: `unix://${folder}/containerd.sock`,
      authentication: { x509: { clientCAFile: join(cluster, 'pki/ca.crt') } },
      tlsCertFile: join(cluster, `pki/${name}.crt`),
      tlsPrivateKeyFile: join(cluster, `pki/${name}.key`),
      evictionHard: { 'memory.available': '200Mi', 'nodefs.available': '1%' },
      imageGCHighThresholdPercent: 99,
      podLogsDir: join(folder, 'pod-logs'),
      maxPods: 100,
    };
    write('kubelet.json', JSON.stringify(kubelet));
  }
}

/** Of a node's pods: a kubelet removes those that it does not know below its own. */
function cgroupsOf({ space }: NodePlace): string[] {
  const isUnified = existsSync(join(CGROUPS, 'cgroup.controllers'));
  const hierarchies = isUnified ? ['.'] : readdirSync(CGROUPS);
  return hierarchies.map((name) => join(CGROUPS, name, space));
}

/** Runs a program in the network of a node; its output, and its errors. */
export function runIn(
  { network }: NodePlace,
  name: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): { code: number | null; text: string } {
  const options = { env, encoding: 'utf8', maxBuffer: 1 << 26 } as const;
  const run = spawnSync('nsenter', [`--net=${network}`, name, ...words], options);
  return { code: run.status, text: run.stdout + run.stderr };
}

/** Makes the network namespaces of nodes, and one whose bridge links them. */
export function makeNetwork(places: readonly NodePlace[], hub: string): void {
  ip('netns', 'add', hub);
  ip('-n', hub, 'link', 'add', 'nodes', 'type', 'bridge');
  ip('-n', hub, 'link', 'set', 'nodes', 'up');
  for (const place of places) {
    const within = ['-n', place.space];
    const port = `port${place.number}`;
    ip('netns', 'add', place.space);
    ip(...within, 'link', 'set', 'lo', 'up');
    ip(...within, 'link', 'add', 'node0', 'type', 'veth', 'peer', 'name', port, 'netns', hub);
    ip('-n', hub, 'link', 'set', port, 'master', 'nodes', 'up');
    ip(...within, 'addr', 'add', `${place.address}/24`, 'dev', 'node0');
    ip(...within, 'link', 'set', 'node0', 'up');
    ip(...within, 'route', 'add', 'default', 'dev', 'node0');
    runIn(place, 'sysctl', ['-qw', 'net.ipv4.ip_forward=1']);
    for (const other of places) {
      if (other !== place) ip(...within, 'route', 'add', other.pods, 'via', other.address);
    }
  }
}

export function removeNetwork(places: readonly NodePlace[], hub: string): void {
  for (const space of [...places.map((place) => place.space), hub]) {
    spawnSync('ip', ['netns', 'delete', space]);
  }
}

export function ip(...words: string[]): void {
  const { status, stderr } = spawnSync('ip', words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${words.join(' ')}: ${stderr}`);
}
