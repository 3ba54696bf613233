/**
 * A kind of fault, from its keys in a scenario to what it puts at ports and how it looks. Effects
 * are those of the engine (`engine/faults`); a kind composes them.
 */

import type { z } from 'zod';
import type { FaultEffect, FaultTimes } from '../../engine/contract/fault.js';
import type { PortSpec } from '../../engine/contract/spec.js';
import type { DeviceSpec } from '../../engine/device/engine.js';
import { ALL_PRIORITIES } from '../../engine/units/ethernet.js';
import type { Injector } from '../assembly/spoofed-messages.js';
import type { FaultForm, FaultLook } from './fault-look.js';
import type { BufferEdit, LinkSetting } from './setting.js';

export type Shape = Readonly<Record<string, z.ZodType>>;
/** Its keys as the schema has read them. */
type Given<Must extends Shape, May extends Shape> = {
  readonly [Key in keyof Must]: z.output<Must[Key]>;
} & { readonly [Key in keyof May]?: z.output<May[Key]> };

export interface FaultKind<Must extends Shape = Shape, May extends Shape = Shape> {
  readonly name: string;
  /** What it does: the text of `selvage explain`. */
  readonly effect: string;
  /** Keys that it needs, and others that it may have, beside those of every fault. */
  readonly must: Must;
  readonly may: May;
  /** Keys of every fault that it cannot do without. */
  readonly mustBe?: readonly 'for'[];
  /** What it hits once, however many of its ports are selected. */
  readonly hits: 'port' | 'link' | 'switch';
  /** What a port must have for it to have an effect there. */
  readonly needs?: string;
  /** It takes a carrier away: switches need other routes. */
  readonly breaksLinks?: true;
  /** It configures devices: what is injected later needs to know. */
  readonly configures?: true;
  /** It is there before the run begins: none can be injected. */
  readonly beforeRun?: true;
  /** Ports that it names itself; absent: those of `where`. */
  portsOf?(given: Given<Must, May>): readonly string[];
  /** Throws where its keys contradict each other. */
  check?(given: Given<Must, May>, written: Written): void;
  /** Puts its effects; false if it has none at this port. */
  place(at: FaultPort, given: Given<Must, May>): boolean;
  /** A link with it, or a device, on the map. */
  readonly look: FaultLook;
  /** How the page of a run injects it; absent: it does not. */
  readonly form?: FaultForm;
}

/** The fault in its file. */
export interface Written {
  has(key: string): boolean;
  /** An error at the fault, or at the value of a key. */
  error(message: string, key?: string): Error;
  /** At a key that should not be there. */
  errorAtKey(key: string, message: string): Error;
}

/** Both ends of a link. */
interface FaultEnds {
  put(effect: FaultEffect): void;
  putAtPeer(effect: FaultEffect): void;
}

/** A selected port of the assembled fabric. */
export interface FaultPort extends FaultEnds {
  readonly device: DeviceSpec;
  /** Its place among devices, and that of the port in it. */
  readonly number: number;
  readonly port: PortSpec;
  readonly peer: PortSpec;
  /** All ports of the device; what is put there comes at one time. */
  readonly ports: readonly FaultEnds[];
  readonly times: Omit<FaultTimes, 'stream'>;
  /** The scenario has a `duration`. */
  readonly hasDuration: boolean;
  readonly injector: Injector;
  /** Its number at the device, from 1. */
  readonly portNumber: number;
  /** The link of the port is this from now on. */
  setLink(setting: LinkSetting): void;
  /** The buffer of the device is configured so from now on; false: it has no pools. */
  setBuffer(edit: BufferEdit): boolean;
  /** A host by its name, which a key has. */
  host(key: string, name: string): number;
  error(message: string, key?: string): Error;
}

export function faultKind<Must extends Shape, May extends Shape>(
  kind: FaultKind<Must, May>,
): FaultKind<Must, May> {
  return kind;
}

/** One bit each; all where none is named. */
export function priorityMask(priority: number | readonly number[] | undefined): number {
  if (priority === undefined) return ALL_PRIORITIES;
  const all = typeof priority === 'number' ? [priority] : priority;
  return all.reduce((mask, p) => mask | (1 << p), 0);
}
