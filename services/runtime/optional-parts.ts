/** Packages that an installation may leave out, and what needs each of them. */
const OPTIONAL: Readonly<Record<string, string>> = {
  '@duckdb/node-api': 'Parquet tables and `selvage query`',
  '@kubernetes/client-node': 'Runs in a cluster (`selvage k8s run`)',
};

/**
 * The consequence of a missing optional package and how to install it; null for any other error.
 */
export function missingPart(error: unknown): string | null {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return null;
  const name = Object.keys(OPTIONAL).find((each) => message.includes(`'${each}'`));
  if (name === undefined) return null;
  return `${OPTIONAL[name]!} need the optional package ${name}: npm install ${name}`;
}
