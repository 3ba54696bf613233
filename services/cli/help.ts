import type { Command } from 'commander';
import { nearestName } from '../settings/errors.js';

interface HelpEntry {
  readonly name: string;
  /** Two command lines, each with its effect. */
  readonly examples: readonly (readonly [string, string])[];
}

/** Commands by purpose, in the order of `selvage --help`. */
const GROUPS: Readonly<Record<string, readonly HelpEntry[]>> = {
  'Run:': [
    {
      name: 'init',
      examples: [
        ['init', 'scenario.yaml: a leaf-spine fabric with an incast that pauses its senders'],
        ['init mine.yaml --fabric star --load random', 'others'],
      ],
    },
    {
      name: 'examples',
      examples: [
        ['examples', 'what there is'],
        ['examples ring-deadlock > mine.yaml', 'one of them, to change it'],
      ],
    },
    {
      name: 'run',
      examples: [
        ['run ring-deadlock --open', 'an example, and its report in a browser'],
        ['run scenario.yaml --set switches.buffer.size=4MB', 'with another value'],
      ],
    },
    {
      name: 'resume',
      examples: [
        ['resume runs/chaos', 'from its last checkpoint'],
        ['resume', 'the paused run in progress'],
      ],
    },
    {
      name: 'branch',
      examples: [
        ["branch runs/chaos --at 100us --set 'faults=[]'", 'the same, without faults from 100 us'],
        ['branch runs/chaos --at 50us --set switches.ecmp=packet', 'other load balancing'],
      ],
    },
  ],
  'Put real hosts at a fabric:': [
    {
      name: 'live',
      examples: [
        ['live demo', 'two network namespaces across a fabric that pauses'],
        ['live lab.yaml --attach h1=netns:a', 'attach one, and print how to attach the others'],
      ],
    },
    {
      name: 'replay',
      examples: [
        ['replay runs/lab', 'what came in, once more: the same digest'],
        ['replay runs/lab --fault link-down --where leaf1:p1 --at 1ms', 'what if …'],
      ],
    },
  ],
  'Steer a run in progress:': [
    {
      name: 'status',
      examples: [
        ['status', 'all runs in progress'],
        ['status chaos --json', 'one of them, for a program'],
      ],
    },
    {
      name: 'top',
      examples: [
        ['top', 'the services of the only run, live'],
        ['top chaos --once', 'of one of several, printed once'],
      ],
    },
    {
      name: 'attach',
      examples: [
        ['attach', 'follow the only run'],
        ['attach chaos', 'follow one of several'],
      ],
    },
    {
      name: 'pause',
      examples: [
        ['pause', 'the only run'],
        ['pause chaos', 'one of several'],
      ],
    },
    {
      name: 'step',
      examples: [
        ['step', 'one round of the paused run'],
        ['step chaos --json', 'of one of several'],
      ],
    },
    {
      name: 'inject',
      examples: [
        ['inject --fault link-down --where leaf1 --for 10us', 'all links of leaf1'],
        ['inject --list', 'faults of the run'],
      ],
    },
    {
      name: 'checkpoint',
      examples: [
        ['checkpoint', 'of the only run'],
        ['checkpoint chaos', 'of one of several'],
      ],
    },
    {
      name: 'stop',
      examples: [
        ['stop', 'the only run, with a report of what was measured'],
        ['stop chaos', 'one of several'],
      ],
    },
  ],
  'Understand a run:': [
    {
      name: 'why',
      examples: [
        ['why runs/incast --flow 5', 'where the time of one flow went'],
        ['why runs/incast --try', 'what would help, measured by runs without it'],
      ],
    },
    {
      name: 'report',
      examples: [
        ['report runs/incast', 'report.html again'],
        ['report runs/incast --why', 'with congestion trees'],
      ],
    },
    {
      name: 'export',
      examples: [
        ['export runs/incast', 'completion times and pauses, as HPCC writes them'],
        ['export runs/incast --dialect conweave --out plots', 'as ConWeave does, in a folder'],
      ],
    },
    {
      name: 'trace',
      examples: [
        ['trace runs/incast --perfetto incast.pftrace', 'for https://ui.perfetto.dev'],
        ["trace runs/incast --perfetto one.pftrace --flow 'burst/h5->h1'", 'one flow'],
      ],
    },
    {
      name: 'capture',
      examples: [
        ['capture runs/incast --wireshark', 'the command, with dissectors'],
        ['capture runs/incast --wireshark | sh', 'and execute it'],
      ],
    },
    {
      name: 'query',
      examples: [
        ["query runs/incast 'select name, slowdown from flows'", 'one table'],
        ["query runs/incast 'show tables'", 'which there are'],
      ],
    },
    {
      name: 'inspect',
      examples: [
        ['inspect h1', 'tables and buffers of its NIC at the end of the newest run'],
        ['inspect h1 --run 82599.yaml --at 1ms', 'at a time'],
      ],
    },
    {
      name: 'managed',
      examples: [
        ['managed scenario.yaml', 'managed objects at the end, as YANG instance data'],
        ['managed scenario.yaml --device s1', 'of one, by modules of IEEE'],
      ],
    },
  ],
  'Compare and explore:': [
    {
      name: 'compare',
      examples: [
        ['compare runs/a runs/b', 'one page: compare.html'],
        ['compare runs/a runs/b --why --out ab.html', 'with congestion trees'],
      ],
    },
    {
      name: 'duel',
      examples: [
        ['duel scenario.yaml', 'under every mechanism'],
        ['duel scenario.yaml --mechanisms none,pause', 'under two'],
      ],
    },
    {
      name: 'sweep',
      examples: [
        ['sweep chaos.yaml --vary switches.buffer.size=1MB,2MB,4MB', 'three runs'],
        ['sweep chaos.yaml --vary seed=1,2,3 --html sweep.html', 'with a page'],
      ],
    },
    {
      name: 'experiment',
      examples: [
        ['experiment', 'list them'],
        ['experiment reboot-leaf --out tables', 'run one, and keep its table and page'],
      ],
    },
    {
      name: 'hunt',
      examples: [
        ['hunt scenario.yaml --runs 100', 'random faults until a run fails'],
        ['hunt --worlds 50', 'generated scenarios, in every runner'],
      ],
    },
  ],
  'Describe and check:': [
    {
      name: 'validate',
      examples: [
        ['validate scenario.yaml', 'every error, and what is probably not meant'],
        ['validate *.yaml --strict', 'exit code 2 for warnings, too'],
      ],
    },
    {
      name: 'sonic',
      examples: [
        ['sonic check config_db.json --asic th5', 'is this switch lossless, and by how much'],
        [
          'sonic probe config_db.json --asic th5',
          'frames until the sender is paused, and to a drop',
        ],
      ],
    },
    {
      name: 'otg',
      examples: [
        ['otg serve config_db.json --asic th5', 'for scripts of snappi, in virtual time'],
        ['otg serve scenario.yaml --port 8443', 'with hosts of a scenario as ports'],
      ],
    },
    {
      name: 'explain',
      examples: [
        ['explain ECMP', 'a term of the field'],
        ["explain 'load[].incast'", 'a key of a scenario'],
      ],
    },
    {
      name: 'schema',
      examples: [
        ['schema --out scenario.schema.json', 'for completion in an editor'],
        ['schema --summary', 'of summary.json, for programs that read it'],
      ],
    },
    {
      name: 'topology',
      examples: [
        ['topology scenario.yaml', 'as text'],
        ['topology scenario.yaml --format svg --out fabric.svg', 'as a picture'],
      ],
    },
    {
      name: 'import',
      examples: [
        ['import topology.txt flow.txt config.txt --out imported', 'a scenario of files of HPCC'],
        ['import topology.txt flow.txt --out fabric', 'into a folder'],
      ],
    },
    {
      name: 'jobs',
      examples: [
        ['jobs scenario.yaml', 'what its jobs ask for'],
        ['jobs scenario.yaml --json', 'for a program'],
      ],
    },
    {
      name: 'size',
      examples: [
        ['size scenario.yaml', 'headroom and buffer that each port needs'],
        ['size scenario.yaml --json', 'for a program'],
      ],
    },
    {
      name: 'advise',
      examples: [
        ['advise scenario.yaml', 'thresholds for all ports of switches'],
        ['advise scenario.yaml --port leaf1:p1', 'of one'],
      ],
    },
    {
      name: 'neighbors',
      examples: [
        ['neighbors dcbx.yaml', 'after the last change'],
        ['neighbors dcbx.yaml --at 10us', 'at a time'],
      ],
    },
    {
      name: 'dcbx',
      examples: [
        ['dcbx dcbx.yaml', 'local, remote and operational values'],
        ['dcbx dcbx.yaml --mismatch', 'exit code 1 if link partners disagree'],
      ],
    },
    {
      name: 'paths',
      examples: [
        ['paths dcbx.yaml --from h1 --to h4', 'all priorities'],
        ['paths dcbx.yaml --from h1 --to h4 --priority 3', 'one'],
      ],
    },
    {
      name: 'doctor',
      examples: [
        ['doctor', 'what this machine has, what it lacks, how to get it'],
        ['doctor --json', 'for a program'],
      ],
    },
    {
      name: 'completion',
      examples: [
        ['completion bash >> ~/.bashrc', 'bash; zsh with ~/.zshrc, after compinit'],
        ['completion fish > ~/.config/fish/completions/selvage.fish', 'fish'],
      ],
    },
  ],
  'Cluster:': [
    {
      name: 'k8s',
      examples: [
        ['k8s run scenario.yaml --devices-per-service 4', 'in the cluster of kubectl'],
        ['k8s render scenario.yaml --out manifests', 'for `kubectl apply -k`'],
      ],
    },
    {
      name: 'download',
      examples: [
        ['download s3://bucket/runs/incast runs/incast', 'with the keys of AWS_ACCESS_KEY_ID'],
        ['download s3://bucket/runs/incast incast', 'into a folder of another name'],
      ],
    },
    {
      name: 'coordinate',
      examples: [
        ['coordinate scenario.yaml --listen 0.0.0.0:7400', 'wait for services'],
        ['coordinate scenario.yaml --services 4 --nats nats://broker:4222', 'four of them'],
      ],
    },
  ],
  'Internal, started by images and manifests:': [
    {
      name: 'service',
      examples: [
        ['service --join 10.0.0.1:7400 --number 0', 'the first service of a run'],
        ['service', 'as SELVAGE_COORDINATOR and SELVAGE_SERVICE say'],
      ],
    },
    {
      name: 'healthy',
      examples: [
        ['healthy', 'exit code 0 if the coordinator or service answers'],
        ['healthy || echo down', 'in a probe'],
      ],
    },
    {
      name: 'unpack',
      examples: [
        ['unpack /pieces /scenario', 'in an init container, before the coordinator'],
        ['unpack pieces .', 'of ConfigMaps that were saved'],
      ],
    },
  ],
};

/** The commands of `selvage sonic`. */
const SONIC: readonly HelpEntry[] = [
  {
    name: 'import',
    examples: [
      ['sonic import config_db.json --asic th5 -o switch.yaml', 'one switch'],
      ['sonic import leaf*.json --asic th3 -o fabric.yaml', 'several, joined as they say'],
    ],
  },
  {
    name: 'check',
    examples: [
      ['sonic check config_db.json --asic th5', 'every port and group, with its margin'],
      ['sonic check config_db.json --asic spc3 --pg-profiles pg_profile_lookup.ini', 'completed'],
    ],
  },
  {
    name: 'probe',
    examples: [
      ['sonic probe config_db.json --asic th5', 'a port of each kind'],
      ['sonic probe config_db.json --asic th5 --expect lab.csv', 'compared with a lab'],
    ],
  },
  {
    name: 'show',
    examples: [
      ['sonic show queue counters runs/RUN', 'frames sent and dropped by each queue'],
      ['sonic show priority-group watermark headroom runs/RUN', 'most headroom in use'],
    ],
  },
];

/** The commands of `selvage otg`. */
const OTG: readonly HelpEntry[] = [
  {
    name: 'serve',
    examples: [
      ['otg serve config_db.json --asic th5', 'a switch as SONiC configures it'],
      ['otg serve scenario.yaml --port 8443', 'snappi.api(location="http://127.0.0.1:8443")'],
    ],
  },
];

/** The commands of `selvage k8s`. */
const CLUSTER: readonly HelpEntry[] = [
  {
    name: 'run',
    examples: [
      ['k8s run scenario.yaml', 'create it, follow it, fetch its results, delete it'],
      ['k8s run scenario.yaml --detach --run night', 'return when its pods run'],
    ],
  },
  {
    name: 'render',
    examples: [
      ['k8s render scenario.yaml --out manifests', 'for `kubectl apply -k manifests`'],
      ['k8s render scenario.yaml --out manifests --threads 4', 'four cores for each service'],
    ],
  },
  {
    name: 'values',
    examples: [
      ['k8s values', 'for an editor of --values files'],
      ['k8s values --chart', 'of the Helm chart'],
    ],
  },
  {
    name: 'list',
    examples: [
      ['k8s list', 'in all namespaces that you may read'],
      ['k8s list --namespace night --json', 'of one, for a program'],
    ],
  },
  {
    name: 'attach',
    examples: [
      ['k8s attach', 'follow the run of the namespace'],
      ['k8s attach --namespace night --run b', 'of another, one of several'],
    ],
  },
  {
    name: 'logs',
    examples: [
      ['k8s logs', 'of all pods'],
      ['k8s logs --role coordinator', 'of one role'],
    ],
  },
  {
    name: 'fetch',
    examples: [
      ['k8s fetch', 'into runs/'],
      ['k8s fetch --namespace night --out results', 'of another run, elsewhere'],
    ],
  },
  {
    name: 'delete',
    examples: [
      ['k8s delete', 'the run of the namespace'],
      ['k8s delete --namespace night', 'of another'],
    ],
  },
  {
    name: 'status',
    examples: [
      ['k8s status', 'progress, services, and why pods do not run'],
      ['k8s status --json', 'for a program'],
    ],
  },
  {
    name: 'pause',
    examples: [
      ['k8s pause', 'the run of the namespace'],
      ['k8s pause --namespace night', 'of another'],
    ],
  },
  {
    name: 'resume',
    examples: [
      ['k8s resume', 'the run of the namespace'],
      ['k8s resume --namespace night', 'of another'],
    ],
  },
  {
    name: 'step',
    examples: [
      ['k8s step', 'one round of the paused run'],
      ['k8s step --for 10us', 'a length of virtual time'],
    ],
  },
  {
    name: 'checkpoint',
    examples: [
      ['k8s checkpoint', 'the run of the namespace'],
      ['k8s checkpoint --namespace night', 'of another'],
    ],
  },
  {
    name: 'stop',
    examples: [
      ['k8s stop', 'and keep what was measured'],
      ['k8s stop --namespace night', 'of another namespace'],
    ],
  },
  {
    name: 'scale',
    examples: [
      ['k8s scale --services 8', 'continue in eight pods'],
      ['k8s scale --services 2 --threads 4', 'in two, of four threads each'],
    ],
  },
  {
    name: 'inject',
    examples: [
      ['k8s inject --fault link-down --where leaf1 --for 10us', 'all links of leaf1'],
      ['k8s inject --list', 'faults of the run'],
    ],
  },
  {
    name: 'ui',
    examples: [
      ['k8s ui', 'the live page, on any free port'],
      ['k8s ui --port 8080', 'on this one'],
    ],
  },
];

const WITHIN: Readonly<Record<string, readonly HelpEntry[]>> = {
  ...{ k8s: CLUSTER, otg: OTG, sonic: SONIC },
};

/** Puts the commands of a program into groups, and two examples below the help of each. */
export function arrangeHelp(program: Command): void {
  const entries = Object.entries(GROUPS).flatMap(([heading, group]) =>
    group.map((entry) => ({ ...entry, heading })),
  );
  const rank = (command: Command): number =>
    entries.findIndex(({ name }) => name === command.name());
  (program.commands as Command[]).sort((a, b) => rank(a) - rank(b));
  suggestCommands(program);
  for (const command of program.commands) {
    const entry = entries[rank(command)];
    if (entry === undefined) continue;
    command.helpGroup(entry.heading);
    addExamples(command, entry);
    suggestCommands(command);
    for (const within of command.commands) {
      const own = (WITHIN[command.name()] ?? []).find(({ name }) => name === within.name());
      if (own !== undefined) addExamples(within, own);
    }
  }
}

/** Commander suggests close names in the same case only. */
function suggestCommands(command: Command): void {
  command.configureOutput({
    outputError: (text, write) => {
      const [, word = ''] = /^error: unknown command '(.*)'\n$/.exec(text) ?? [];
      const names = command.commands.map((own) => own.name());
      const meant = nearestName(word, names);
      write(meant === null ? text : `${text}(Did you mean ${meant}?)\n`);
    },
  });
}

function addExamples(command: Command, entry: HelpEntry): void {
  command.addHelpText('after', `\nExamples:\n${exampleLines(entry)}`);
}

/** Two lines that a person may type after `selvage`, each with what it does. */
export function examplesOf(name: string): HelpEntry['examples'] {
  return (
    Object.values(GROUPS)
      .flat()
      .find((entry) => entry.name === name)?.examples ?? []
  );
}

function exampleLines({ examples }: HelpEntry): string {
  const lines = examples.map(([words, meaning]) => [`selvage ${words}`, meaning] as const);
  const width = Math.max(...lines.map(([line]) => line.length));
  return lines.map(([line, meaning]) => `  ${line.padEnd(width)}  # ${meaning}`).join('\n');
}
