import { adviceOn } from '../../fabric/assembly/advice.js';
import type { Warning } from '../../fabric/assembly/warnings.js';
import { ScenarioError } from '../../settings/errors.js';
import { EXIT } from '../exit.js';
import { loadRun } from '../load-fabric.js';

export interface ValidateOptions {
  readonly set: readonly string[];
  readonly json?: boolean;
  /** Warnings count as errors. */
  readonly strict?: boolean;
}

interface Verdict {
  readonly file: string;
  readonly ok: boolean;
  /** The first of `errors`. */
  readonly error: string | null;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly devices: number;
  readonly flows: number;
}

export function validateCommand(files: readonly string[], options: ValidateOptions): number {
  const verdicts = files.map((file) => judge(file, options));
  if (options.json === true) process.stdout.write(`${JSON.stringify(verdicts, null, 2)}\n`);
  else for (const verdict of verdicts) print(verdict);
  return verdicts.every(({ ok }) => ok) ? EXIT.COMPLETE : EXIT.BAD_INPUT;
}

function judge(file: string, { set, strict }: ValidateOptions): Verdict {
  try {
    const { loaded, fabric } = loadRun(file, set);
    const devices = fabric.topology.devices.length;
    const found: readonly Warning[] = [...fabric.warnings, ...adviceOn(fabric, loaded.document)];
    const warnings = found.map(({ path, message }) => loaded.errorAt(path, message).message);
    const ok = strict !== true || warnings.length === 0;
    const flows = fabric.flows.length;
    return { file, ok, error: null, errors: [], warnings, devices, flows };
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    const errors = [error, ...error.others]
      .sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column)
      .map(({ message }) => message);
    const ok = false;
    return { file, ok, error: errors[0]!, errors, warnings: [], devices: 0, flows: 0 };
  }
}

function print({ file, ok, errors, warnings, devices, flows }: Verdict): void {
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  for (const error of new Set(errors)) process.stderr.write(`${error}\n`);
  if (errors.length > 0) return;
  const size = `${devices} devices, ${flows} ${flows === 1 ? 'flow' : 'flows'}`;
  process.stdout.write(ok ? `${file}: sound; ${size}\n` : `${file}: has warnings; ${size}\n`);
}
