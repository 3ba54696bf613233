import { CREDENTIALS_FILE, credentialsText } from '../../runtime/object-storage/s3-address.js';
import { InputError } from '../exit.js';
import { isExposed, storageOf } from '../fleet/encryption.js';
import { nameIn, SELVAGE } from './labels.js';
import type { Manifest, PodSpec } from './manifests.js';
import { manifestsOfFile } from './manifests.js';
import type { Values } from './values.js';

// Results in S3-compatible storage, in place of a volume: the coordinator sends them there at its
// end. Its credentials are a file, of a Secret of the run or of one that its owner names.

/** Where the results of a run go, and what its coordinator needs for that. */
export interface ResultsPlace {
  readonly place: string;
  /** Variables of the coordinator that are no secrets. */
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly port: number;
  /** Of the owner of the storage; null: one of the run. */
  readonly secret: string | null;
  /** For a Secret of the run; null: the owner's exists. */
  readonly credentials: string | null;
}

const FOLDER = '/storage';
/** Key of a Secret, in the format of AWS tools. */
const KEY = 'credentials';
const OWNER_AND_GROUP = 0o440;
const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };
export const STORAGE = 'storage';
const OPTION = '--results=';

/** Of an option or of values, the rest of variables that AWS tools read; null: a volume. */
export function resultsPlace(
  option: string | undefined,
  { results, s3 = {} }: Values,
  env: NodeJS.ProcessEnv,
): ResultsPlace | null {
  const place = option ?? results;
  if (place === undefined) return null;
  const own: NodeJS.ProcessEnv = {
    AWS_ENDPOINT_URL: s3.endpoint ?? env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'],
    AWS_REGION: s3.region ?? env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'],
    SELVAGE_S3_STYLE: s3.style ?? env['SELVAGE_S3_STYLE'],
  };
  const unknown = { AWS_ACCESS_KEY_ID: 'of', AWS_SECRET_ACCESS_KEY: 'the Secret' };
  const keys = s3.secret === undefined ? { ...env, AWS_ENDPOINT_URL_S3: undefined } : unknown;
  const address = storageOf(place, { ...keys, ...own }, '--results');
  if (address === null) {
    throw new InputError(`--results ${place}: write it like s3://bucket/folder`);
  }
  const { endpoint } = address;
  const isPlain = isExposed(address);
  if (isPlain && s3.insecure !== true) {
    throw new InputError(
      `--results: ${endpoint.origin} is not encrypted; write https://…, ` +
        'or accept it with s3: { insecure: true } in the values',
    );
  }
  const variables = {
    ...own,
    [CREDENTIALS_FILE]: `${FOLDER}/${KEY}`,
    SELVAGE_INSECURE: isPlain ? '1' : undefined,
  };
  return {
    place: place.replace(/\/$/, ''),
    env: Object.entries(variables).flatMap(([name, value]) =>
      value === undefined ? [] : [{ name, value }],
    ),
    port: endpoint.port === '' ? PORTS[endpoint.protocol]! : Number(endpoint.port),
    secret: s3.secret ?? null,
    credentials: s3.secret === undefined ? credentialsText(address) : null,
  };
}

/** Its objects: the way to the storage, and the credentials. */
export function resultsManifests({ port, credentials }: ResultsPlace, run: string): Manifest[] {
  const [policy] = manifestsOfFile('optional', 'storage.yaml', run);
  const ports = [{ protocol: 'TCP', port }];
  const open = { ...policy!, spec: { ...policy!.spec, egress: [{ ports }] } };
  if (credentials === null) return [open];
  const metadata = { name: nameIn(run, STORAGE), namespace: SELVAGE };
  const stringData = { [KEY]: credentials };
  return [open, { apiVersion: 'v1', kind: 'Secret', metadata, stringData } as Manifest];
}

/** Has the coordinator send its run directory there, into a folder of the run's name. */
export function fitResults(
  pod: PodSpec,
  { place, env, secret }: ResultsPlace,
  { run, keepsVolume }: { readonly run: string; readonly keepsVolume: boolean },
): void {
  const container = pod.containers[0]!;
  container.args.push(`${OPTION}${place}/${run}`);
  container.env.push(...env);
  container.volumeMounts.push({ name: STORAGE, mountPath: FOLDER, readOnly: true });
  const others = pod.volumes.filter(({ name }) => keepsVolume || name !== 'runs');
  pod.volumes = [
    ...others,
    ...(keepsVolume ? [] : [{ name: 'runs', emptyDir: {} }]),
    {
      name: STORAGE,
      secret: { secretName: secret ?? nameIn(run, STORAGE), defaultMode: OWNER_AND_GROUP },
    },
  ];
}

/** Where a coordinator with these arguments sends its results; undefined: they are on a volume. */
export function resultsIn(args: readonly string[] = []): string | undefined {
  return args.find((word) => word.startsWith(OPTION))?.slice(OPTION.length);
}
