import { readVersion } from '../../runtime/version.js';
import { InputError } from '../exit.js';
import type { Values } from './values.js';

/** A name for objects of a cluster, from that of a scenario. */
export function runNameOf(scenario: string): string {
  return scenario
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40);
}

/** The image of pods; it names a version. */
export function imageOf(option: string | undefined, values: Values): string {
  const image = option ?? values.image ?? `selvage:${readVersion()}`;
  if (/[^/]:[\w.-]+$|@sha256:[0-9a-f]{64}$/.test(image) && !image.endsWith(':latest')) return image;
  throw new InputError(`--image ${image}: name a version, such as selvage:${readVersion()}`);
}
