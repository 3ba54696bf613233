import { readVersion } from '../runtime/version.js';
import { openStore } from '../runtime/checkpoints/open-store.js';
import { prepareEngine } from '../runtime/engine-flags.js';
import { brokerOptionsFrom, connectBroker } from '../runtime/links/broker.js';
import { CoordinatorLink } from '../runtime/service/coordinator-link.js';
import { watchParent } from '../runtime/service/orphan.js';
import { identityFrom } from '../runtime/service/settings.js';

// A service process: reads its environment, builds its part of the fabric, runs it.

prepareEngine();
const { Service } = await import('../runtime/service/service.js');

const EXIT_FAILED = 3;

function fail(error: Error): never {
  process.stderr.write(`service ${process.env['SELVAGE_SERVICE'] ?? '?'}: ${error.message}\n`);
  process.exit(EXIT_FAILED);
}

process.on('unhandledRejection', (error) => fail(error as Error));
process.on('uncaughtException', fail);

try {
  const identity = identityFrom(process.env);
  const number = Number(process.env['SELVAGE_SERVICE']);
  const broker = await connectBroker(
    brokerOptionsFrom(process.env),
    `selvage ${identity.run} service ${number}`,
  );
  const store = await openStore(identity, () => Promise.resolve(broker));
  const link = new CoordinatorLink(identity, fail);
  const service = new Service(identity, number, readVersion(), broker, store, link, fail);
  const leave = (): void => {
    service.close();
    void broker.close().finally(() => process.exit(0));
  };
  watchParent(process.env, leave);
  process.on('SIGTERM', leave).on('SIGINT', () => undefined);
} catch (error) {
  fail(error as Error);
}
