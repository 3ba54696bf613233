import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadScenario } from '../fabric/scenario/load-scenario.js';
import { buildFabric } from '../fabric/assembly/fabric.js';
import type { ServicePlan } from '../fabric/placement/service-plan.js';
import { planServices } from '../fabric/placement/service-plan.js';
import { placementOf } from '../fabric/placement/placement-of.js';
import { CycleCheck } from '../runtime/checks/cycle-check.js';
import { openStore } from '../runtime/checkpoints/open-store.js';
import { awaitBroker, brokerOptionsFrom } from '../runtime/links/broker.js';
import type { FaultStep } from '../runtime/live-faults.js';
import { LiveFaults } from '../runtime/live-faults.js';
import { LineLog, logSettingsFrom } from '../runtime/log.js';
import { serveHealth } from '../runtime/links/health-server.js';
import { watchParent } from '../runtime/service/orphan.js';
import { identityFrom } from '../runtime/service/settings.js';
import { readBuild } from '../runtime/version.js';
import { unpackWhole } from '../runtime/whole-state.js';
import { ControlServer } from './control-server.js';
import { Coordinator } from './coordinator.js';
import { startFrom } from './first-checkpoint.js';
import type { Layout } from './manifest.js';
import { originOf } from './origin.js';
import { repartition } from './repartition.js';

// The coordinator of one run. Started again with the same arguments, it continues the run.

const EXIT_FAILED = 3;
/** How long results can be fetched after a lost connection. */
const LINGER_MS = 3_000;
/** A store that does not answer keeps what it has. */
const TIDY_MS = 4_000;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    set: { type: 'string', multiple: true, default: [] },
    listen: { type: 'string', default: '127.0.0.1:0' },
    'devices-per-service': { type: 'string' },
    services: { type: 'string' },
    threads: { type: 'string', default: '1' },
    check: { type: 'boolean', default: false },
    'checkpoint-every': { type: 'string', default: '2' },
    from: { type: 'string' },
    steps: { type: 'string' },
    paused: { type: 'boolean', default: false },
    halt: { type: 'string', multiple: true, default: [] },
    'round-length': { type: 'string' },
    folder: { type: 'string' },
    'keep-outcome': { type: 'boolean', default: false },
  },
});

function fail(error: Error): never {
  process.stderr.write(`coordinator: ${error.message}\n`);
  process.exit(EXIT_FAILED);
}

/** The process that started this run has ended: its broker and its folder are removed, too. */
function tidyUp(folder: string): void {
  const pidFile = join(folder, 'broker.pid');
  if (existsSync(pidFile)) process.kill(Number(readFileSync(pidFile, 'utf8')));
  rmSync(folder, { recursive: true, force: true });
}

/** The scenario, with faults that were injected into a run that continues here. */
function sourceOf(): LiveFaults {
  const loaded = loadScenario(positionals[0] ?? '', { set: values.set });
  const live = new LiveFaults(loaded, buildFabric(loaded));
  if (values.steps !== undefined) {
    live.repeat(JSON.parse(readFileSync(values.steps, 'utf8')) as FaultStep[]);
  }
  return new LiveFaults(live.loaded, live.fabric);
}

process.on('unhandledRejection', (error) => fail(error as Error));
process.on('uncaughtException', fail);

try {
  const identity = identityFrom(process.env);
  // Probes are answered while the broker is still awaited.
  serveHealth(process.env, () => true, fail);
  const live = sourceOf();
  const { fabric } = live;
  const count = (text: string | undefined): number | null =>
    text === undefined ? null : Number(text);
  const layout: Layout = {
    devicesPerService: count(values['devices-per-service']),
    services: count(values.services),
    threads: Number(values.threads),
  };
  const jams = values.check && CycleCheck.isWanted(fabric);
  const plansIn = (how: Layout): ServicePlan[] => {
    const { threads } = how;
    return planServices(fabric, { placement: placementOf(fabric, how), threads, jams });
  };
  const plans = plansIn(layout);
  const store = await openStore(identity, () =>
    awaitBroker(
      brokerOptionsFrom(process.env),
      `selvage ${identity.run} coordinator`,
      identity.patienceMs,
    ),
  );
  const { run } = identity;
  const placed = { run, layout, plans };
  const [version, { check }] = [readBuild(), values];
  const log = new LineLog('coordinator', logSettingsFrom(process.env), (line) =>
    process.stderr.write(line),
  );
  if (await store.adopt(originOf({ version, check, document: live.loaded.document }))) {
    log.warn('the store has another scenario under the name of this run, which is removed');
  }
  if (values.from !== undefined) {
    await startFrom(unpackWhole(readFileSync(values.from)), placed, store);
  }
  await repartition(placed, plansIn, store, log);
  const coordinator = new Coordinator(live, plans, store, {
    run,
    layout,
    version,
    check,
    checkpointMs: Number(values['checkpoint-every']) * 1000,
    roundLength: count(values['round-length']),
    patienceMs: identity.patienceMs,
    paused: values.paused,
    haltsPs: values.halt.map(Number),
    log,
  });
  await coordinator.recall();
  const server = new ControlServer(coordinator, coordinator, identity.keys.token);
  const port = await server.listen(values.listen, identity.tls);
  process.stdout.write(`${JSON.stringify({ run, port })}\n`);
  // A run that failed keeps its checkpoint, which may be all that is left of it.
  const tidy = (): Promise<void> => {
    if (coordinator.outcome === null) return Promise.resolve();
    return values['keep-outcome'] ? store.keepOutcome() : store.clear();
  };
  const leave = (): void => {
    void coordinator.dismiss().then(() => {
      server.close();
      setTimeout(() => process.exit(0), TIDY_MS);
      void tidy().finally(() => process.exit(0));
    });
  };
  process.on('SIGINT', () => undefined).on('SIGTERM', leave);
  watchParent(process.env, () => {
    if (values.folder !== undefined) tidyUp(values.folder);
    leave();
  });
  const linger = (): void => {
    setTimeout(() => {
      if (server.isRead) linger();
      else leave();
    }, LINGER_MS);
  };
  coordinator.watch(() => {
    if (coordinator.isOver()) linger();
  });
} catch (error) {
  fail(error as Error);
}
