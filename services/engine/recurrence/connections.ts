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
  const byReceiver = new Map<string, number>();
  const bySender = new Map<string, number>();
  for (const { spec, rows: own } of engine.devices) {
    if (spec.kind !== 'host') continue;
    spec.sends.forEach(({ frameClass, target, remote }, c) => {
      const isGroup = (frameClass & GROUP_FLAG) !== 0;
      byReceiver.set(`${isGroup}/${target}/${remote}`, own.send.first + c);
      bySender.set(`${spec.position}/${c}`, own.send.first + c);
    });
  }
  const at = (map: Map<string, number>, key: string): number => map.get(key) ?? NO_CONNECTION;
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
      const connection = at(bySender, `${source}/${sourceConnection}`);
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
    if (isAnswer(frameClass)) return at(bySender, `${target}/${connection}`);
    return at(byReceiver, `${(frameClass & GROUP_FLAG) !== 0}/${target}/${connection}`);
  }

  return {
    count: rows.send.length,
    of: (unit) => (unit in rows ? rows[unit as keyof typeof rows] : null),
    ofFrame,
  };
}
