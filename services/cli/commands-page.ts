/** Every command as a page of Markdown, made of what the program declares. */

import type { Command } from 'commander';
import { EXIT_MEANINGS } from './exit.js';
import { examplesOf } from './help.js';

const HEAD = `# Commands

Every command with its options, in the groups of \`selvage --help\`. This page is written by
\`selvage explain commands --markdown\`.

## Exit codes

| code | meaning |
| --- | --- |
${EXIT_MEANINGS.map(([code, meaning]) => `| ${code} | ${meaning} |`).join('\n')}
`;

export function commandsPage(program: Command): string {
  const groups = new Map<string, Command[]>();
  for (const command of program.commands) {
    const heading = command.helpGroup();
    groups.set(heading, [...(groups.get(heading) ?? []), command]);
  }
  const sections = [...groups].map(([heading, commands]) =>
    [`## ${heading.replace(/:$/, '')}\n`, ...commands.map(sectionOf)].join('\n'),
  );
  return [HEAD, ...sections].join('\n');
}

function sectionOf(command: Command): string {
  const within = command.commands.map((each) =>
    described(`${command.name()} ${each.name()}`, each),
  );
  const examples = examplesOf(command.name()).map(([words, what]) => `selvage ${words}  # ${what}`);
  const sample = `\`\`\`sh\n${examples.join('\n')}\n\`\`\`\n`;
  return [described(command.name(), command), ...within, sample].join('\n');
}

function described(name: string, command: Command): string {
  const usage = command.usage().replace(/^\[options\] ?/, '');
  const rows = command.options.map(
    ({ flags, description }) => `| \`${flags}\` | ${escaped(description)} |`,
  );
  const table = ['| option | meaning |', '| --- | --- |', ...rows];
  const text = command.description();
  const lead = `### ${name}\n\n    ${`selvage ${name} ${usage}`.trim()}\n\n${sentence(text)}\n`;
  return rows.length === 0 ? lead : `${lead}\n${table.join('\n')}\n`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function escaped(text: string): string {
  return text
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ')
    .replace(/<([^>]*)>/g, '\\<$1\\>');
}
