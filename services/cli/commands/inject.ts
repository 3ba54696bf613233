import { parse, stringify } from 'yaml';
import { formatTime } from '../../report/format.js';
import { table } from '../../report/table.js';
import { EXIT, InputError } from '../exit.js';
import type { Reach } from './steer.js';
import { withRun } from './steer.js';

export interface InjectOptions {
  readonly fault?: string;
  readonly where?: string;
  readonly at?: string;
  readonly for?: string;
  readonly every?: string;
  readonly name?: string;
  readonly set: readonly string[];
  readonly clear?: string;
  readonly list?: boolean;
  readonly json?: boolean;
}

/** Injects a fault into a running fabric, or ends it, or lists its faults. */
export async function injectCommand(
  run: string | undefined,
  options: InjectOptions,
  reach: Reach = withRun,
): Promise<number> {
  const requested = [options.fault, options.clear, options.list].filter(
    (request) => request !== undefined,
  );
  if (requested.length !== 1) throw new InputError('give one of --fault, --clear and --list');
  if (options.list === true) return listFaults(run, options.json === true, reach);
  const fault = options.fault === undefined ? null : stringify(faultOf(options.fault, options));
  return reach(run, async (client) => {
    const reply = fault === null ? client.clear(options.clear!) : client.inject(fault);
    const { done, detail, name, atPs } = await reply;
    if (!done) throw new InputError(detail);
    const text = `${name} ${fault === null ? 'ends' : 'begins'} at ${formatTime(atPs)}`;
    process.stdout.write(
      options.json === true ? `${JSON.stringify({ name, atPs })}\n` : `${text}\n`,
    );
    return EXIT.COMPLETE;
  });
}

async function listFaults(run: string | undefined, asJson: boolean, reach: Reach): Promise<number> {
  return reach(run, async (client) => {
    const faults = await client.faults();
    const rows = faults.map(({ name, kind, startPs, untilPs, injected }) => [
      ...[name ?? '', kind ?? '', formatTime(startPs ?? 0)],
      untilPs === Infinity ? '' : formatTime(untilPs ?? 0),
      injected === true ? 'injected' : 'declared',
    ]);
    const text = table(['fault', 'kind', 'from', 'until', ''], rows);
    process.stdout.write(`${asJson ? JSON.stringify(faults, null, 2) : text}\n`);
    return EXIT.COMPLETE;
  });
}

/**
 * A kind, or a whole fault in the notation of a scenario, and further options of the command line.
 */
export function faultOf(text: string, options: InjectOptions): Record<string, unknown> {
  const given = yamlOf('--fault', text);
  const fault: Record<string, unknown> = isMapping(given) ? { ...given } : { kind: given };
  const { where, at, for: lasts, every, name, set } = options;
  if (where !== undefined) fault['where'] = placeOf(where);
  const own = { at, for: lasts, every, name };
  for (const [key, value] of Object.entries(own)) if (value !== undefined) fault[key] = value;
  for (const setting of set) {
    const [key = '', ...value] = setting.split('=');
    if (key === '' || value.length === 0) {
      throw new InputError(`--set ${setting}: not a setting; write key=value, as probability=1%`);
    }
    fault[key] = yamlOf('--set', value.join('='));
  }
  return fault;
}

/** `{ device: leaf1 }`, `device=leaf1,peer=spine*`, or just a port or a device. */
function placeOf(text: string): unknown {
  if (text.startsWith('{')) return yamlOf('--where', text);
  if (!text.includes('=')) return { [text.includes(':') ? 'port' : 'device']: text };
  return Object.fromEntries(
    text.split(',').map((part) => {
      const [key = '', ...value] = part.split('=');
      return [key, value.join('=')];
    }),
  );
}

function yamlOf(option: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new InputError(`${option} ${text}: ${(error as Error).message.split('\n')[0]}`);
  }
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
