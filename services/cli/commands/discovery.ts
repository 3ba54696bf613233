import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DiscoveryExchange } from '../../fabric/assembly/discovery-exchange.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { QuantityError, time } from '../../settings/quantities.js';
import { NameTable } from '../../fabric/topology/select-devices.js';
import { dcbxText, mismatching, neighborsText, pathsText } from '../../report/discovery-text.js';
import { DISCOVERY } from '../../report/run-directory.js';
import { runJson } from '../../report/run-json.js';
import {
  type DiscoveryResults,
  discoveryResults,
} from '../../runtime/results/discovery-results.js';
import { pathResults } from '../../runtime/results/path-methods.js';
import { EXIT, InputError } from '../exit.js';
import { loadFabric } from '../load-fabric.js';
import { styleFor } from '../style.js';

export interface DiscoveryOptions {
  readonly set: readonly string[];
  readonly at?: string;
  readonly json?: boolean;
}

export interface DcbxOptions extends DiscoveryOptions {
  readonly mismatch?: boolean;
}

export interface PathsOptions extends DiscoveryOptions {
  readonly from: string;
  readonly to: string;
  readonly priority?: string;
}

export function neighborsCommand(what: string, options: DiscoveryOptions): void {
  const results = resultsOf(what, options);
  print(
    options,
    results.ports.map(({ port, neighbors }) => ({ port, neighbors })),
    () => neighborsText(results),
  );
}

/** With --mismatch, a match is a success, as in `grep`; it is no failed expectation here. */
export function dcbxCommand(what: string, options: DcbxOptions): number {
  const all = resultsOf(what, options);
  const results = options.mismatch === true ? mismatching(all) : all;
  print(options, results, () =>
    results.ports.length === 0
      ? 'every port matches its link partner'
      : dcbxText(results, styleFor(process.stdout)),
  );
  return options.mismatch === true && results.ports.length > 0
    ? EXIT.EXPECTATIONS_FAILED
    : EXIT.COMPLETE;
}

export function pathsCommand(file: string, options: PathsOptions): void {
  const { fabric } = loadFabric(file, options.set);
  const exchange = exchangeOf(fabric, file, options);
  const names = new NameTable(fabric.topology, 'host', (message) => new InputError(message));
  const [source, destination] = [names.find(options.from), names.find(options.to)];
  const discovered = { fabric, mechanism: exchange.mechanism, numberOf: numberIn(exchange) };
  const paths = pathResults(discovered, source, destination);
  if (paths.length === 0) {
    throw new InputError(`there is no path from ${options.from} to ${options.to}`);
  }
  const wanted = paths.filter(
    ({ priority }) => options.priority === undefined || String(priority) === options.priority,
  );
  if (wanted.length === 0) {
    throw new InputError(`--priority ${options.priority!} is none; they are 0 to 7`);
  }
  print(options, wanted, () => pathsText(wanted, styleFor(process.stdout)));
}

/** Of a run that was written, or of a scenario whose LLDPDUs are exchanged now. */
function resultsOf(what: string, options: DiscoveryOptions): DiscoveryResults {
  const written = join(what, DISCOVERY);
  if (existsSync(written)) {
    try {
      const text = readFileSync(written, 'utf8');
      return runJson(written, text, { ports: 'list' }) as DiscoveryResults;
    } catch (error) {
      throw new InputError((error as Error).message);
    }
  }
  const { fabric } = loadFabric(what, options.set);
  const exchange = exchangeOf(fabric, what, options);
  return discoveryResults(fabric, exchange.mechanism, numberIn(exchange))!;
}

function exchangeOf(fabric: Fabric, file: string, { at }: DiscoveryOptions): DiscoveryExchange {
  if (!fabric.scenario.discovery.enabled) {
    throw new InputError(`${file} has no discovery; add \`discovery: true\``);
  }
  const exchange = new DiscoveryExchange(fabric.specs, fabric.linkEnds);
  exchange.settle(at === undefined ? Infinity : timeOf(at));
  return exchange;
}

function numberIn(exchange: DiscoveryExchange): (device: number, port: number) => number {
  return (device, port) => exchange.numberOf(device, port);
}

function timeOf(text: string): number {
  try {
    return time.parse(text);
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    throw new InputError(`--at: ${error.message}`);
  }
}

function print({ json }: DiscoveryOptions, data: unknown, text: () => string): void {
  process.stdout.write(`${json === true ? JSON.stringify(data, null, 2) : text()}\n`);
}
