import { brokerEnvironment, brokerOptionsFrom } from '../../runtime/links/broker.js';
import { prepareEngine } from '../../runtime/engine-flags.js';
import { logEnvironment } from '../../runtime/log.js';
import { SettingsError } from '../../runtime/service/settings.js';
import { EXIT, InputError } from '../exit.js';
import { leaveMemory } from '../termination-message.js';
import { wholeNumber } from '../whole-number.js';
import type { DistributionOptions } from '../fleet/distribution.js';
import { brokerFrom, controlTlsFrom, isAddress, logFrom } from '../fleet/distribution.js';
import { isInsecureAccepted, requireEncryption, storageOf } from '../fleet/encryption.js';

/** Options of a service on the command line; the environment has the rest, or all of them. */
export interface ServiceOptions extends DistributionOptions {
  readonly join?: string;
  readonly number?: string;
  readonly threads?: string;
}

/** Runs one service of a run that a coordinator elsewhere drives, until it is dismissed. */
export async function serviceCommand(options: ServiceOptions): Promise<void> {
  prepareEngine();
  const { serve } = await import('../../service/serve.js');
  const env = { ...process.env, ...environmentFrom(options) };
  if (!/^\d{1,6}$/.test(env['SELVAGE_SERVICE'] ?? '')) {
    throw new InputError(`--number ${env['SELVAGE_SERVICE'] ?? ''}: not a number from 0 up`);
  }
  const broker = brokerOptionsFrom(env);
  const address = env['SELVAGE_COORDINATOR'];
  const control = address === undefined ? null : { option: '--join', address };
  const { SELVAGE_TLS_CA: ca, SELVAGE_TLS_CERT: cert, SELVAGE_TLS_KEY: key } = env;
  const controlTls = ca && cert && key ? { ca, cert, key } : null;
  const storage = storageOf(env['SELVAGE_CHECKPOINTS'] ?? null, env);
  requireEncryption({ broker, control, controlTls, storage }, isInsecureAccepted(options, env));
  const fail = (error: Error): never => {
    process.stderr.write(`service ${env['SELVAGE_SERVICE'] ?? ''}: ${error.message}\n`);
    process.exit(EXIT.RUN_FAILED);
  };
  leaveMemory(env);
  process.on('unhandledRejection', fail).on('uncaughtException', fail);
  try {
    await serve(env, fail);
  } catch (error) {
    throw error instanceof SettingsError ? new InputError(error.message) : error;
  }
}

function environmentFrom(options: ServiceOptions): NodeJS.ProcessEnv {
  const { join, number, threads, checkpoints, patience } = options;
  if (join !== undefined && !isAddress(join)) {
    throw new InputError(`--join ${join}: not an address; write it like coordinator:7400`);
  }
  const broker = brokerFrom(options);
  const tls = controlTlsFrom(options);
  const log = logFrom(options);
  return {
    ...(join !== undefined && { SELVAGE_COORDINATOR: join }),
    ...(number !== undefined && { SELVAGE_SERVICE: number }),
    ...(threads !== undefined && { SELVAGE_THREADS: `${wholeNumber('--threads', threads, 1)}` }),
    SELVAGE_CHECKPOINTS: checkpoints ?? process.env['SELVAGE_CHECKPOINTS'] ?? 'jetstream',
    ...(patience !== undefined && { SELVAGE_PATIENCE: patience }),
    ...(log !== null && logEnvironment(log)),
    ...(tls !== null && {
      SELVAGE_TLS_CA: tls.ca,
      SELVAGE_TLS_CERT: tls.cert,
      SELVAGE_TLS_KEY: tls.key,
    }),
    ...(broker !== null && brokerEnvironment(broker)),
  };
}
