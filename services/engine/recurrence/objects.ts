import type { Kind, StateKinds } from '../kernel/kinds.js';
import { unknown } from '../kernel/kinds.js';

/** Something with numbers in it: an array, or an object with properties. */
export type Holder = Record<number | string, number>;

/** Is shown numbers one by one, in an order that depends on nothing but the shape of the state. */
export interface Visitor {
  /** A number in its place; `connection`: whose packet numbers it is one of. */
  cell(holder: Holder, key: number | string, kind: Kind, name: string, connection: number): void;
  /** A number that decides what happens. */
  shape(value: number, name: string): void;
}

/** Of a property that nobody has declared: as one that nobody has thought about. */
export const UNDECLARED = unknown(NaN);

/** Properties that are kinds, or have them. */
type Own = Record<string, unknown>;

/**
 * Shows the numbers of an object as a checkpoint has them: plain data, and objects of classes that
 * say what kinds their properties are.
 */
export function showObject(
  object: object,
  kinds: StateKinds | Kind | undefined,
  name: string,
  to: Visitor,
): void {
  const declared = (object.constructor as { readonly kinds?: StateKinds | Kind }).kinds;
  const own = declared ?? kinds;
  if (ArrayBuffer.isView(object) || Array.isArray(object)) {
    showList(object as unknown as Own, own, name, to);
    return;
  }
  for (const key of Object.keys(object)) {
    const kind = isKind(own) ? own : own?.[key];
    show(object as Own, key, kind, `${name}.${key}`, to);
  }
}

function showList(list: Own, kind: StateKinds | Kind | undefined, name: string, to: Visitor): void {
  if (isKind(kind) && kind.is === 'derived') return;
  const length = list['length'] as number;
  to.shape(length, `${name}.length`);
  for (let i = 0; i < length; i++) show(list, i, kind, name, to);
}

function show(
  owner: Own,
  key: number | string,
  kind: StateKinds | Kind | undefined,
  name: string,
  to: Visitor,
): void {
  const value = owner[key];
  if (isKind(kind) && kind.is === 'derived') return;
  switch (typeof value) {
    case 'number':
      to.cell(owner as Holder, key, isKind(kind) ? kind : UNDECLARED, name, -1);
      return;
    case 'string':
      to.shape(value.length, name);
      for (let i = 0; i < value.length; i++) to.shape(value.charCodeAt(i), name);
      return;
    case 'object':
      if (value === null) to.shape(NaN, name);
      else showObject(value, kind, name, to);
      return;
    default:
      to.shape(value === true ? 1 : 0, name);
  }
}

function isKind(kinds: StateKinds | Kind | undefined): kinds is Kind {
  return kinds !== undefined && typeof (kinds as Kind).is === 'string';
}
