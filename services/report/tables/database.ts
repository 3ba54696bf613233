import type { DuckDBConnection } from '@duckdb/node-api';

/** A database in memory for one job; loaded when it is needed, since that takes a while. */
export async function inDatabase<Result>(
  job: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
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
