import { EXIT } from '../exit.js';
import { isInsecureAccepted } from '../fleet/encryption.js';
import { fetchResults, resultsAddress } from '../stored-results.js';

/** Copies a run directory from S3-compatible storage. */
export async function downloadCommand(
  place: string,
  folder: string,
  options: { readonly insecure?: boolean },
): Promise<number> {
  const address = resultsAddress(place, isInsecureAccepted(options, process.env), 'download');
  const files = await fetchResults(address, folder);
  process.stdout.write(`${files} files of ${place} are in ${folder}\n`);
  return EXIT.COMPLETE;
}
