import { openStore } from '../runtime/checkpoints/open-store.js';
import { awaitBroker, brokerOptionsFrom } from '../runtime/links/broker.js';
import { LineLog, logSettingsFrom } from '../runtime/log.js';
import { serveHealth } from '../runtime/links/health-server.js';
import { CoordinatorLink } from '../runtime/service/coordinator-link.js';
import { watchParent } from '../runtime/service/orphan.js';
import { Service } from '../runtime/service/service.js';
import { identityFrom, threadsFrom } from '../runtime/service/settings.js';
import { readBuild } from '../runtime/version.js';

/**
 * Exit code by convention: ended by SIGTERM. A supervisor that restarts services must not treat it
 * as success.
 */
const EXIT_TERMINATED = 143;
const LEAVE_MS = 2_000;

/** Runs the service that an environment describes, until it is dismissed or terminated. */
export async function serve(env: NodeJS.ProcessEnv, fail: (error: Error) => never): Promise<void> {
  let leave = (code: number): void => process.exit(code);
  let isJoined = (): boolean => false;
  process
    .on('SIGTERM', () => {
      leave(EXIT_TERMINATED);
    })
    .on('SIGINT', () => undefined);
  const identity = identityFrom(env);
  serveHealth(env, () => isJoined(), fail);
  const number = Number(env['SELVAGE_SERVICE']);
  const log = new LineLog(`service ${number}`, logSettingsFrom(env), (line) =>
    process.stderr.write(line),
  );
  const name = `selvage ${identity.run} service ${number}`;
  const broker = await awaitBroker(brokerOptionsFrom(env), name, identity.patienceMs);
  const store = await openStore(identity, () => Promise.resolve(broker));
  /**
   * A service that joins when all is over, and the coordinator has gone, has nothing left to do.
   */
  const forsaken = (error: Error): void => {
    store.outcome().then((outcome) => {
      if (outcome === null) fail(error);
      else leave(0);
    }, fail);
  };
  const link = new CoordinatorLink(identity, forsaken, log);
  isJoined = () => link.isOpen();
  leave = (code) => {
    service.close();
    // A broker that hangs answers nothing.
    setTimeout(() => process.exit(code), LEAVE_MS);
    void broker.close().finally(() => process.exit(code));
  };
  const end = (): void => {
    leave(0);
  };
  const seat = { service: number, version: readBuild(), threads: threadsFrom(env) };
  const service = new Service(identity, seat, { broker, store, link, log, fail, leave: end });
  watchParent(env, end);
}
