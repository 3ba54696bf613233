import { basename } from 'node:path';
import { HEADROOM_CHIP_NAMES, HEADROOM_CHIPS } from '../../fabric/buffers/asics.js';
import type { HeadroomTable, OtherHeadroom } from '../../fabric/sizing/other-headroom.js';
import { otherHeadroom } from '../../fabric/sizing/other-headroom.js';
import { readTable } from '../../sonic/read.js';
import { inputErrors } from './sonic.js';
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
  readonly chip?: string;
  readonly pgProfiles?: string;
  readonly json?: boolean;
}

export function sizeCommand(file: string, options: SizeOptions): void {
  const { fabric } = loadFabric(file, options.set);
  const ports = chosen(memorySizes(fabric), options.port);
  const given = { chip: chipOf(options.chip), table: tableOf(options.pgProfiles) };
  const others = (port: PortSizes): readonly OtherHeadroom[] => otherHeadroom(port, given);
  const text =
    options.json === true
      ? JSON.stringify(sizeJson(ports, others), null, 2)
      : sizeText(ports, styleFor(process.stdout), others);
  process.stdout.write(`${text}\n`);
}

function chipOf(name: string | undefined) {
  if (name === undefined) return null;
  const known = HEADROOM_CHIP_NAMES.find((own) => own === name);
  if (known === undefined) {
    throw new InputError(`--chip: ${unknownName('chip', name, HEADROOM_CHIP_NAMES)}`);
  }
  return { name, script: HEADROOM_CHIPS[known] };
}

function tableOf(file: string | undefined) {
  if (file === undefined) return null;
  const profiles = inputErrors(() => readTable(file));
  const lookUp: HeadroomTable = (rateMbps, cable) => profiles.get(rateMbps, cable)?.xoff ?? null;
  return { file: basename(file), lookUp };
}

/** One port, or all of them. */
function chosen(ports: readonly PortSizes[], name: string | undefined): readonly PortSizes[] {
  if (name === undefined) return ports;
  const found = ports.filter(({ port }) => port === name);
  if (found.length > 0) return found;
  const names = ports.map(({ port }) => port);
  throw new InputError(`--port: ${unknownName('port', name, names)}`);
}
