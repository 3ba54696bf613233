import type { NicHost } from '../../mechanisms/nic-context.js';
import type { Scenario } from '../scenario/scenario.js';
import { classesOf } from './fixed-classes.js';
import { placeOfArbiter, type Settings } from './settings.js';

/** A host as its NIC sees it. */
export function nicHost(
  name: string,
  settings: Settings,
  scenario: Scenario,
  { linkBps, longestFrameOctets }: Pick<NicHost, 'linkBps' | 'longestFrameOctets'>,
): NicHost {
  return {
    name,
    linkBps,
    longestFrameOctets,
    transmit: classesOf(settings, scenario),
    receive: scenario.classes.receive,
    hasPause: scenario.pause.enabled,
    arbiter: settings.host.arbiter,
    arbiterPath: placeOfArbiter(settings),
  };
}
