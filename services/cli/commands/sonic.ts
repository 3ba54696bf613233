import { readFileSync, writeFileSync } from 'node:fs';
import { checkSwitches, fabricOfScenario } from '../../sonic/check.js';
import { SonicError } from '../../sonic/file-errors.js';
import type { Expected } from '../../sonic/probe-ports.js';
import {
  differencesFrom,
  ExpectedError,
  probePorts,
  readExpected,
} from '../../sonic/probe-ports.js';
import { losingLoad, type Loss } from '../../sonic/loss.js';
import { AsicError, asicOf, readSwitches } from '../../sonic/read.js';
import { scenarioOf } from '../../sonic/scenario.js';
import { probeText, remarksText, verdictText } from '../../sonic/text.js';
import { unknownName } from '../../settings/errors.js';
import { EXIT, InputError } from '../exit.js';

export interface SonicOptions {
  readonly pgProfiles?: string;
  readonly asic?: string;
  readonly json?: boolean;
}

export interface CheckOptions extends SonicOptions {
  readonly losing?: string;
}

export interface ImportOptions extends SonicOptions {
  readonly out?: string;
}

export interface ProbeOptions extends SonicOptions {
  readonly port?: string;
  readonly pg?: string;
  readonly expect?: string;
}

export function sonicImport(files: readonly string[], options: ImportOptions): void {
  inputErrors(() => {
    const { scenario } = loaded(files, options);
    const { text, remarks } = scenario;
    fabricOfScenario(scenario, files[0]!);
    if (options.out === undefined) process.stdout.write(text);
    else writeFileSync(options.out, text);
    process.stderr.write(`${remarksText(remarks)}\n`);
  });
}

export function sonicCheck(files: readonly string[], options: CheckOptions): number {
  return inputErrors(() => {
    const { switches, asic, scenario } = loaded(files, options);
    const verdicts = checkSwitches(switches, asic, files[0]!);
    const text =
      options.json === true
        ? JSON.stringify(verdicts, null, 2)
        : verdicts.map(verdictText).join('\n\n');
    process.stdout.write(`${text}\n`);
    if (options.losing !== undefined) {
      writeLoss(losingLoad({ scenario, switches, asic }, verdicts), options.losing);
    }
    const isSound = verdicts.every(
      ({ verdict, deadlock }) => verdict !== 'not lossless' && deadlock === null,
    );
    return isSound ? EXIT.COMPLETE : EXIT.EXPECTATIONS_FAILED;
  });
}

function writeLoss(loss: Loss | null, file: string): void {
  if (loss === null) {
    process.stderr.write('no load that was tried has lost a frame\n');
    return;
  }
  writeFileSync(file, loss.text);
  process.stderr.write(`${file}: a load that loses ${loss.frames} frames\n`);
}

export function sonicProbe(file: string, options: ProbeOptions): number {
  return inputErrors(() => {
    const { scenario } = loaded([file], options);
    const { port, expect } = options;
    const names = scenario.ports.map((place) => place.port.name);
    const expected = expect === undefined ? [] : readExpected(expect, readFileSync(expect, 'utf8'));
    for (const name of [port, ...expected.map((one) => one.port)]) {
      if (name === undefined || names.includes(name)) continue;
      throw new InputError(`--port: ${unknownName('port', name, names)}`);
    }
    const fabric = fabricOfScenario(scenario, file);
    const choices = choicesOf(options, expected);
    const probes = choices.flatMap((choice) => probePorts(fabric, scenario.ports, choice));
    if (probes.length === 0) throw new InputError('no port and group that pauses is selected');
    const differences = differencesFrom(probes, expected);
    const text =
      options.json === true
        ? JSON.stringify({ probes, differences }, null, 2)
        : probeText(probes, differences);
    process.stdout.write(`${text}\n`);
    return differences.length === 0 ? EXIT.COMPLETE : EXIT.EXPECTATIONS_FAILED;
  });
}

interface Choice {
  readonly port?: string;
  readonly group?: number;
}

/** What is expected is probed, and else what is asked for. */
function choicesOf({ port, pg }: ProbeOptions, expected: readonly Expected[]): readonly Choice[] {
  if (pg !== undefined && !/^[0-7]$/.test(pg))
    throw new InputError(`--pg ${pg}: a group from 0 to 7`);
  if (expected.length > 0) return expected.map((one) => ({ port: one.port, group: one.group }));
  return [{ ...(port !== undefined && { port }), ...(pg !== undefined && { group: Number(pg) }) }];
}

function loaded(files: readonly string[], { pgProfiles, asic }: SonicOptions) {
  const switches = readSwitches({ files, ...(pgProfiles !== undefined && { pgProfiles }) });
  const chip = asicOf(asic, switches[0]!.hwsku);
  const { source, written } = chip;
  if (source !== null) process.stderr.write(`assumed: ASIC ${written}, by ${source}\n`);
  return { switches, asic: chip, scenario: scenarioOf(switches, chip) };
}

export function inputErrors<Result>(job: () => Result): Result {
  try {
    return job();
  } catch (error) {
    const isInput =
      error instanceof SonicError || error instanceof AsicError || error instanceof ExpectedError;
    if (isInput) throw new InputError(error.message);
    if (error instanceof Error && 'code' in error && 'path' in error) {
      throw new InputError(error.message);
    }
    throw error;
  }
}
