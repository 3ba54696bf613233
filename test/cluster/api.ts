import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';

/** The API server of a test's cluster, for its administrator. */
export class Api {
  private readonly agent: Agent;

  /** `folder`: with the certificates. */
  constructor(
    folder: string,
    private readonly server: string,
  ) {
    const pki = join(folder, 'pki');
    this.agent = new Agent({
      ca: readFileSync(join(pki, 'ca.crt')),
      cert: readFileSync(join(pki, 'admin.crt')),
      key: readFileSync(join(pki, 'admin.key')),
      keepAlive: true,
    });
  }

  call<T>(method: string, path: string, body?: object): Promise<T> {
    return new Promise((resolve, reject) => {
      const type = method === 'PATCH' ? 'merge-patch+json' : 'json';
      const headers = { 'content-type': `application/${type}` };
      const options = { method, agent: this.agent, headers };
      const sent = request(`${this.server}${path}`, options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        response.on('end', () => {
          if ((response.statusCode ?? 500) < 400) resolve(JSON.parse(text) as T);
          else reject(new Error(`${method} ${path}: ${text}`));
        });
      });
      sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}
