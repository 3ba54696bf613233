import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { placementOf } from '../../fabric/placement/placement-of.js';
import { InputError } from '../exit.js';
import type { DistributionOptions } from '../fleet/distribution.js';
import { placementRequest } from '../fleet/distribution.js';
import type { Nodes } from '../kubernetes/default-placement.js';
import { needsNodes, onNodes } from '../kubernetes/default-placement.js';
import { imageOf, isRunName, runNameOf } from '../kubernetes/identity.js';
import { resultsPlace } from '../kubernetes/keep-results.js';
import { renderRun } from '../kubernetes/render-run.js';
import { filesOf } from '../kubernetes/scenario-files.js';
import type { Values } from '../kubernetes/values.js';
import { chartJsonSchema, readValues, valuesJsonSchema } from '../kubernetes/values.js';
import type { LoadedFabric } from '../load-fabric.js';
import { loadFabric } from '../load-fabric.js';

export interface RenderOptions extends DistributionOptions {
  readonly set: readonly string[];
  readonly out: string;
  readonly run?: string;
  readonly image?: string;
  readonly cluster?: boolean;
  /** File of values for the cluster. */
  readonly values?: string;
  /** A place in S3-compatible storage for the run directory. */
  readonly results?: string;
  /** CPU request of each service. */
  readonly cpu?: string;
}

const KEY_OCTETS = 16;
/** The folder contains a key: only its owner may read it. */
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

/** A scenario, partitioned into pods. */
export interface RenderedRun {
  readonly run: string;
  readonly image: string;
  readonly services: number;
  readonly values: Values;
  /** A folder for `kubectl apply -k`, by path. */
  readonly files: ReadonlyMap<string, string>;
}

/** Writes a folder for `kubectl apply -k`. */
export function renderCommand(file: string, options: RenderOptions): void {
  if (existsSync(options.out)) throw new InputError(`--out ${options.out}: exists already`);
  const { run, services, files } = prepareRun(file, options).render(null);
  writeRendered(options.out, files);
  process.stdout.write(
    `${options.out}: run ${run} in ${services} service${services === 1 ? '' : 's'}\n` +
      `kubectl apply --server-side -k ${options.out}\n`,
  );
}

/** A run whose scenario, options and values are valid. */
interface PreparedRun {
  /** It is to have a pod for each node, which values do not name. */
  readonly needsNodes: boolean;
  readonly values: Values;
  /** `nodes`: null where they are unknown; `finish`: where values do not say it. */
  readonly render: (nodes: Nodes | null, finish?: boolean) => RenderedRun;
}

export function prepareRun(file: string, options: Omit<RenderOptions, 'out'>): PreparedRun {
  const source = loadFabric(file, options.set);
  const isLarge = needsNodes(source.fabric, options);
  const values = valuesOf(options);
  placementRequest(options);
  return {
    needsNodes: isLarge && values.nodes === undefined,
    values,
    render: (nodes, finish = false) => {
      const placed = isLarge ? onNodes(options, values.nodes ?? nodes) : options;
      return renderScenario(source, placed, { finish, ...values });
    },
  };
}

export function renderScenario(
  { loaded, fabric }: LoadedFabric,
  options: Omit<RenderOptions, 'out'>,
  values: Values,
): RenderedRun {
  const { request, threads, args: placementArgs } = placementRequest(options);
  const run = options.run ?? runNameOf(fabric.scenario.name);
  if (!isRunName(run)) {
    throw new InputError(
      `--run ${run}: a letter, then up to 39 of a-z, 0-9 and - name a run, the last no -`,
    );
  }
  const image = imageOf(options.image, values);
  const placement = placementOf(fabric, request);
  const files = renderRun({
    run,
    key: randomBytes(KEY_OCTETS).toString('hex'),
    image,
    files: filesOf(loaded),
    deviceNames: fabric.topology.devices.map(({ name }) => name),
    placement,
    threads,
    placementArgs,
    cluster: options.cluster === true,
    values,
    results: resultsPlace(options.results, values, process.env),
    breaksPods: breaksPods(fabric),
  });
  return { run, image, services: placement.length, values, files };
}

/** A cluster deletes pods, and cannot stop one for a while. */
function breaksPods({ scenario }: Fabric): boolean {
  const { infrastructure } = scenario;
  const paused = infrastructure.findIndex(({ kind }) => kind === 'pause');
  if (paused < 0) return infrastructure.length > 0;
  throw new InputError(
    `infrastructure[${paused}].kind pause: pods cannot be paused; write kill, or leave it out ` +
      'with --set infrastructure=[]',
  );
}

export function valuesOf({ values: file, cpu }: Pick<RenderOptions, 'values' | 'cpu'>): Values {
  const values = readValues(file);
  if (cpu === undefined) return values;
  if (!/^\d+(\.\d+)?m?$/.test(cpu)) {
    throw new InputError(`--cpu ${cpu}: not a quantity of CPUs; write it like 1 or 250m`);
  }
  return { ...values, service: { ...values.service, cpu } };
}

/** Prints the JSON Schema of values files, or of the values of the Helm chart. */
export function valuesCommand({ chart }: { readonly chart?: boolean }): void {
  const schema = chart === true ? chartJsonSchema() : valuesJsonSchema();
  process.stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
}

export function writeRendered(folder: string, files: ReadonlyMap<string, string>): void {
  try {
    for (const [path, text] of files) {
      const target = join(folder, path);
      mkdirSync(dirname(target), { recursive: true, mode: PRIVATE_FOLDER });
      writeFileSync(target, text, { mode: PRIVATE_FILE });
    }
  } catch (error) {
    throw new InputError(`${folder} cannot be written: ${(error as Error).message}`);
  }
}
