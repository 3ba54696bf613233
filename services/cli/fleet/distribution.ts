import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { PlacementRequest } from '../../fabric/placement/placement-of.js';
import { placementOf } from '../../fabric/placement/placement-of.js';
import type { BrokerOptions } from '../../runtime/links/broker.js';
import { isTls } from '../../runtime/links/broker.js';
import type { TlsFiles } from '../../runtime/links/control-channel.js';
import type { LogSettings } from '../../runtime/log.js';
import { LOG_FORMATS, LOG_LEVELS, LogSettingsError, oneOf } from '../../runtime/log.js';
import { isS3 } from '../../runtime/object-storage/s3-address.js';
import { secretFrom, SettingsError } from '../../runtime/service/settings.js';
import { InputError } from '../exit.js';
import { warnOfShortSteps } from '../short-steps.js';
import { isInsecureAccepted, requireEncryption, storageOf } from './encryption.js';
import { infrastructureOf } from './infrastructure.js';
import type { FleetOptions, Rendezvous } from './fleet.js';

/** Options of a run in several processes. */
export interface DistributionOptions {
  readonly processes?: boolean;
  readonly devicesPerService?: string;
  readonly services?: string;
  /** Of this process, or of each service. */
  readonly threads?: string;
  readonly nats?: string;
  readonly natsUser?: string;
  readonly natsNkey?: string;
  readonly natsCreds?: string;
  readonly natsCa?: string;
  readonly natsCert?: string;
  readonly natsKey?: string;
  readonly controlCa?: string;
  readonly controlCert?: string;
  readonly controlKey?: string;
  readonly checkpoints?: string;
  readonly checkpointEvery?: string;
  readonly patience?: string;
  readonly log?: string;
  readonly logFormat?: string;
  /** Links off loopback need no encryption. */
  readonly insecure?: boolean;
  /** Services are started elsewhere and join at this address. */
  readonly listen?: string;
}

/** Options that have no effect without `--nats`. */
const AT_BROKER = [
  ['--nats-user', 'natsUser'],
  ['--nats-nkey', 'natsNkey'],
  ['--nats-creds', 'natsCreds'],
  ['--nats-ca', 'natsCa'],
  ['--nats-cert', 'natsCert'],
  ['--nats-key', 'natsKey'],
] as const;
/** Options that have no effect in one process. */
const IN_PROCESSES = [
  ...AT_BROKER,
  ['--control-ca', 'controlCa'],
  ['--control-cert', 'controlCert'],
  ['--control-key', 'controlKey'],
  ['--checkpoints', 'checkpoints'],
  ['--checkpoint-every', 'checkpointEvery'],
  ['--patience', 'patience'],
  ['--insecure', 'insecure'],
  ['--log', 'log'],
  ['--log-format', 'logFormat'],
] as const;

const CHECKPOINT_SECONDS = 2;
const PATIENCE_SECONDS = 60;

/** How to distribute a run; null if it stays in this process. */
export function fleetOptions(
  scenarioFile: string,
  set: readonly string[],
  fabric: Fabric,
  options: DistributionOptions & { readonly check?: boolean },
): FleetOptions | null {
  const { request, isPlaced, args: placementArgs } = placementRequest(options);
  const isAsked =
    options.processes === true ||
    options.nats !== undefined ||
    options.listen !== undefined ||
    isPlaced;
  if (!isAsked) {
    const stray = IN_PROCESSES.find(([, key]) => options[key] !== undefined);
    if (stray === undefined) return null;
    throw new InputError(`${stray[0]} is for runs in several processes: add --processes`);
  }
  const placement = placementOf(fabric, request);
  if (request.services !== null && placement.length < request.services) {
    const { length } = placement;
    process.stderr.write(
      `--services ${request.services}: this fabric comes to ${length} of them\n`,
    );
  }
  if (isPlaced) warnOfShortSteps(placementArgs.join(' '), fabric, placement);
  // Without a broker and services of its own, the command has no processes to break, but pods.
  const isOurs = options.nats === undefined && options.listen === undefined;
  const isBreakable = isOurs || process.env['SELVAGE_STRUCK'] !== undefined;
  const { infrastructure } = fabric.scenario;
  const broker = brokerFrom(options);
  const controlTls = controlTlsFrom(options);
  const elsewhere = options.listen === undefined ? null : rendezvousAt(options.listen, options);
  const control = elsewhere && { option: '--listen', address: elsewhere.listen };
  const checkpoints = checkpointsFrom(options);
  const storage = storageOf(checkpoints, process.env);
  const isInsecure = isInsecureAccepted(options, process.env);
  requireEncryption({ broker, control, controlTls, storage }, isInsecure);
  return {
    scenarioFile,
    scenarioName: fabric.scenario.name,
    set,
    services: placement.length,
    placementArgs,
    broker,
    controlTls,
    check: options.check === true,
    checkpointSeconds: secondsFrom(
      '--checkpoint-every',
      options.checkpointEvery,
      CHECKPOINT_SECONDS,
    ),
    checkpoints,
    from: null,
    steps: [],
    infrastructure: isBreakable ? infrastructureOf(infrastructure, fabric.topology, placement) : [],
    elsewhere,
    patienceSeconds: secondsFrom('--patience', options.patience, PATIENCE_SECONDS),
    log: logFrom(options),
  };
}

/** What processes of the run log; null if they are not to. */
export function logFrom({ log, logFormat }: DistributionOptions): LogSettings | null {
  const { SELVAGE_LOG: level, SELVAGE_LOG_FORMAT: format } = process.env;
  if ((log ?? level) === undefined && (logFormat ?? format) === undefined) return null;
  try {
    return {
      level: oneOf(LOG_LEVELS, '--log', log ?? level ?? 'info'),
      format: oneOf(LOG_FORMATS, '--log-format', logFormat ?? format ?? 'text'),
    };
  } catch (error) {
    throw error instanceof LogSettingsError ? new InputError(error.message) : error;
  }
}

/** The requested placement, and the arguments of a coordinator for it. */
export function placementRequest(options: DistributionOptions): {
  readonly request: PlacementRequest;
  /** Of each service. */
  readonly threads: number;
  /** It is requested, and is not that of the scenario. */
  readonly isPlaced: boolean;
  readonly args: readonly string[];
} {
  const devicesPerService = countFrom('--devices-per-service', options.devicesPerService);
  const services = countFrom('--services', options.services);
  const threads = countFrom('--threads', options.threads);
  if (devicesPerService !== null && services !== null) {
    throw new InputError('--devices-per-service and --services exclude each other');
  }
  const args = [
    ...(devicesPerService === null ? [] : [`--devices-per-service=${devicesPerService}`]),
    ...(services === null ? [] : [`--services=${services}`]),
    ...(threads === null ? [] : [`--threads=${threads}`]),
  ];
  const isPlaced = devicesPerService !== null || services !== null;
  return { request: { devicesPerService, services }, threads: threads ?? 1, isPlaced, args };
}

/** Passwords and tokens come from the environment, where a list of processes does not show them. */
export function brokerFrom(options: DistributionOptions): BrokerOptions | null {
  const stray = AT_BROKER.find(([, key]) => options[key] !== undefined);
  if (options.nats === undefined) {
    if (stray === undefined) return null;
    throw new InputError(`${stray[0]} is for a broker that exists: --nats names it`);
  }
  for (const url of options.nats.split(',')) {
    if (!/^(nats|tls):\/\/[^\s/]+$/.test(url)) {
      throw new InputError(`--nats ${url}: not a broker; write it like nats://host:4222`);
    }
  }
  const { natsUser, natsNkey, natsCreds, natsCa, natsCert, natsKey } = options;
  const { SELVAGE_NATS_PASSWORD: password, SELVAGE_NATS_TOKEN: token } = process.env;
  if ((natsCert === undefined) !== (natsKey === undefined)) {
    throw new InputError('--nats-cert and --nats-key go together');
  }
  requireFiles([natsCa, natsCert, natsKey]);
  const tls = {
    ...(natsCa !== undefined && { ca: resolve(natsCa) }),
    ...(natsCert !== undefined && { cert: resolve(natsCert) }),
    ...(natsKey !== undefined && { key: resolve(natsKey) }),
  };
  return {
    servers: options.nats.split(','),
    ...(natsUser !== undefined && { user: natsUser }),
    ...(password !== undefined && { password }),
    ...(token !== undefined && { token }),
    ...(natsNkey !== undefined && { nkeyFile: resolve(natsNkey) }),
    ...(natsCreds !== undefined && { credentialsFile: resolve(natsCreds) }),
    ...((Object.keys(tls).length > 0 || isTls(options.nats)) && { tls }),
  };
}

/** Names that services share come from the environment: the key is a secret. */
function rendezvousAt(listen: string, { nats }: DistributionOptions): Rendezvous {
  if (!isAddress(listen)) {
    throw new InputError(`--listen ${listen}: not an address; write it like 0.0.0.0:7400`);
  }
  if (nats === undefined) {
    throw new InputError('--nats names the broker that services started elsewhere share');
  }
  const { SELVAGE_RUN: run = '' } = process.env;
  if (!/^[a-z0-9-]{1,40}$/.test(run)) {
    throw new InputError(`SELVAGE_RUN is '${run}': 1 to 40 of a-z, 0-9 and - name the run`);
  }
  try {
    return { run, secret: secretFrom(process.env), listen };
  } catch (error) {
    throw error instanceof SettingsError ? new InputError(error.message) : error;
  }
}

export function isAddress(text: string): boolean {
  return /^[^\s/:]+:[1-9]\d{0,4}$/.test(text);
}

export function controlTlsFrom(options: DistributionOptions): TlsFiles | null {
  const { controlCa: ca, controlCert: cert, controlKey: key } = options;
  const given = [ca, cert, key].filter((file) => file !== undefined);
  if (given.length === 0) return null;
  if (ca === undefined || cert === undefined || key === undefined) {
    throw new InputError('--control-ca, --control-cert and --control-key go together');
  }
  requireFiles(given);
  return { ca: resolve(ca), cert: resolve(cert), key: resolve(key) };
}

function requireFiles(files: readonly (string | undefined)[]): void {
  const missing = files.find((file) => file !== undefined && !existsSync(file));
  if (missing !== undefined) throw new InputError(`${missing}: there is no such file`);
}

/** The folder is created before the run, so that a run without checkpoints fails at once. */
function checkpointsFrom({ checkpoints }: DistributionOptions): string | null {
  if (checkpoints === undefined || checkpoints === 'jetstream') return checkpoints ?? null;
  if (isS3(checkpoints)) return checkpoints;
  try {
    mkdirSync(checkpoints, { recursive: true });
    accessSync(checkpoints, constants.W_OK);
  } catch (error) {
    throw new InputError(`--checkpoints ${checkpoints}: ${(error as Error).message}`);
  }
  return checkpoints;
}

function countFrom(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InputError(`${name} ${text}: not a number of 1 or more`);
}

function secondsFrom(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const seconds = Number(text);
  if (seconds > 0 && Number.isFinite(seconds)) return seconds;
  throw new InputError(`${name} ${text}: not a number of seconds`);
}
