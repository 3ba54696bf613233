import { memorySizes } from '../../fabric/sizing/memory-sizes.js';
import type { PortSizes } from '../../fabric/sizing/memory-sizes.js';
import { sizeJson, sizeText } from '../../report/size-text.js';
import { unknownName } from '../../settings/errors.js';
import { InputError } from '../exit.js';
import { loadFabric } from '../load-fabric.js';
import { styleFor } from '../style.js';

export interface SizeOptions {
  readonly set: readonly string[];
  readonly port?: string;
  readonly json?: boolean;
}

export function sizeCommand(file: string, options: SizeOptions): void {
  const { fabric } = loadFabric(file, options.set);
  const ports = chosen(memorySizes(fabric), options.port);
  const text =
    options.json === true
      ? JSON.stringify(sizeJson(ports), null, 2)
      : sizeText(ports, styleFor(process.stdout));
  process.stdout.write(`${text}\n`);
}

/** One port, or all of them. */
function chosen(ports: readonly PortSizes[], name: string | undefined): readonly PortSizes[] {
  if (name === undefined) return ports;
  const found = ports.filter(({ port }) => port === name);
  if (found.length > 0) return found;
  const names = ports.map(({ port }) => port);
  throw new InputError(`--port: ${unknownName('port', name, names)}`);
}
