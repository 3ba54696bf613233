/** The scenarios that come with the package: by name, from any folder. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Argument } from 'commander';
import { didYouMean } from '../settings/errors.js';
import { packageFile } from '../runtime/package-files.js';
import { InputError } from './exit.js';

const FOLDER = packageFile('examples');
/** A row of the gallery: an example and what it shows; or, in bold, those that follow. */
const ROW =
  /^\| (?:\[([^\]]+)\]\(\.\.\/examples\/\1\.yaml\) +\| ([^|]+?)|\*\*([^*]+)\*\* +\|) +\|$/gm;
/** What might be the name of an example, and is no path. */
const NAME = /^[a-z0-9][a-z0-9-]*$/;

/** Of `live`: an example with all that it needs. */
const DEMO = 'demo';

interface ExampleGroup {
  readonly title: string;
  readonly examples: readonly { readonly name: string; readonly shows: string }[];
}

/** As the gallery lists them, which documents them for readers, too. */
export function exampleGroups(): ExampleGroup[] {
  const [, list = ''] = readFileSync(packageFile('docs/gallery.md'), 'utf8').split(
    '\n## All examples\n',
  );
  const groups: { title: string; examples: { name: string; shows: string }[] }[] = [];
  for (const [, name, shows, title] of list.matchAll(ROW)) {
    if (title !== undefined) groups.push({ title, examples: [] });
    else groups.at(-1)!.examples.push({ name: name!, shows: shows! });
  }
  return groups;
}

/** An example's file; what is no example is an error. */
export function exampleFile(name: string): string {
  const file = packageFile('examples', `${name}.yaml`);
  if (NAME.test(name) && existsSync(file)) return file;
  throw new InputError(
    `no example is called ${name}${didYouMean(name, exampleNames())}; selvage examples lists them`,
  );
}

/** A scenario's file, from its path or from the name of an example. */
function scenarioFile(word: string): string {
  if (existsSync(word) || !NAME.test(word) || word === DEMO) return word;
  if (existsSync(packageFile('examples', `${word}.yaml`))) return exampleFile(word);
  throw new InputError(
    `${word}: there is no such file, and no example of this name` +
      `${didYouMean(word, exampleNames())}; selvage examples lists them`,
  );
}

/** Of a command that takes a scenario. */
export function scenarioArgument(more = ''): Argument {
  return new Argument(
    '<scenario>',
    `YAML or JSON file${more}, or the name of an example`,
  ).argParser(scenarioFile);
}

/** How a person names a scenario in a command. */
export function wordOfScenario(file: string): string {
  return dirname(file) === FOLDER ? basename(file, '.yaml') : file;
}

export function exampleNames(): string[] {
  return readdirSync(FOLDER).flatMap((file) =>
    file.endsWith('.yaml') ? [basename(file, '.yaml')] : [],
  );
}
