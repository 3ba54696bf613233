import {
  attachCommands,
  NamespaceError,
  Namespaces,
  preparation,
} from '../../attach/namespaces.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { loadScenario } from '../../fabric/scenario/load-scenario.js';
import { defaultObservation } from '../../report/default-observation.js';
import { formatRate } from '../../report/format.js';
import { prepareEngine } from '../../runtime/engine-flags.js';
import type { RunResults } from '../../runtime/results/results.js';
import { listed } from '../../settings/errors.js';
import type { CaptureOptions } from '../capture-options.js';
import { captureSettings } from '../capture-options.js';
import type { EmulateOptions } from '../emulation.js';
import { emulate } from '../emulate.js';
import { EXIT, InputError } from '../exit.js';
import { loadRun } from '../load-fabric.js';

/** Of frames of 1,500 octets, by two system calls each: what one process forwards. */
const HOST_BPS = 1e9;
const BITS_PER_OCTET_PS = 8e12;

/** Picoseconds are counted exactly for somewhat more than two hours. */
const LONGEST = 'duration=3600s';

export interface LiveOptions extends EmulateOptions, CaptureOptions {
  readonly set: readonly string[];
  readonly for?: string;
  readonly attach: readonly string[];
  readonly observe?: boolean;
  /** Called when hosts are attached; what it returns ends with the run. */
  readonly talk?: () => () => void;
}

/** Runs a scenario whose live hosts are real, as fast as the wall clock. */
export async function liveCommand(file: string, options: LiveOptions): Promise<number> {
  prepareEngine();
  const duration = durationOf(file, options);
  const given = [...options.set, ...duration, ...captureSettings(options)];
  const defaults =
    options.observe === false
      ? []
      : defaultObservation(loadScenario(file, { set: given }).document);
  const set = [...given, ...defaults];
  const { loaded, fabric } = loadRun(file, set);
  const { live } = fabric.scenario;
  if (live === null || live.hosts.length === 0) {
    throw loaded.errorAt(
      [],
      'no host is live; write live: { hosts: { h1: { vxlan: { vni: 101 } } } }',
    );
  }
  if (live.inputs !== null) {
    throw loaded.errorAt(
      ['live', 'inputs'],
      'a recording instead of real hosts: selvage run runs it',
    );
  }
  if (options.quiet !== true) warnOfRates(fabric);
  const attachments = attachmentsOf(options.attach, fabric);
  const namespaces = new Namespaces();
  let hush = (): void => undefined;
  const attached = (): void => {
    attach(namespaces, attachments, fabric);
    hush = options.talk?.() ?? hush;
  };
  try {
    if (attachments.size > 0) prepare(namespaces, attachments, fabric);
    if (attachments.size < live.hosts.length) printCommands(fabric, attachments);
    const emulation = { file, set, loaded, fabric, from: null, steps: [] };
    const held: boolean[] = [];
    const ended = (results: RunResults): void => {
      held.push(results.live?.time?.fellBehind !== true);
    };
    const code = await emulate(emulation, { ...options, attached, ended });
    if (live.timing !== 'strict' || held.every(Boolean) || code !== EXIT.COMPLETE) return code;
    process.stderr.write('the run ended where the engine fell behind (live.timing: strict)\n');
    return EXIT.EXPECTATIONS_FAILED;
  } finally {
    hush();
    namespaces.remove();
  }
}

/** That of the command line, or the scenario's own. */
function durationOf(file: string, options: LiveOptions): readonly string[] {
  if (options.for !== undefined) return [`duration=${options.for}`];
  const { scenario } = loadScenario(file, { set: [...options.set] });
  return scenario.durationPs === null ? [LONGEST] : [];
}

/** Where real hosts are slower than their links, nothing ever queues. */
function warnOfRates({ live, specs, scenario }: Fabric): void {
  const { scale } = scenario.live!;
  for (const { position, section } of live!.hosts) {
    const bps = BITS_PER_OCTET_PS / specs[position]!.ports[0]!.octetPs;
    if (bps / scale <= 2 * HOST_BPS) continue;
    const fitting = Math.ceil(bps / HOST_BPS);
    process.stderr.write(
      `warning: ${section.name} has a link of ${formatRate(bps)}, and a real host sends about ` +
        `${formatRate(HOST_BPS)}: nothing will queue there; live.scale: ${fitting} slows time\n`,
    );
  }
}

/** Namespaces by host. */
function attachmentsOf(given: readonly string[], fabric: Fabric): ReadonlyMap<string, string> {
  const hosts = attachCommands(fabric, (name) => name);
  return new Map(
    given.map((option) => {
      const [, host, namespace] = /^([^=]+)=netns:([A-Za-z0-9_.-]+)$/.exec(option) ?? [];
      if (host === undefined || namespace === undefined) {
        throw new InputError(`--attach ${option}: not an attachment; write h1=netns:a`);
      }
      const own = hosts.find(({ host: name }) => name === host);
      if (own === undefined) {
        const names = listed(hosts.map(({ host: name }) => name));
        throw new InputError(
          `--attach ${option}: no live host is called ${host}; there is ${names}`,
        );
      }
      if (!own.takesNamespaces) {
        throw new InputError(
          `--attach ${option}: ${host} is for a guest: its own line attaches it`,
        );
      }
      return [host, namespace] as const;
    }),
  );
}

/** What endpoints need before they can be opened. */
function prepare(
  namespaces: Namespaces,
  attachments: ReadonlyMap<string, string>,
  fabric: Fabric,
): void {
  reported(() => {
    for (const namespace of attachments.values()) namespaces.add(namespace);
    for (const line of preparation(fabric)) namespaces.run(line);
  });
}

function attach(
  namespaces: Namespaces,
  attachments: ReadonlyMap<string, string>,
  fabric: Fabric,
): void {
  reported(() => {
    const all = attachCommands(fabric, (host) => attachments.get(host) ?? host);
    for (const { host, lines } of all) {
      if (attachments.has(host)) for (const line of lines) namespaces.run(line);
    }
  });
}

function reported(action: () => void): void {
  try {
    action();
  } catch (error) {
    throw error instanceof NamespaceError ? new InputError(error.message) : error;
  }
}

/** For each live port that is free: what attaches a namespace, or a guest. */
function printCommands(fabric: Fabric, attachments: ReadonlyMap<string, string>): void {
  const open = attachCommands(fabric, (host) => host).filter(({ host }) => !attachments.has(host));
  const once = attachments.size > 0 ? [] : preparation(fabric);
  const parts = [
    ...(once.length === 0 ? [] : ['# once', ...once]),
    ...open.flatMap(({ host, lines, takesNamespaces }) => [
      `# ${host}`,
      ...(takesNamespaces ? [`ip netns add ${host}`] : []),
      ...lines,
    ]),
  ];
  process.stderr.write(`${parts.join('\n')}\n`);
}
