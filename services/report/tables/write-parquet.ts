import { missingPart } from '../../runtime/optional-parts.js';
import { inDatabase } from './database.js';
import { quoted, tablesOf } from './tables-of-run.js';

/** Writes every table of a run as Parquet beside its CSV; null, or why that was not possible. */
export async function writeParquet(folder: string): Promise<string | null> {
  try {
    await inDatabase(async (connection) => {
      for (const { file, reading } of tablesOf(folder)) {
        const target = file.replace(/csv$/, 'parquet');
        await connection.run(`copy (${reading}) to ${quoted(target)} (format parquet)`);
      }
    });
    return null;
  } catch (error) {
    const missing = missingPart(error);
    if (missing !== null) return missing;
    const [first = ''] = (error as Error).message.split('\n', 1);
    return first;
  }
}
