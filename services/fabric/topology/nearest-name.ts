/** `; did you mean leaf3?` where a known name is near enough to the unknown one, else nothing. */
export function didYouMean(unknown: string, known: Iterable<string>): string {
  const nearest = nearestName(unknown, known);
  return nearest === null ? '' : `; did you mean ${nearest}?`;
}

/** The known name that takes the fewest edits to reach; null when more than half must change. */
export function nearestName(unknown: string, known: Iterable<string>): string | null {
  let nearest: string | null = null;
  let least = Math.max(1, Math.floor(unknown.length / 2)) + 1;
  for (const name of known) {
    if (Math.abs(name.length - unknown.length) >= least) continue;
    const edits = editDistance(unknown.toLowerCase(), name.toLowerCase());
    if (edits < least) {
      nearest = name;
      least = edits;
    }
  }
  return nearest;
}

/** Insertions, deletions and replacements that turn one text into the other (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
