import { EXIT } from '../exit.js';

const PATIENCE_MS = 2_000;

/** Queries the health of the coordinator or service of this container, if it serves probes. */
export async function healthyCommand(): Promise<number> {
  const port = process.env['SELVAGE_HEALTH_PORT'] ?? '';
  if (port === '') return EXIT.COMPLETE;
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const { ok } = await fetch(`http://127.0.0.1:${port}/live`, { signal });
    return ok ? EXIT.COMPLETE : EXIT.EXPECTATIONS_FAILED;
  } catch {
    return EXIT.EXPECTATIONS_FAILED;
  }
}
