import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { stringify } from 'yaml';
import type { LoadedScenario } from '../../fabric/scenario/load-scenario.js';
import type { Path } from '../../settings/source-tree.js';
import { InputError } from '../exit.js';
import type { Cluster } from './cluster.js';
import { nameIn, SELVAGE } from './labels.js';
import type { Container, Manifest, PodSpec } from './manifests.js';
import { SCENARIO_IN_POD } from './points-task.js';

// A scenario with the files that it names, by name. What a ConfigMap can hold lies there as it is;
// more is compressed and cut into pieces, which an init container puts together again.

export type ScenarioFiles = ReadonlyMap<string, string>;

export const SCENARIO = basename(SCENARIO_IN_POD);
/** Name of the volume; the ConfigMaps have that of the run in front. */
const MAP = 'scenario';
const FOLDER = dirname(SCENARIO_IN_POD);
const PIECES = '/pieces';
/** Kubernetes accepts 1 MiB of data, and `kubectl apply` keeps none of it in an annotation. */
const PIECE_OCTETS = 1_000_000;

/** The scenario, and each file that it names beside it. */
export function filesOf({ document, files }: LoadedScenario): ScenarioFiles {
  const names = new Map([...new Set(files.map(({ file }) => file))].map(nameInPod));
  const own = structuredClone(document);
  for (const { path, file } of files) setAt(own, path, names.get(file)!);
  const texts = [...names].map(([file, name]): [string, string] => [name, textOf(file)]);
  return new Map([[SCENARIO, stringify(own)], ...texts]);
}

function textOf(file: string): string {
  const octets = readFileSync(file);
  if (isUtf8(octets)) return octets.toString('utf8');
  throw new InputError(
    `${file} is no text: pods are given text alone (GOAL and Chakra have a form)`,
  );
}

/** Keys of a ConfigMap are letters, digits, dots, hyphens and underscores. */
function nameInPod(file: string, index: number): [string, string] {
  return [file, `${index}-${basename(file).replace(/[^-.\w]/g, '_')}`];
}

function setAt(document: unknown, path: Path, value: unknown): void {
  const parent: unknown = path
    .slice(0, -1)
    .reduce<unknown>((node, key) => (node as Record<string | number, unknown>)[key], document);
  // A name that stands for several files is replaced by their list.
  if (typeof parent !== 'object') {
    setAt(document, path.slice(0, -1), [value]);
    return;
  }
  (parent as Record<string | number, unknown>)[path.at(-1)!] = value;
}

/** ConfigMaps with these files: one, or as many as the pieces are. */
export function scenarioMaps(files: ScenarioFiles, run: string): Manifest[] {
  const text = JSON.stringify(Object.fromEntries(files));
  if (Buffer.byteLength(text) <= PIECE_OCTETS) {
    return [configMap(nameIn(run, MAP), { data: Object.fromEntries(files) })];
  }
  const packed = gzipSync(text);
  const count = Math.ceil(packed.length / PIECE_OCTETS);
  return Array.from({ length: count }, (_, index) => {
    const piece = packed.subarray(index * PIECE_OCTETS, (index + 1) * PIECE_OCTETS);
    return configMap(mapName(run, index), {
      binaryData: { [pieceName(index)]: piece.toString('base64') },
    });
  });
}

function configMap(name: string, content: object): Manifest {
  const metadata = { name, namespace: SELVAGE };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, ...content };
}

function mapName(run: string, index: number): string {
  return `${nameIn(run, MAP)}-${index}`;
}

/** Sorted by name, pieces are in order. */
function pieceName(index: number): string {
  return `piece-${`${index}`.padStart(6, '0')}`;
}

/** Mounts the files of ConfigMaps in a container; an init container unpacks pieces. */
export function mountScenario(pod: PodSpec, container: Container, maps: readonly Manifest[]): void {
  container.volumeMounts.push({ name: MAP, mountPath: FOLDER, readOnly: true });
  const [first] = maps as [Manifest & { readonly data?: object }];
  if (first.data !== undefined) {
    pod.volumes.push({ name: MAP, configMap: { name: first.metadata.name } });
    return;
  }
  const sources = maps.map(({ metadata: { name } }) => ({ configMap: { name } }));
  pod.volumes.push({ name: MAP, emptyDir: {} }, { name: 'pieces', projected: { sources } });
  const { image, imagePullPolicy, securityContext, resources } = container;
  const unpack = {
    name: 'unpack',
    ...{ image, securityContext, resources },
    ...(imagePullPolicy !== undefined && { imagePullPolicy }),
    args: ['unpack', PIECES, FOLDER],
    volumeMounts: [
      { name: 'pieces', mountPath: PIECES, readOnly: true },
      { name: MAP, mountPath: FOLDER },
    ],
  };
  pod.initContainers = [...(pod.initContainers ?? []), unpack];
}

/** The files of pieces in their order. */
export function unpacked(pieces: readonly Uint8Array[]): ScenarioFiles {
  const text = gunzipSync(Buffer.concat(pieces)).toString();
  return new Map(Object.entries(JSON.parse(text) as Record<string, string>));
}

/** The files of a run in the cluster; null: it has none. */
export async function filesInCluster(cluster: Cluster, run: string): Promise<ScenarioFiles | null> {
  const whole = await cluster.configMap(nameIn(run, MAP));
  if (whole !== null) return new Map(Object.entries(whole.data ?? {}));
  const pieces: Buffer[] = [];
  for (;;) {
    const index = pieces.length;
    const data = (await cluster.configMap(mapName(run, index)))?.binaryData?.[pieceName(index)];
    if (data === undefined) break;
    pieces.push(Buffer.from(data, 'base64'));
  }
  return pieces.length === 0 ? null : unpacked(pieces);
}
