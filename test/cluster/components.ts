import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

// The components of Kubernetes, as the Go module proxy has them: one binary that is each of them by
// the name it is called by, since linking four takes four times as long. It is kept between runs.

const VERSION = 'v1.33.13';
/** Modules of the same repository have versions of their own. */
const STAGING_VERSION = VERSION.replace('v1', 'v0');
const NAMES = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet'] as const;
const CHAOS_MESH = 'github.com/chaos-mesh/chaos-mesh@v0.9.1-0.20260902003049-47411975a8cb';
const OUTPUT_OCTETS = 1 << 26;

const MAIN = `package main

import (
	"os"
	"path/filepath"

	"k8s.io/component-base/cli"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	manager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func main() {
	switch filepath.Base(os.Args[0]) {
	case "kube-apiserver":
		os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
	case "kube-controller-manager":
		os.Exit(cli.Run(manager.NewControllerManagerCommand()))
	case "kube-scheduler":
		os.Exit(cli.Run(scheduler.NewSchedulerCommand()))
	case "kubelet":
		os.Exit(cli.Run(kubelet.NewKubeletCommand()))
	}
}
`;

/** Where the binaries are, and are kept. */
export function componentsFolder(): string {
  const cache = process.env['SELVAGE_CLUSTER_CACHE'] ?? join(homedir(), '.cache/selvage-cluster');
  return join(cache, VERSION);
}

export function areBuilt(): boolean {
  return NAMES.every((name) => existsSync(join(componentsFolder(), name)));
}

/** Builds what is missing: ten minutes of two cores and 2.5 GB of memory. */
export function buildComponents(): void {
  if (areBuilt()) return;
  const folder = componentsFolder();
  const source = join(folder, 'source');
  mkdirSync(folder, { recursive: true });
  prepareSource(source);
  const binary = join(folder, 'kubernetes');
  const variable = (name: string, value: string): string =>
    ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version']
      .map((path) => `-X ${path}.${name}=${value}`)
      .join(' ');
  const [major, minor] = VERSION.slice(1).split('.') as [string, string];
  const variables = { gitVersion: VERSION, gitMajor: major, gitMinor: minor };
  const flags = Object.entries(variables).map(([name, value]) => variable(name, value));
  const words = ['build', '-mod=mod', '-trimpath', '-ldflags', `-s -w ${flags.join(' ')}`];
  go(source, ...words, '-o', binary, './cmd/all');
  for (const name of NAMES) {
    rmSync(join(folder, name), { force: true });
    symlinkSync('kubernetes', join(folder, name));
  }
  rmSync(source, { recursive: true });
}

/** Folder of the resource definitions of Chaos Mesh; null where its module cannot be had. */
export function chaosMeshDefinitions(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-module-'));
  try {
    writeFileSync(join(folder, 'go.mod'), 'module download\n');
    const found = go(folder, 'mod', 'download', '-json', CHAOS_MESH);
    return join((JSON.parse(found) as { Dir: string }).Dir, 'config/crd/bases');
  } catch {
    return null;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Replaces the modules that the repository has in folders by those of the proxy. */
function prepareSource(source: string): void {
  rmSync(source, { recursive: true, force: true });
  mkdirSync(source);
  writeFileSync(join(source, 'go.mod'), 'module download\n');
  const { Dir } = JSON.parse(
    go(source, 'mod', 'download', '-json', `k8s.io/kubernetes@${VERSION}`),
  ) as { Dir: string };
  cpSync(Dir, source, { recursive: true, force: true });
  spawnSync('chmod', ['-R', 'u+w', source]);
  rmSync(join(source, 'go.work'), { force: true });
  const { Replace } = JSON.parse(go(source, 'mod', 'edit', '-json')) as {
    Replace: { Old: { Path: string } }[];
  };
  const edits = Replace.flatMap(({ Old: { Path } }) =>
    Path.includes('sample')
      ? [`-droprequire=${Path}`, `-dropreplace=${Path}`]
      : [`-replace=${Path}=${Path}@${STAGING_VERSION}`],
  );
  go(source, 'mod', 'edit', ...edits);
  mkdirSync(join(source, 'cmd/all'));
  writeFileSync(join(source, 'cmd/all/main.go'), MAIN);
}

function go(folder: string, ...words: string[]): string {
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off' };
  const options = { cwd: folder, env, encoding: 'utf8', maxBuffer: OUTPUT_OCTETS } as const;
  const { status, stdout, stderr, error } = spawnSync('go', words, options);
  if (status === 0) return stdout;
  throw new Error(`go ${words.join(' ')}: ${error?.message ?? stderr}`);
}
