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
  const key = (name: string): string => {
    const value = set(env, name);
    if (value !== undefined) return value;
    throw new SettingsError(`${place}: ${name} is not set; requests are signed with it`);
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
    sessionToken: set(env, 'AWS_SESSION_TOKEN'),
  };
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
