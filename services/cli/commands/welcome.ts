import { readdirSync, readFileSync } from 'node:fs';

/** `selvage: 1` at the beginning of a line, as every scenario has it. */
const SCENARIO = /^["']?selvage["']?:/m;
const NAMED = 3;

/** Next steps in a folder: run its scenarios, or write one. */
export function welcomeText(folder: string): string {
  const found = scenariosIn(folder);
  const [first] = found;
  const steps: readonly (readonly [string, string])[] =
    first === undefined
      ? [
          ['selvage init', 'write scenario.yaml, a commented scenario to start from'],
          ['selvage run scenario.yaml', 'run it'],
        ]
      : [
          ...found.slice(0, NAMED).map((name) => [`selvage run ${name}`, 'run it'] as const),
          [`selvage validate ${first}`, 'check it without running it'],
          [`selvage topology ${first}`, 'show its links'],
        ];
  const all: readonly (readonly [string, string])[] = [
    ...steps,
    ['selvage explain', 'terms, metrics and keys'],
    ['selvage doctor', 'what this machine has, and what it lacks'],
    ['selvage --help', 'all commands'],
  ];
  const width = Math.max(...all.map(([line]) => line.length));
  const lines = all.map(([line, meaning]) => `  ${line.padEnd(width)}  ${meaning}`);
  const head = first === undefined ? 'There is no scenario in this folder.' : 'Next:';
  return `${head}\n${lines.join('\n')}\n`;
}

function scenariosIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map(({ name }) => name)
    .filter((name) => SCENARIO.test(readFileSync(`${folder}/${name}`, 'utf8')))
    .sort();
}
