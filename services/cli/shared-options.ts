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

/** A fault that a command injects into a run. */
export function injection(command: Command): Command {
  return command
    .option('--fault <what>', 'a kind, or a fault as in a scenario: { kind: loss, … }')
    .option('--where <where>', 'a device, a port, or device=leaf1,peer=spine*')
    .option('--at <time>', 'virtual time (default: the earliest that is still possible)')
    .option('--for <time>', 'how long it lasts (default: to the end)')
    .option('--every <time>', 'it comes again after this time')
    .option('--name <name>', 'what it is called')
    .option('--set <key=value>', 'another key of it; may be repeated', collect, [])
    .option('--clear <name>', 'end a fault instead')
    .option('--list', 'list the faults of the run')
    .option('--json', 'print it as JSON');
}

/** Where a command of a cluster acts, if it is not told. */
export const NAMESPACE = ' (default: that of the context, or selvage)';
export const CONTEXT = 'of KUBECONFIG (default: its current one)';
