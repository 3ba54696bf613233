/**
 * How frames of a real host reach this process and leave it. A kind of endpoint is a folder: its
 * keys in a scenario, the octets around a frame, and the socket.
 */

import type { z } from 'zod';
import type { Refusal } from './refusals.js';

/** Notified of what comes in; octets are valid during the call only. */
export interface EndpointListener {
  frame(octets: Uint8Array): void;
  refused(reason: Refusal): void;
}

export interface Endpoint {
  /** A frame without FCS; false where it cannot be sent: nobody is there. */
  send(octets: Uint8Array): boolean;
  /** Takes no frames, as far as the kind can push back; the others lose what has no room. */
  hold(isHeld: boolean): void;
  close(): void;
}

/** It cannot be opened; `key` of its settings is why. */
export class EndpointError extends Error {
  constructor(
    readonly key: string,
    message: string,
  ) {
    super(message);
    this.name = 'EndpointError';
  }
}

export interface EndpointKind<Settings = never> {
  /** Its key below a live host. */
  readonly kind: string;
  readonly help: string;
  readonly settings: z.ZodType<Settings>;
  /** What no two live ports may have, and the key that says it. */
  place(settings: Settings): { readonly name: string; readonly key: string };
  /** Whether `hold` stops the host; otherwise frames beyond its queues are dropped. */
  readonly pushesBack: boolean;
  /** Opens sockets of one run: endpoints may share them. */
  makeOpener(): EndpointOpener<Settings>;
  /** Commands that are needed once, whatever is attached by them. */
  prepare(settings: Settings): readonly string[];
  /** Commands that attach a host. */
  attach(settings: Settings, host: AttachedHost): readonly string[];
  /** Whether `attach` has commands for a network namespace of Linux. */
  readonly takesNamespaces: boolean;
}

/** A host that is to be attached. */
export interface AttachedHost {
  /** Its network namespace. */
  readonly namespace: string;
  readonly mtu: number;
  readonly mac: string;
  /** With the length of its prefix. */
  readonly ipv4: string;
}

export interface EndpointOpener<Settings> {
  open(settings: Settings, listener: EndpointListener): Promise<Endpoint>;
}

/** A kind and its settings, as a scenario has them. */
export interface EndpointSection {
  readonly kind: string;
  readonly settings: object;
}
