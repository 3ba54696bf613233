import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { availableParallelism, totalmem } from 'node:os';
import { table } from '../../report/table.js';
import { installOf } from '../../runtime/optional-parts.js';
import { EXIT } from '../exit.js';

export interface DoctorOptions {
  readonly json?: boolean;
}

interface Finding {
  readonly what: string;
  /** Null: it is missing. */
  readonly found: string | null;
  readonly use: string;
  readonly remedy: string;
}

interface Tool {
  readonly what: string;
  readonly commands: readonly (readonly [string, ...string[]])[];
  readonly use: string;
  readonly remedy: string;
}

const GIB = 1024 ** 3;
/** As `engines` of the package says. */
const NODE_LEAST: readonly [number, number] = [20, 19];

const TOOLS: readonly Tool[] = [
  {
    what: 'nats-server',
    commands: [['nats-server', '--version']],
    use: 'run --processes',
    remedy: 'https://nats.io/download, or --nats URL of a broker',
  },
  {
    what: 'Docker',
    commands: [['docker', '--version']],
    use: 'containers',
    remedy: 'https://docs.docker.com/engine/install',
  },
  {
    what: 'Docker Compose',
    commands: [
      ['docker', 'compose', 'version', '--short'],
      ['docker-compose', 'version', '--short'],
    ],
    use: 'containers',
    remedy: 'the docker-compose-plugin of Docker',
  },
  {
    what: 'kubectl',
    commands: [['kubectl', 'version', '--client', '--output=yaml']],
    use: 'k8s run',
    remedy: 'https://kubernetes.io/docs/tasks/tools',
  },
  {
    what: 'tshark',
    commands: [['tshark', '--version']],
    use: 'captures as text (Wireshark opens them, too)',
    remedy: 'the package tshark or wireshark of the system',
  },
  {
    what: 'browser',
    commands: ['chromium', 'chromium-browser', 'google-chrome', 'firefox', 'open', 'xdg-open'].map(
      (name) => ['which', name] as const,
    ),
    use: 'report.html, run --ui',
    remedy: 'any browser; report.html is one file that can be copied elsewhere',
  },
];

const PACKAGES: readonly Pick<Finding, 'what' | 'use'>[] = [
  { what: '@duckdb/node-api', use: 'Parquet tables, query' },
  { what: '@kubernetes/client-node', use: 'k8s run' },
];

/** Prints which tools for commands this machine has; exit code 3 where nothing can run. */
export function doctorCommand(options: DoctorOptions): number {
  const isNodeFit = isAtLeast(process.versions.node, NODE_LEAST);
  const findings: readonly Finding[] = [
    {
      what: 'Node.js',
      found: isNodeFit ? process.versions.node : null,
      use: 'everything',
      remedy: `${NODE_LEAST.join('.')} or later; this is ${process.versions.node}`,
    },
    {
      what: 'machine',
      found: `${availableParallelism()} cores, ${(totalmem() / GIB).toFixed(1)} GiB`,
      use: 'run --threads up to the number of cores',
      remedy: '',
    },
    ...PACKAGES.map((each) => ({
      ...each,
      found: versionOfPackage(each.what),
      remedy: installOf(each.what),
    })),
    ...TOOLS.map(({ commands, ...rest }) => ({ ...rest, found: versionOfTool(commands) })),
  ];
  if (options.json === true) process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
  else process.stdout.write(`${textOf(findings)}\n`);
  return isNodeFit ? EXIT.COMPLETE : EXIT.RUN_FAILED;
}

function textOf(findings: readonly Finding[]): string {
  const rows = findings.map(({ what, found, use }) => [what, found ?? 'missing', use]);
  const missing = findings.filter(({ found }) => found === null);
  const remedies = missing.map(({ what, remedy }) => `  ${what}: ${remedy}`);
  const found = table(['', 'found', 'for'], rows);
  return missing.length === 0
    ? found
    : [found, '', 'How to get what is missing:', ...remedies].join('\n');
}

/** Null if none of the commands can be run. */
function versionOfTool(commands: Tool['commands']): string | null {
  for (const [name, ...words] of commands) {
    const { status, stdout } = spawnSync(name, words, { encoding: 'utf8', timeout: 5000 });
    if (status === 0) return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? stdout.trim().split('\n')[0]!;
  }
  return null;
}

function versionOfPackage(name: string): string | null {
  try {
    createRequire(import.meta.url).resolve(name);
    return 'installed';
  } catch {
    return null;
  }
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}
