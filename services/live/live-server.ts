/**
 * The page of a run that goes on, over HTTP, and its changes as server-sent events. It relies on
 * the guard for who may look and steer, and on `LiveRun` for what the page shows. A viewer may be
 * slow, gone or hostile: bodies, viewers and what is sent and not read are bounded, nothing of a
 * request goes into a header or the page unescaped, and no viewer may delay the run.
 */

import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PageContent } from '../report/page/page-data.js';
import { pageFile } from '../report/page/page-file.js';
import type {
  LiveAction,
  LiveAnswer,
  LiveNews,
  LiveOrder,
  LiveRequest,
} from '../report/page/live-data.js';
import { AuthGuard, LOGIN_PAGE, TOKEN_COOKIE } from './auth-guard.js';
import type { LiveRun } from './live-run.js';

export interface LiveAddress {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** The token of viewers; null: none is needed, on loopback. */
  readonly token: string | null;
}

/** A viewer that does not read what it is sent is skipped until it does. */
const BACKLOG_OCTETS = 4 << 20;
const VIEWERS_MAX = 32;
const BODY_OCTETS = 64 << 10;
/** How long a run that is over waits for its viewers to fetch the report. */
const FAREWELL_MS = 5_000;

const ACTIONS: readonly string[] = ['pause', 'resume', 'step', 'stop'] satisfies LiveAction[];

const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; " +
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; " +
    "frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/**
 * Serves the page of a run in progress, and its changes as server-sent events. Messages are sent on
 * changes only: there is no polling.
 */
export class LiveServer {
  private readonly server: Server;
  private readonly viewers = new Set<ServerResponse>();
  private readonly authGuard: AuthGuard;
  private report: string | null = null;
  private allLeft: () => void = () => undefined;

  constructor(
    private readonly address: LiveAddress,
    private readonly content: PageContent,
    private readonly run: LiveRun,
    /** The whole state, for a new viewer. */
    private readonly known: () => LiveNews,
  ) {
    this.authGuard = new AuthGuard(address.host, address.token);
    this.server = createServer((request, response) => {
      this.answer(request, response).catch(() => {
        response.destroy();
      });
    });
  }

  /** Returns the address of the page. */
  listen(): Promise<string> {
    const { host, port } = this.address;
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => {
        this.server.off('error', reject);
        const shown = host.includes(':') ? `[${host}]` : host;
        resolve(`http://${shown}:${(this.server.address() as AddressInfo).port}/`);
      });
    });
  }

  publish(news: LiveNews): void {
    if (this.viewers.size === 0) return;
    const text = eventOf(news);
    for (const viewer of this.viewers) {
      if (viewer.writableLength < BACKLOG_OCTETS) viewer.write(text);
    }
  }

  /** Sends the report to the viewers, and closes when they have it. */
  async finish(content: PageContent): Promise<void> {
    this.report = JSON.stringify(content);
    if (this.viewers.size > 0) {
      const text = eventOf(this.known());
      for (const viewer of this.viewers) viewer.write(text);
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.allLeft = resolve;
        timer = setTimeout(resolve, FAREWELL_MS);
      });
      clearTimeout(timer);
    }
    this.close();
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const { method = '' } = request;
    const url = new URL(request.url ?? '/', 'http://selvage');
    const refusal = this.authGuard.refuses(request);
    if (refusal !== null) {
      say(response, 403, 'text/plain', `${refusal}\n`);
      return;
    }
    if (method === 'POST' && url.pathname === '/login') {
      this.login(await bodyOf(request), response);
      return;
    }
    if (!this.authGuard.knows(request, url)) {
      if (method === 'GET' && url.pathname === '/') say(response, 401, 'text/html', LOGIN_PAGE);
      else say(response, 401, 'text/plain', 'the token is missing or wrong\n');
      return;
    }
    if (method === 'GET') await this.show(url, request, response);
    else if (method === 'POST') await this.execute(url, request, response);
    else say(response, 405, 'text/plain', 'GET or POST\n');
  }

  private async show(url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (url.pathname === '/' && url.searchParams.has('token')) {
      // The token is stored in a cookie, so that it is not in the address.
      this.login(`token=${encodeURIComponent(url.searchParams.get('token')!)}`, response);
    } else if (url.pathname === '/') {
      say(response, 200, 'text/html', pageFile(this.content));
    } else if (url.pathname === '/trees.json') {
      say(response, 200, 'application/json', JSON.stringify(await this.run.trees()));
    } else if (url.pathname === '/events') this.follow(request, response);
    else if (url.pathname === '/report.json' && this.report !== null) {
      say(response, 200, 'application/json', this.report);
    } else say(response, 404, 'text/plain', 'there is no such page\n');
  }

  private follow(request: IncomingMessage, response: ServerResponse): void {
    if (this.viewers.size >= VIEWERS_MAX) {
      say(response, 503, 'text/plain', `${VIEWERS_MAX} are looking already\n`);
      return;
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    this.viewers.add(response);
    if (this.viewers.size === 1) this.run.watched(true);
    request.once('close', () => {
      this.viewers.delete(response);
      if (this.viewers.size > 0) return;
      this.run.watched(false);
      this.allLeft();
    });
    response.write(eventOf(this.known()));
  }

  private async execute(
    url: URL,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const body = jsonOf(await bodyOf(request));
    let answer: LiveAnswer = { done: false, detail: 'there is nothing of that name to do' };
    if (url.pathname === '/steer') {
      const order = orderOf(body);
      answer =
        order === null
          ? { done: false, detail: `an order is one of ${ACTIONS.join(', ')}` }
          : await this.run.order(order);
    } else if (url.pathname === '/faults') {
      const request = requestOf(body);
      if (request === null) answer = { done: false, detail: 'what fault is that?' };
      else answer = await this.run.request(request);
    }
    say(response, 200, 'application/json', JSON.stringify(answer));
  }

  private login(body: string, response: ServerResponse): void {
    const token = new URLSearchParams(body).get('token') ?? '';
    if (!this.authGuard.isToken(token)) {
      say(response, 401, 'text/html', LOGIN_PAGE);
      return;
    }
    const value = encodeURIComponent(token);
    const cookie = `${TOKEN_COOKIE}=${value}; HttpOnly; SameSite=Strict; Path=/`;
    response.writeHead(303, { Location: '/', 'Set-Cookie': cookie }).end();
  }
}

function eventOf(news: LiveNews): string {
  return `data: ${JSON.stringify(news)}\n\n`;
}

function say(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'Content-Type': `${type}; charset=utf-8` }).end(text);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let octets = 0;
  for await (const piece of request) {
    octets += (piece as Buffer).length;
    if (octets > BODY_OCTETS) throw new Error('the request is too long');
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces).toString();
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function orderOf(body: unknown): LiveOrder | null {
  const { action, stepPs = 0 } = (body ?? {}) as Partial<Record<keyof LiveOrder, unknown>>;
  if (typeof action !== 'string' || !ACTIONS.includes(action)) return null;
  if (typeof stepPs !== 'number' || !(stepPs >= 0)) return null;
  return { action: action as LiveAction, stepPs };
}

function requestOf(body: unknown): LiveRequest | null {
  const { kind, fault, name } = (body ?? {}) as Record<string, unknown>;
  if (kind === 'clear' && typeof name === 'string') return { kind, name };
  if (kind !== 'inject' || typeof fault !== 'object' || fault === null) return null;
  return { kind, fault: fault as Record<string, unknown> };
}
