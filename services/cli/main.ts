#!/usr/bin/env node
import { CommanderError } from 'commander';
import { EXIT, InputError } from './exit.js';
import { program } from './program.js';
import { spelledWords } from './spelled-words.js';
import { missingPart } from '../runtime/optional-parts.js';

/** Errors of what a run needs beside this program, by the names of their classes. */
const FAULTS_OUTSIDE = [
  'InfrastructureError',
  'BrokerError',
  'StoreError',
  'DamagedCheckpoint',
  'PluginError',
  'FramesExhausted',
];

/** Invalid input is one line; any other error is a defect and has a stack. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.COMPLETE : EXIT.BAD_INPUT;
  if (error instanceof InputError || (error instanceof Error && error.name === 'ScenarioError')) {
    process.stderr.write(`${error.message}\n`);
    return EXIT.BAD_INPUT;
  }
  if (
    error instanceof Error &&
    [error.name, error.constructor.name].some((name) => FAULTS_OUTSIDE.includes(name))
  ) {
    process.stderr.write(`the run failed: ${error.message}\n`);
    return EXIT.RUN_FAILED;
  }
  if (error instanceof Error && error.constructor.name === 'CoordinatorError') {
    process.stderr.write(`${error.message}\n`);
    return EXIT.RUN_FAILED;
  }
  const missing = missingPart(error);
  if (missing !== null) {
    process.stderr.write(`${missing}\n`);
    return EXIT.BAD_INPUT;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`selvage failed by a fault of its own: ${text}\n`);
  return EXIT.RUN_FAILED;
}

/** Only the help that lists them needs them. */
async function mechanismsOf(words: readonly string[]): Promise<string | undefined> {
  if (!words.includes('duel') && !words.includes('commands')) return undefined;
  const { mechanismsHelp } = await import('./known-names.js');
  return mechanismsHelp();
}

// A reader that closed the pipe (`selvage … | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.COMPLETE);
  process.stderr.write(`standard output cannot be written: ${error.message}\n`);
  process.exit(EXIT.BAD_INPUT);
});

try {
  if (process.argv.length > 2) {
    await program(await mechanismsOf(process.argv)).parseAsync(spelledWords(process.argv));
  }
  if (process.argv.length === 2) {
    const { welcomeText } = await import('./commands/welcome.js');
    process.stdout.write(welcomeText(process.cwd()));
  }
} catch (error) {
  process.exitCode = report(error);
}
