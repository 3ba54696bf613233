/** The first of a module's predicates that does not hold, by its name; null if all hold. */
export function firstBroken<Arguments extends unknown[]>(
  mechanism: string,
  invariants: Readonly<Record<string, (...all: Arguments) => boolean>>,
  ...all: Arguments
): string | null {
  for (const [name, holds] of Object.entries(invariants)) {
    if (!holds(...all)) return `${mechanism}: ${name}`;
  }
  return null;
}
