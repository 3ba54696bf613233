import { createServer } from 'node:http';

const ALIVE = '/live';
const READY = '/ready';

/**
 * Answers liveness and readiness probes, at the port that the environment names, if it names one:
 * /live by answering at all, /ready while `isReady`.
 */
export function serveHealth(
  env: NodeJS.ProcessEnv,
  isReady: () => boolean,
  fail: (error: Error) => void,
): void {
  const port = Number(env['SELVAGE_HEALTH_PORT'] ?? 0);
  if (port === 0) return;
  const answers: Readonly<Record<string, () => boolean>> = {
    [ALIVE]: () => true,
    [READY]: isReady,
  };
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ''];
    response.writeHead(answer === undefined ? 404 : answer() ? 200 : 503).end();
  });
  server.once('error', fail);
  server.listen(port);
  server.unref();
}
