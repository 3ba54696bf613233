import type { FabricContext, LinkContext, MechanismPlan } from '../fabric-context.js';
import type { TrimKey, Trimming } from './settings.js';
import type { TrimSpec, TrimSwitchSpec } from './spec.js';
import { DSCP_PER_PRIORITY } from '../../engine/wire/ipv4.js';

type Context = FabricContext<unknown, TrimKey>;
type Device = Context['devices'][number];

/** Which frames switches trim. */
export class TrimPlan implements MechanismPlan<TrimSwitchSpec, never> {
  constructor(private readonly context: Context) {}

  ofSwitch(device: number): TrimSwitchSpec | null {
    const { devices, hostCount } = this.context;
    const own = devices[device];
    if (own.priorities.every(({ key }) => key === 'off')) return null;
    return {
      priorities: own.priorities.map(({ key }) => (key === 'off' ? null : specOf(key))),
      isLastHop: own.links.map(({ peerDevice }, port) => {
        for (const { priority, key, path } of own.priorities) {
          if (key !== 'off') this.check(own, own.links[port], priority, key, [...path, 'trim']);
        }
        return peerDevice < hostCount;
      }),
    };
  }

  /** Throws where nothing may be dropped, or a trimmed frame would wait behind whole ones. */
  private check(
    { name, hasOwnMemory }: Device,
    link: LinkContext,
    priority: number,
    { priority: into }: Trimming,
    path: Parameters<Context['fail']>[0],
  ): void {
    const { fail, transmit } = this.context;
    if (hasOwnMemory || link.nativeVlan !== null) {
      const what = hasOwnMemory ? 'a switch with memory of its own' : 'a bridge';
      throw fail(path, `${name} is ${what}; switches that route, with a shared buffer, trim`);
    }
    for (const own of [priority, into]) {
      const { flowControl } = link;
      if (flowControl[own] === 'none') continue;
      const message =
        `priority ${own} is lossless at ${link.name} (${flowControl[own]}), so nothing of it is ` +
        `trimmed; set flowControl: none on priorities ${priority} and ${into}, or leave trim out`;
      throw fail(path, message);
    }
    if (transmit[priority] !== transmit[into]) return;
    const message =
      `trimmed frames would wait behind those of priority ${priority}, in the traffic class ` +
      `${transmit[into]} of both; give trim another priority`;
    throw fail([...path, 'priority'], message);
  }
}

function specOf({ size, priority, queue, limit, ...written }: Trimming): TrimSpec {
  const { dscp = priority * DSCP_PER_PRIORITY } = written;
  const { lastHopDscp = Math.min(dscp + 1, 63) } = written;
  const lengths = { queueOctets: queue ?? Infinity, limitOctets: limit ?? Infinity };
  return { octets: size, priority, dscp, lastHopDscp, ...lengths };
}
