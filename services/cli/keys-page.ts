/** Every key of a scenario as a page of Markdown, generated from the schema. */

import type { CatalogueEntry } from '../fabric/scenario/catalogue.js';
import { describeScenario } from '../fabric/scenario/catalogue.js';

const HEAD = `# Keys of a scenario

Every key, with what is allowed, its default and its meaning. \`*\` stands for a name or number that
you choose, \`[]\` for each entry of a list. A key without a default may be left out, unless its
meaning says otherwise. \`selvage explain KEY\` shows one key, and
[scenario.schema.json](scenario.schema.json) completes keys in an editor.

This page is written by \`selvage explain --markdown\`.
`;

export function keysPage(): string {
  const sections = new Map<string, CatalogueEntry[]>();
  for (const entry of describeScenario()) {
    const [section] = entry.path.split(/[.[]/, 1) as [string];
    sections.set(section, [...(sections.get(section) ?? []), entry]);
  }
  return [HEAD, ...[...sections].map(([name, entries]) => sectionOf(name, entries))].join('\n');
}

function sectionOf(name: string, entries: readonly CatalogueEntry[]): string {
  const [first, ...keys] = entries as readonly [CatalogueEntry, ...CatalogueEntry[]];
  const isValue = keys.length === 0;
  const lead = isValue ? `${first.description} Allowed: ${first.allowed}.` : first.description;
  const usual = isValue && first.default !== null ? ` Default: \`${first.default}\`.` : '';
  const table = ['| key | allowed | default | meaning |', '| --- | --- | --- | --- |'];
  const rows = keys.map(({ path, allowed, default: value, description }) => {
    const cells = [`\`${path}\``, allowed, value === null ? '' : `\`${value}\``, description];
    return `| ${cells.map(escaped).join(' | ')} |`;
  });
  return `## ${name}\n\n${lead}${usual}\n${isValue ? '' : `\n${[...table, ...rows].join('\n')}\n`}`;
}

function escaped(cell: string): string {
  return cell.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
