import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export const TOKEN_COOKIE = 'selvage-token';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/;

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/**
 * Decides which requests are served. On loopback those of any user of this machine, but none of a
 * page of another origin that is open in their browser: such a request is recognised by its origin,
 * or by a host name that resolves to this address. Anywhere else only those with the token.
 */
export class AuthGuard {
  constructor(
    private readonly host: string,
    private readonly token: string | null,
  ) {}

  /** Why a request is refused; null if it may be served. */
  refuses(request: IncomingMessage): string | null {
    const { host = '', origin } = request.headers;
    if (this.token === null && !isLoopback(host.replace(/:\d+$/, ''))) {
      return `this page is at ${this.host}, and nowhere else`;
    }
    if (origin !== undefined && origin !== `http://${host}`) return 'from a page of another origin';
    return null;
  }

  knows(request: IncomingMessage, url: URL): boolean {
    if (this.token === null) return true;
    const given = [url.searchParams.get('token'), cookieOf(request), bearerOf(request)];
    return given.some((token) => token !== null && this.isToken(token));
  }

  isToken(given: string): boolean {
    return this.token === null || timingSafeEqual(hashed(given), hashed(this.token));
  }
}

function hashed(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function cookieOf(request: IncomingMessage): string | null {
  const pairs = (request.headers.cookie ?? '').split(/;\s*/);
  const found = pairs.find((pair) => pair.startsWith(`${TOKEN_COOKIE}=`));
  return found === undefined ? null : decoded(found.slice(TOKEN_COOKIE.length + 1));
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function bearerOf({ headers }: IncomingMessage): string | null {
  return /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** A form for the token. */
export const LOGIN_PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Selvage</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<style>
body { font: 15px/1.5 system-ui, sans-serif; display: grid; place-items: center; height: 90vh }
form { display: grid; gap: 10px; width: 280px }
input, button { font: inherit; padding: 7px 10px; border-radius: 8px; border: 1px solid #8886 }
</style></head><body>
<form method="post" action="/login"><b>selvage</b>
<label for="token">The token of this run</label>
<input id="token" name="token" type="password" autofocus required>
<button>look</button></form></body></html>
`;
