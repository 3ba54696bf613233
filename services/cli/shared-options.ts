/** Options that commands of several groups have, in the same words. */

import { type Command, Option } from 'commander';

/** Values of an option that may be repeated. */
export const collect = (value: string, before: string[]): string[] => [...before, value];

export function settings(): Option {
  return new Option('--set <path=value>', 'change a value of the scenario; may be repeated')
    .argParser(collect)
    .default([]);
}

/** How many devices share a service. */
export function grouped(command: Command): Command {
  return command
    .option('--devices-per-service <n>', 'services of so many devices each')
    .option('--services <n>', 'so many services of about equal work');
}
