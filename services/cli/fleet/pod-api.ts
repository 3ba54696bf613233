import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Between attempts, while the API server is away or takes no requests: half a minute in all. */
const PAUSES_MS = [100, 300, 1_000, 3_000, 5_000, 10_000, 10_000];
/** Answers and errors to what was not executed: nothing is done twice. */
const NOT_TAKEN = [429, 503];
const NOT_REACHED = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'];

/** Groups of the API, by the resources that are not of the first one. */
const GROUPS: Readonly<Record<string, string>> = { statefulsets: 'apis/apps/v1' };
const CORE = 'api/v1';

type Method = 'POST' | 'DELETE' | 'PATCH';

class NotTaken extends Error {}

/** The API server, as the service account of this pod may use it in its namespace. */
export class PodApi {
  constructor(
    private readonly env: NodeJS.ProcessEnv = process.env,
    private readonly account = ACCOUNT,
  ) {}

  get namespace(): string {
    return this.read('namespace');
  }

  /** Of a path in the namespace; rejects with the answer of the server if that refuses. */
  async send(method: Method, path: string, body: object): Promise<void> {
    for (const pauseMs of PAUSES_MS) {
      try {
        await this.attempt(method, path, body);
        return;
      } catch (error) {
        if (!isNotTaken(error)) throw error;
      }
      await setTimeout(pauseMs);
    }
    await this.attempt(method, path, body);
  }

  private attempt(method: string, path: string, body: object): Promise<void> {
    const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '443' } = this.env;
    const text = JSON.stringify(body);
    // Tokens are renewed: the file has the current one. Without its length, the body of a DELETE
    // would be read as the next request of the connection.
    const headers = {
      authorization: `Bearer ${this.read('token')}`,
      'content-type': `application/${method === 'PATCH' ? 'merge-patch+json' : 'json'}`,
      'content-length': Buffer.byteLength(text),
    };
    const group = GROUPS[path.split('/')[0]!] ?? CORE;
    const target = `/${group}/namespaces/${this.namespace}/${path}`;
    const options = { host, port, method, path: target, headers, ca: this.read('ca.crt') };
    return new Promise((resolve, reject) => {
      const sent = request(options, (response) => {
        let answer = '';
        response.setEncoding('utf8').on('data', (piece: string) => {
          answer += piece;
        });
        response.on('end', () => {
          const { statusCode = 0 } = response;
          const reason = `${method} ${target}: ${answer}`;
          if (statusCode < 300) resolve();
          else reject(NOT_TAKEN.includes(statusCode) ? new NotTaken(reason) : new Error(reason));
        });
      });
      sent.on('error', reject).end(text);
    });
  }

  private read(name: string): string {
    return readFileSync(join(this.account, name), 'utf8');
  }
}

function isNotTaken(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return error instanceof NotTaken || NOT_REACHED.includes(code);
}
