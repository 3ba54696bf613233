import type { DeviceState } from '../engine/device/checkpoint.js';
import { restoreDevice, saveDevice } from '../engine/device/checkpoint.js';
import type { Plain } from '../engine/kernel/snapshot.js';
import { denseOf, type SparseNumbers, sparseOf } from '../engine/kernel/sparse-numbers.js';
import type { SavedRows } from '../engine/kernel/tables.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import { NIC } from '../mechanisms/registry.js';
import { wholeEngine } from './whole-engine.js';
import type { WholeState } from './whole-state.js';

type Numbers = Float64Array | Int32Array | Uint8Array;
type Bag = Readonly<Record<string, Plain>>;

/**
 * A state of one fabric, adapted to another with the same devices and flows that is configured
 * otherwise. Configuration and state are in the same tables; what differs between the two fabrics
 * before any event is configuration, and is taken from the new one.
 */
export function rebase(whole: WholeState, before: Fabric, after: Fabric, atPs: number): WholeState {
  const old = untouched(before);
  const changed = untouched(after);
  const devices = whole.devices.map((state, d): DeviceState => {
    const rows = mergeRows(state.rows, old[d]!.rows, changed[d]!.rows);
    const senders = merge(state.senders, old[d]!.senders, changed[d]!.senders);
    return { ...state, rows, senders };
  });
  return { ...whole, devices: withRegisters(devices, before, after, atPs) };
}

/** Registers of NICs are stored beside those tables; those that differ are written now. */
function withRegisters(
  devices: readonly DeviceState[],
  before: Fabric,
  after: Fabric,
  atPs: number,
): readonly DeviceState[] {
  const engine = wholeEngine(after);
  engine.clock.now = atPs;
  return devices.map((state, d) => {
    const [a, b] = [before.specs[d]!, after.specs[d]!];
    if (a.kind !== 'host' || b.kind !== 'host' || a.nic === null || b.nic === null) return state;
    const changes = NIC?.registerChanges(a.nic, b.nic) ?? [];
    if (changes.length === 0) return state;
    restoreDevice(engine, d, state);
    for (const change of changes) engine.hosting.writeRegister(d, change);
    return saveDevice(engine, d);
  });
}

function untouched(fabric: Fabric): DeviceState[] {
  const engine = wholeEngine(fabric);
  return engine.devices.map((_, d) => saveDevice(engine, d));
}

function merge(state: Plain, old: Plain, changed: Plain): Plain {
  if (ArrayBuffer.isView(state)) {
    return mergeNumbers(state as Numbers, old as Numbers, changed as Numbers);
  }
  if (Array.isArray(state)) {
    const items = state as readonly Plain[];
    return items.map((item, i) => merge(item, (old as Plain[])[i]!, (changed as Plain[])[i]!));
  }
  if (typeof state === 'object' && state !== null) {
    const entries = Object.entries(state as Bag);
    return Object.fromEntries(
      entries.map(([key, value]) => [
        key,
        merge(value, (old as Bag)[key]!, (changed as Bag)[key]!),
      ]),
    );
  }
  return Object.is(old, changed) ? state : changed;
}

function mergeRows(state: SavedRows, old: SavedRows, changed: SavedRows): SavedRows {
  const merged = <Kind extends Numbers>(of: (rows: SavedRows) => SparseNumbers<Kind>) =>
    sparseOf(mergeNumbers(denseOf(of(state)), denseOf(of(old)), denseOf(of(changed))));
  return {
    words: merged(({ words }) => words),
    doubles: merged(({ doubles }) => doubles),
    octets: merged(({ octets }) => octets),
  };
}

function mergeNumbers<Kind extends Numbers>(state: Kind, old: Kind, changed: Kind): Kind {
  return state.map((value, i) => (Object.is(old[i], changed[i]) ? value : changed[i]!)) as Kind;
}
