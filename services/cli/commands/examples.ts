import { readFileSync } from 'node:fs';
import { exampleFile, exampleGroups } from '../examples.js';
import { styleFor } from '../style.js';

/** The scenario of an example; without a name, what there is. */
export function examplesCommand(name: string | undefined): void {
  process.stdout.write(name === undefined ? listText() : readFileSync(exampleFile(name), 'utf8'));
}

function listText(): string {
  const groups = exampleGroups();
  const style = styleFor(process.stdout);
  const names = groups.flatMap(({ examples }) => examples.map(({ name }) => name.length));
  const width = Math.max(...names);
  const parts = groups.map(({ title, examples }) =>
    [
      style.strong(title),
      ...examples.map(({ name, shows }) => `  ${name.padEnd(width)}  ${shows}`),
    ].join('\n'),
  );
  return `${parts.join('\n\n')}\n\nselvage run NAME runs one, selvage examples NAME prints it.\n`;
}
