import type { PausingSpec, PauseWatchdogs, PauseWatchdogSpec } from '../../engine/contract/spec.js';
import { wholePortPausing, type PauseTimes } from '../../engine/contract/pausing.js';
import type { DeviceContext, FabricContext, MechanismPlan } from '../fabric-context.js';
import type { PausingSettings } from '../pausing-settings.js';
import { watchdogOf } from '../pausing-settings.js';
import { assert } from '../../engine/kernel/assert.js';

/** Keys of control frames and their refresh are the same for all priorities of a device. */
const SHARED_KEYS = ['quanta', 'refresh', 'responseDelay'] as const;

/** Where PAUSE is on, every port has it. */
export class PausePlan implements MechanismPlan {
  private readonly spec: PausingSpec | null;

  constructor({ portPausing }: FabricContext) {
    this.spec = portPausing === null ? null : wholePortPausing(timesOf(portPausing));
  }

  ofSwitch(): null {
    return null;
  }

  pausing(): PausingSpec | null {
    return this.spec;
  }
}

/** What the ports of a fabric are given, where priorities have PFC. */
export class PfcPlan implements MechanismPlan {
  /** By device: of links with the same priorities. */
  private readonly byPriorities: Map<number, PausingSpec | null>[];

  constructor(private readonly context: FabricContext) {
    this.byPriorities = context.devices.map(() => new Map<number, PausingSpec | null>());
  }

  ofSwitch(): null {
    return null;
  }

  pausing(device: number, port: number): PausingSpec | null {
    const own = this.context.devices[device];
    const { pausable, peerDevice } = own.links[port];
    const known = this.byPriorities[device].get(pausable);
    const spec = known === undefined ? this.specOf(device, pausable) : known;
    this.byPriorities[device].set(pausable, spec);
    const defying = spec && defyingGroups(this.watchesOf(peerDevice), own.groupOf);
    return spec && defying ? { ...spec, partnerWatchdog: defying } : spec;
  }

  private specOf(device: number, priorities: number): PausingSpec | null {
    if (priorities === 0) return null;
    const own = this.context.devices[device];
    const [first, ...others] = own.priorities.filter(({ priority }) => has(priorities, priority));
    for (const other of others) {
      const differing = SHARED_KEYS.find((key) => other.pausing[key] !== first.pausing[key]);
      if (differing === undefined) continue;
      throw this.context.fail(
        own.placeOfPriority(other.priority),
        `priorities ${first.priority} and ${other.priority} of ${own.name} differ in ` +
          `${differing}; it is the same for all that have pfc`,
      );
    }
    const watches = this.watchesOf(device);
    const isWatched = watches?.some((watch, p) => watch !== null && has(priorities, p)) === true;
    return {
      ...{ mechanism: 'pfc', priorities, wholePort: false },
      ...timesOf(first.pausing),
      ...{ watchdog: isWatched ? watches : null, partnerWatchdog: null },
    };
  }

  /** By priority; null where a device has no watchdog. Hosts have none. */
  private watchesOf(device: number): PauseWatchdogs | null {
    const { hostCount, devices } = this.context;
    return device < hostCount ? null : watchesOfSwitch(devices[device]);
  }
}

function timesOf({ quanta, refresh, responseDelay }: PausingSettings): PauseTimes {
  assert(quanta > 0 && quanta <= 0xffff, 'pfc.planned-quanta');
  assert(refresh > 0 && refresh <= 1 && responseDelay >= 0, 'pfc.planned-refresh');
  return { quanta, refreshFraction: refresh, responseDelayPs: responseDelay };
}

function has(priorities: number, priority: number): boolean {
  return (priorities & (1 << priority)) !== 0;
}

function watchesOfSwitch({ priorities }: DeviceContext): PauseWatchdogs | null {
  const watches = priorities.map(({ watchdog }) => watchdogOf(watchdog));
  return watches.some((watch) => watch !== null) ? watches : null;
}

/** By group: how soon a link partner with these watchdogs may ignore its pauses, and how long. */
function defyingGroups(
  watches: PauseWatchdogs | null,
  groupOf: readonly number[],
): PauseWatchdogs | null {
  const defying = (watches ?? []).map((watch) => (watch?.action === 'forward' ? watch : null));
  if (defying.every((watch) => watch === null)) return null;
  return groupOf.map((_, group) =>
    defying
      .filter((_watch, priority) => groupOf[priority] === group)
      .reduce((a, b) => (a === null || b === null ? (a ?? b) : soonest(a, b)), null),
  );
}

function soonest(a: PauseWatchdogSpec, b: PauseWatchdogSpec): PauseWatchdogSpec {
  const detectionPs = Math.min(a.detectionPs, b.detectionPs);
  return { ...a, detectionPs, restorationPs: Math.max(a.restorationPs, b.restorationPs) };
}
