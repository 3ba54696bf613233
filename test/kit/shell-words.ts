/** Commands as a person types them into a shell, without executing them. */

/** Words of a line up to a comment, a pipe, a redirection or the next command. */
export function shellWords(line: string): readonly string[] {
  const words: string[] = [];
  for (const [part, blank, end] of line.matchAll(
    /(\s+)|(#.*|[|>;&].*)|(?:'[^']*'|"[^"]*"|[^\s'";|>&])+/g,
  )) {
    if (blank !== undefined) continue;
    if (end !== undefined) break;
    words.push(part.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
  }
  return words;
}
