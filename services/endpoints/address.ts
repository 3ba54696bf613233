import { isIPv4, isIPv6 } from 'node:net';
import { z } from 'zod';
import { text } from '../settings/parts.js';
import { EndpointError } from './endpoint.js';

/** An address of the Internet and a port. */
export interface SocketAddress {
  readonly host: string;
  readonly port: number;
}

const PATTERN = /^(\[[0-9a-fA-F:.]+\]|[0-9.]+):([0-9]{1,5})$/;
const ALLOWED = 'an address and a port, such as 127.0.0.1:7000 or [::1]:7000';

/** `127.0.0.1:7000`, `[::1]:7000`. */
export function socketAddress(): z.ZodType<SocketAddress> {
  return text('an address and a port', PATTERN, ALLOWED).transform((written, context) => {
    const [, bracketed = '', port = ''] = PATTERN.exec(written) ?? [];
    const host = bracketed.replace(/[[\]]/g, '');
    const isAddress = bracketed.startsWith('[') ? isIPv6(host) : isIPv4(host);
    if (isAddress && Number(port) >= 1 && Number(port) <= 65_535) {
      return { host, port: Number(port) };
    }
    const message = `not an address and a port: ${written}; write ${ALLOWED}`;
    context.issues.push({ code: 'custom', message, input: written });
    return z.NEVER;
  });
}

export function textOf({ host, port }: SocketAddress): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use: another program, or a kernel device, has the port',
  EADDRNOTAVAIL: 'is not an address of this machine: give it to an interface first',
  EACCES: 'needs more rights: take a port from 1024 on, or another folder',
  ENOENT: 'has no folder',
};

/** In the terms of a scenario. */
export function openFault(key: string, place: string, error: Error): EndpointError {
  const { code = '' } = error as NodeJS.ErrnoException;
  return new EndpointError(key, `${place} ${REASONS[code] ?? `cannot be opened (${code})`}`);
}
