import { readFileSync } from 'node:fs';
import { SettingsError } from '../service/settings.js';

/** A place in S3-compatible storage, and how requests to it are signed. */
export interface S3Address {
  readonly bucket: string;
  /** Keys begin with it: empty, or ending in a slash. */
  readonly prefix: string;
  /** Scheme, host and port, without a path. */
  readonly endpoint: URL;
  readonly region: string;
  /** The bucket is the first segment of the path; otherwise it is the first label of the host. */
  readonly isPathStyle: boolean;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. */
  readonly sessionToken: string | undefined;
}

/** Names a file with the keys of one user, in the format of AWS tools. */
export const CREDENTIALS_FILE = 'AWS_SHARED_CREDENTIALS_FILE';
const SCHEME = 's3://';
const PLACE = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[\w-][\w.-]*)*)\/?$/;

export function isS3(place: string): boolean {
  return place.startsWith(SCHEME);
}

/** `s3://BUCKET/PREFIX` with the rest from the variables that other programs read, too. */
export function s3AddressFrom(place: string, env: NodeJS.ProcessEnv): S3Address {
  const [, bucket, folder = ''] = PLACE.exec(place) ?? [];
  if (bucket === undefined) {
    throw new SettingsError(
      `${place}: not a place in a bucket; write it like s3://bucket/folder, ` +
        'a folder of letters, digits, _, - and .',
    );
  }
  const file = credentialsIn(set(env, CREDENTIALS_FILE), set(env, 'AWS_PROFILE') ?? 'default');
  const key = (name: string): string => {
    const value = set(env, name) ?? file[name];
    if (value !== undefined) return value;
    throw new SettingsError(
      `${place}: ${name} is not set; requests are signed with it, or with what ` +
        `${CREDENTIALS_FILE} has`,
    );
  };
  const region = set(env, 'AWS_REGION', 'AWS_DEFAULT_REGION') ?? 'us-east-1';
  const named = set(env, 'AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL');
  return {
    bucket,
    prefix: folder === '' ? '' : `${folder.slice(1)}/`,
    endpoint:
      named !== undefined ? endpointFrom(named) : new URL(`https://s3.${region}.amazonaws.com`),
    region,
    isPathStyle: isPathStyle(env, named !== undefined),
    accessKeyId: key('AWS_ACCESS_KEY_ID'),
    secretAccessKey: key('AWS_SECRET_ACCESS_KEY'),
    sessionToken: set(env, 'AWS_SESSION_TOKEN') ?? file['AWS_SESSION_TOKEN'],
  };
}

/** Credentials of a profile in the format of AWS tools, as the variables that they read. */
function credentialsIn(file: string | undefined, profile: string): NodeJS.ProcessEnv {
  if (file === undefined) return {};
  try {
    const sections = readFileSync(file, 'utf8').split(/^\s*\[/m);
    const own = sections.find((text) => text.startsWith(`${profile}]`)) ?? '';
    const entries = own.matchAll(/^\s*(aws_\w+)\s*=\s*(\S+)\s*$/gm);
    return Object.fromEntries([...entries].map(([, name, value]) => [name!.toUpperCase(), value]));
  } catch (error) {
    throw new SettingsError(`${CREDENTIALS_FILE} ${file}: ${(error as Error).message}`);
  }
}

/** The file of credentials of a pod: a profile, in the format of AWS tools. */
export function credentialsText(address: S3Address): string {
  const { accessKeyId, secretAccessKey, sessionToken } = address;
  const token = sessionToken === undefined ? [] : [`aws_session_token = ${sessionToken}`];
  return [
    '[default]',
    `aws_access_key_id = ${accessKeyId}`,
    `aws_secret_access_key = ${secretAccessKey}`,
    ...token,
    '',
  ].join('\n');
}

/** The first of these variables that is set, and not to nothing. */
function set(env: NodeJS.ProcessEnv, ...names: string[]): string | undefined {
  return names.map((name) => env[name]).find((value) => value !== undefined && value !== '');
}

function endpointFrom(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url?.pathname === '/' && url.search === '' && url.username === '';
  if (url !== null && isPlain && ['http:', 'https:'].includes(url.protocol)) return url;
  throw new SettingsError(
    `AWS_ENDPOINT_URL is ${text}: not an endpoint; write it like https://storage:9000`,
  );
}

/** Servers of one's own have a name for themselves, and none for each bucket. */
function isPathStyle(env: NodeJS.ProcessEnv, isNamed: boolean): boolean {
  const style = set(env, 'SELVAGE_S3_STYLE') ?? (isNamed ? 'path' : 'virtual');
  if (style === 'path' || style === 'virtual') return style === 'path';
  throw new SettingsError(`SELVAGE_S3_STYLE is ${style}: it is path or virtual`);
}
