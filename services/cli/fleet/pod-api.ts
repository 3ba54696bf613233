import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

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
  send(method: 'POST' | 'DELETE', path: string, body: object): Promise<void> {
    const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '443' } = this.env;
    const text = JSON.stringify(body);
    // Tokens are renewed: the file has the current one. Without its length, the body of a DELETE
    // would be read as the next request of the connection.
    const headers = {
      authorization: `Bearer ${this.read('token')}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    };
    const target = `/api/v1/namespaces/${this.namespace}/${path}`;
    const options = { host, port, method, path: target, headers, ca: this.read('ca.crt') };
    return new Promise((resolve, reject) => {
      const sent = request(options, (response) => {
        let answer = '';
        response.setEncoding('utf8').on('data', (piece: string) => {
          answer += piece;
        });
        response.on('end', () => {
          if ((response.statusCode ?? 0) < 300) resolve();
          else reject(new Error(`${method} ${target}: ${answer}`));
        });
      });
      sent.on('error', reject).end(text);
    });
  }

  private read(name: string): string {
    return readFileSync(join(this.account, name), 'utf8');
  }
}
