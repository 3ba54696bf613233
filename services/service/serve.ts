import { openStore } from '../runtime/checkpoints/open-store.js';
import { awaitBroker, brokerOptionsFrom } from '../runtime/links/broker.js';
import { serveHealth } from '../runtime/links/health-server.js';
import { CoordinatorLink } from '../runtime/service/coordinator-link.js';
import { watchParent } from '../runtime/service/orphan.js';
import { Service } from '../runtime/service/service.js';
import { identityFrom } from '../runtime/service/settings.js';
import { readVersion } from '../runtime/version.js';

/** As a shell says it: ended by SIGTERM. Whoever restarts services must not take it for done. */
const EXIT_TOLD_TO_GO = 143;
const LEAVE_MS = 2_000;

/** Runs the service that an environment describes, until it is sent home or told to go. */
export async function serve(env: NodeJS.ProcessEnv, fail: (error: Error) => never): Promise<void> {
  let leave = (code: number): void => process.exit(code);
  let isJoined = (): boolean => false;
  process
    .on('SIGTERM', () => {
      leave(EXIT_TOLD_TO_GO);
    })
    .on('SIGINT', () => undefined);
  const identity = identityFrom(env);
  serveHealth(env, () => isJoined(), fail);
  const number = Number(env['SELVAGE_SERVICE']);
  const name = `selvage ${identity.run} service ${number}`;
  const broker = await awaitBroker(brokerOptionsFrom(env), name, identity.patienceMs);
  const store = await openStore(identity, () => Promise.resolve(broker));
  /** Who came when all was over, and the coordinator had gone, has nothing left to do. */
  const forsaken = (error: Error): void => {
    store.outcome().then((outcome) => {
      if (outcome === null) fail(error);
      else leave(0);
    }, fail);
  };
  const link = new CoordinatorLink(identity, forsaken);
  isJoined = () => link.isOpen();
  leave = (code) => {
    service.close();
    // A broker that hangs answers nothing.
    setTimeout(() => process.exit(code), LEAVE_MS);
    void broker.close().finally(() => process.exit(code));
  };
  const goHome = (): void => {
    leave(0);
  };
  const version = readVersion();
  const service = new Service(identity, number, version, broker, store, link, fail, goHome);
  watchParent(env, goHome);
}
