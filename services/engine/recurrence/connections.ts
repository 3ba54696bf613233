import { trackRows } from '../contract/transport.js';
import type { Engine } from '../device/engine.js';
import {
  CLASS,
  CONNECTION,
  GROUP_FLAG,
  isAnswer,
  KIND_MASK,
  KIND_NOTICE,
  TARGET,
} from '../frame/frame-pool.js';
import type { Unit } from '../kernel/tables.js';
import type { FrameRef } from '../units/indices.js';

/** A packet number of no connection that is known here. */
const NO_CONNECTION = -1;

/**
 * Which connection a packet number belongs to, named by the row of its sending end: numbers of one
 * connection move together, wherever they are.
 */
export interface Connections {
  readonly count: number;
  /** By row of a unit; null where rows belong to no connection. */
  of(unit: Unit): Int32Array | null;
  ofFrame(frame: FrameRef): number;
}

export function makeConnections(engine: Engine): Connections {
  const { tables, pool } = engine.shared;
  const rows = {
    send: Int32Array.from({ length: tables.count('send') }, (_, row) => row),
    receive: new Int32Array(tables.count('receive')).fill(NO_CONNECTION),
    rate: new Int32Array(tables.count('rate')).fill(NO_CONNECTION),
    transport: new Int32Array(tables.count('transport')).fill(NO_CONNECTION),
  };
  /** By where packets go, and by where answers go. */
  const byReceiver = new Map<number, number>();
  const bySender = new Map<number, number>();
  for (const { spec, rows: own } of engine.devices) {
    if (spec.kind !== 'host') continue;
    spec.sends.forEach(({ frameClass, target, remote }, c) => {
      const isGroup = (frameClass & GROUP_FLAG) !== 0;
      byReceiver.set(keyOf(target, remote, isGroup), own.send.first + c);
      bySender.set(keyOf(spec.position, c, false), own.send.first + c);
    });
  }
  const at = (map: Map<number, number>, key: number): number => map.get(key) ?? NO_CONNECTION;
  for (const { spec, rows: own } of engine.devices) {
    if (spec.kind !== 'host') continue;
    let rate = own.rate.first;
    let transport = own.transport.first;
    spec.sends.forEach((send, c) => {
      if (send.rate !== null) rows.rate[rate++] = own.send.first + c;
      const tracked = trackRows(send.transport, 'sending').rows;
      if (tracked > 0) rows.transport[transport] = own.send.first + c;
      transport += tracked;
    });
    spec.receives.forEach(({ source, sourceConnection, transport: kind }, c) => {
      const connection = at(bySender, keyOf(source, sourceConnection, false));
      rows.receive[own.receive.first + c] = connection;
      const tracked = trackRows(kind, 'receiving').rows;
      if (tracked > 0) rows.transport[transport] = connection;
      transport += tracked;
    });
  }

  function ofFrame(frame: FrameRef): number {
    const { words, ends } = pool;
    const frameClass = words[frame + CLASS];
    if ((frameClass & KIND_MASK) === KIND_NOTICE) return NO_CONNECTION;
    const [target, connection] = [words[frame + TARGET], ends[frame + CONNECTION]];
    if (isAnswer(frameClass)) return at(bySender, keyOf(target, connection, false));
    return at(byReceiver, keyOf(target, connection, (frameClass & GROUP_FLAG) !== 0));
  }

  return {
    count: rows.send.length,
    of: (unit) => (unit in rows ? rows[unit as keyof typeof rows] : null),
    ofFrame,
  };
}

/** A whole number for a connection at a device, or of a group: both are less than 2^26. */
function keyOf(device: number, connection: number, isGroup: boolean): number {
  return (device * 2 ** 26 + connection) * 2 + (isGroup ? 1 : 0);
}
