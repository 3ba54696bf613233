import type { PausingSpec, PauseWatchdogs, PauseWatchdogSpec } from '../../engine/contract/spec.js';
import { wholePortPausing, type PauseTimes } from '../../engine/contract/pausing.js';
import { PRIORITY_NUMBERS } from '../../engine/units/ethernet.js';
import type { FabricContext, LinkContext, MechanismPlan } from '../fabric-context.js';
import type { PausingSettings } from '../pausing-settings.js';
import { watchdogOf } from '../pausing-settings.js';
import { assert } from '../../engine/kernel/assert.js';

/** Keys of control frames and their refresh are the same for all priorities of a device. */
const SHARED_KEYS = ['quanta', 'refresh', 'responseDelay'] as const;

/** PAUSE of the ports that have it. */
export class PausePlan implements MechanismPlan {
  private readonly known = new Map<PausingSettings, PausingSpec>();

  constructor(private readonly context: FabricContext) {}

  ofSwitch(): null {
    return null;
  }

  pausing(device: number, port: number): PausingSpec | null {
    const { portPausing } = this.context.devices[device].links[port];
    if (portPausing === null) return null;
    const spec = this.known.get(portPausing) ?? wholePortPausing(timesOf(portPausing));
    this.known.set(portPausing, spec);
    return spec;
  }
}

/** Of ports with the same settings, by the priorities that they pause. */
type ByPriorities = Map<number, PausingSpec | null>;

/** What the ports of a fabric are given, where priorities have PFC. */
export class PfcPlan implements MechanismPlan {
  /** By device. */
  private readonly known: Map<LinkContext['priorities'], ByPriorities>[];

  constructor(private readonly context: FabricContext) {
    this.known = context.devices.map(() => new Map<LinkContext['priorities'], ByPriorities>());
  }

  ofSwitch(): null {
    return null;
  }

  pausing(device: number, port: number): PausingSpec | null {
    const link = this.context.devices[device].links[port];
    const { pausable, priorities, groupOf, peerDevice, peerPort } = link;
    const alike = this.known[device].get(priorities) ?? (new Map() as ByPriorities);
    this.known[device].set(priorities, alike);
    const known = alike.get(pausable);
    const spec = known === undefined ? this.specOf(device, port) : known;
    alike.set(pausable, spec);
    const defying = spec && defyingGroups(this.watchesAt(peerDevice, peerPort), groupOf);
    return spec && defying ? { ...spec, partnerWatchdog: defying } : spec;
  }

  private specOf(device: number, port: number): PausingSpec | null {
    const { pausable, priorities, name } = this.context.devices[device].links[port];
    const [first, ...others] = PRIORITY_NUMBERS.filter((priority) => has(pausable, priority));
    if (first === undefined) return null;
    const { pausing } = priorities[first];
    for (const other of others) {
      const { pausing: own, path } = priorities[other];
      const differing = SHARED_KEYS.find((key) => own[key] !== pausing[key]);
      if (differing === undefined) continue;
      throw this.context.fail(
        path,
        `priorities ${first} and ${other} of ${name} differ in ` +
          `${differing}; it is the same for all that have pfc`,
      );
    }
    const watches = this.watchesAt(device, port);
    const isWatched = watches?.some((watch, p) => watch !== null && has(pausable, p)) === true;
    return {
      ...{ mechanism: 'pfc', priorities: pausable, wholePort: false },
      ...timesOf(pausing),
      ...{ watchdog: isWatched ? watches : null, partnerWatchdog: null },
    };
  }

  /** By priority; null where a device has no watchdog. Hosts have none. */
  private watchesAt(device: number, port: number): PauseWatchdogs | null {
    const { hostCount, devices, fail } = this.context;
    if (device < hostCount) return null;
    const watches = devices[device].links[port].priorities.map(({ path, watchdog }) => {
      const spec = watchdogOf(watchdog);
      const wrong = spec && tooRarelyPolled(spec);
      if (wrong !== null) throw fail([...path, 'watchdog', 'poll'], wrong);
      return spec;
    });
    return watches.some((watch) => watch !== null) ? watches : null;
  }
}

function timesOf({ quanta, refresh, responseDelay }: PausingSettings): PauseTimes {
  assert(quanta > 0 && quanta <= 0xffff, 'pfc.planned-quanta');
  assert(refresh > 0 && responseDelay >= 0, 'pfc.planned-refresh');
  return { quanta, refreshFraction: refresh, responseDelayPs: responseDelay };
}

function has(priorities: number, priority: number): boolean {
  return (priorities & (1 << priority)) !== 0;
}

/** As SONiC refuses it: a time that no two polls are within cannot be told. */
function tooRarelyPolled({ polled, ...times }: PauseWatchdogSpec): string | null {
  if (polled === null) return null;
  const leastPs = Math.min(times.detectionPs, times.restorationPs);
  if (polled.pollPs <= leastPs) return null;
  const [poll, least] = [polled.pollPs, leastPs].map((ps) => `${ps / 1e6}us`);
  return `polled every ${poll}, a watchdog cannot tell ${least}: poll as often as that, or more`;
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
  const polled = a.polled ?? b.polled;
  const restorationPs = Math.max(a.restorationPs, b.restorationPs);
  return { ...a, polled, detectionPs, restorationPs };
}
