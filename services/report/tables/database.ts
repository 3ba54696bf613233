import { createRequire } from 'node:module';
import type * as DuckDb from '@duckdb/node-api';

/** Loaded when it is needed, and not by `import`, which reads its hundred files twice. */
export function loadDuckDb(): typeof DuckDb {
  return createRequire(import.meta.url)('@duckdb/node-api') as typeof DuckDb;
}

/** A database in memory for one job. */
export async function inDatabase<Result>(
  job: (connection: DuckDb.DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const { DuckDBInstance } = loadDuckDb();
  // One thread writes rows in their order, and equal tables to equal files.
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  try {
    const connection = await instance.connect();
    try {
      return await job(connection);
    } finally {
      connection.closeSync();
    }
  } finally {
    instance.closeSync();
  }
}
