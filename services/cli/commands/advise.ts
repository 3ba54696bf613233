import { adviseOn } from '../../advise/advise.js';
import { adviceJson, adviceText, isSafe } from '../../advise/text.js';
import { unknownName } from '../../settings/errors.js';
import { EXIT, InputError } from '../exit.js';
import { loadFabric } from '../load-fabric.js';
import { styleFor } from '../style.js';
import type { SizeOptions } from './size.js';

/** Thresholds for ports of switches, each proven by runs; exit code 1 where headroom is short. */
export function adviseCommand(file: string, options: SizeOptions): number {
  const { fabric } = loadFabric(file, options.set);
  const { port = null } = options;
  const names = fabric.linkEnds.flat().map(({ name }) => name);
  if (port !== null && !names.includes(port)) {
    throw new InputError(`--port: ${unknownName('port', port, names)}`);
  }
  const advice = adviseOn(fabric, port);
  const text =
    options.json === true
      ? JSON.stringify(adviceJson(advice), null, 2)
      : adviceText(advice, styleFor(process.stdout));
  process.stdout.write(`${text}\n`);
  return advice.every(isSafe) ? EXIT.COMPLETE : EXIT.EXPECTATIONS_FAILED;
}
