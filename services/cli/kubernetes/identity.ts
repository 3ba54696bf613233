import { readVersion } from '../../runtime/version.js';
import { InputError } from '../exit.js';
import type { Values } from './values.js';

/** A name for objects of a cluster, from that of a scenario. */
export function runNameOf(scenario: string): string {
  const name = scenario
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '');
  // Names of Services begin with a letter and end with none but letters and digits (RFC 1035).
  const named = /^[a-z]/.test(name) ? name : `run-${name}`;
  return named.slice(0, MOST).replace(/-$/, '');
}

const MOST = 40;

/** Whether it names a run in a cluster. */
export function isRunName(run: string): boolean {
  return run.length <= MOST && /^[a-z]([a-z0-9-]*[a-z0-9])?$/.test(run);
}

/** The image of pods; it names a version. */
export function imageOf(option: string | undefined, values: Values): string {
  const image = option ?? values.image ?? `selvage:${readVersion()}`;
  if (/[^/]:[\w.-]+$|@sha256:[0-9a-f]{64}$/.test(image) && !image.endsWith(':latest')) return image;
  throw new InputError(`--image ${image}: name a version, such as selvage:${readVersion()}`);
}
