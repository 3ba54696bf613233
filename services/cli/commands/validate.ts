import { EXIT } from '../exit.js';
import { loadFabric } from '../load-fabric.js';

export interface ValidateOptions {
  readonly set: readonly string[];
  readonly json?: boolean;
}

interface Verdict {
  readonly file: string;
  readonly ok: boolean;
  readonly error: string | null;
  readonly warnings: readonly string[];
  readonly devices: number;
  readonly flows: number;
}

export function validateCommand(files: readonly string[], options: ValidateOptions): number {
  const verdicts = files.map((file) => judge(file, options.set));
  if (options.json === true) process.stdout.write(`${JSON.stringify(verdicts, null, 2)}\n`);
  else for (const verdict of verdicts) print(verdict);
  return verdicts.every(({ ok }) => ok) ? EXIT.COMPLETE : EXIT.BAD_INPUT;
}

function judge(file: string, set: readonly string[]): Verdict {
  try {
    const { loaded, fabric } = loadFabric(file, set);
    const devices = fabric.topology.devices.length;
    const warnings = fabric.warnings.map(
      ({ path, message }) => loaded.errorAt(path, message).message,
    );
    return { file, ok: true, error: null, warnings, devices, flows: fabric.flows.length };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ScenarioError') throw error;
    return { file, ok: false, error: error.message, warnings: [], devices: 0, flows: 0 };
  }
}

function print({ file, error, warnings, devices, flows }: Verdict): void {
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  if (error === null) process.stdout.write(`${file}: sound; ${devices} devices, ${flows} flows\n`);
  else process.stderr.write(`${error}\n`);
}
