const COLUMNS = 120;
const GROUP = '### Digests';

/**
 * The changelog with an entry among the digests of a version, whose heading is there; the same text
 * where its reason is given already.
 */
export function withEntry(changelog: string, version: string, entry: string): string {
  const [before, after] = changelog.split(`\n## ${version}\n`);
  if (after === undefined) throw new Error(`CHANGELOG.md has no heading of version ${version}`);
  const end = /\n## /.exec(after)?.index ?? after.length;
  const [release, older] = [after.slice(0, end), after.slice(end)];
  const reason = entry.slice(entry.indexOf(': ') + 2);
  if (release.replace(/\n {2}/g, ' ').includes(reason)) return changelog;
  const line = folded(`- ${entry}`);
  const changed = release.includes(`\n${GROUP}\n\n`)
    ? release.replace(`\n${GROUP}\n\n`, (heading) => `${heading}${line}\n`)
    : `${release.trimEnd()}\n\n${GROUP}\n\n${line}\n`;
  return `${before!}\n## ${version}\n${changed}${older}`;
}

function folded(text: string): string {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1)!;
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= COLUMNS) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(`  ${word}`);
  }
  return lines.join('\n');
}
