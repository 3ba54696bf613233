/** A scenario as its file says it: what is varied and made smaller, and written in the end. */
export type Document = Readonly<Record<string, unknown>>;

export type FaultEntry = Readonly<Record<string, unknown>>;

/** The entries of a list section; none if it is absent. */
export function entriesOf(document: Document, section: string): readonly FaultEntry[] {
  const entries = document[section];
  return Array.isArray(entries) ? (entries as FaultEntry[]) : [];
}

/** Faults and expectations hang on names, which they lose when what they name is taken away. */
export function withEntries(
  document: Document,
  section: string,
  entries: readonly FaultEntry[],
): Document {
  return { ...document, [section]: entries };
}
