import { GRANTS, type GrantMargin, type GrantPlan } from '../../mechanisms/registry.js';
import type { PlacedSize } from '../sizing/placed-size.js';
import { hostCount } from '../topology/topology.js';
import type { AssemblyInput } from './assembly.js';
import type { LinkEnd } from './link-ends.js';
import type { Settings } from './settings.js';
import { placeOfGrants } from './settings.js';

/** Native VLAN by default (802.1Q 9.6). */
const DEFAULT_VLAN = 1;

/** What ports grant, where the ends of a link come to an exchange of grants. */
export function grantPlan(
  { scenario, topology, fail, warn }: AssemblyInput,
  settings: readonly Settings[],
  linkEnds: readonly (readonly LinkEnd[])[],
  frameLengths: readonly (readonly number[])[],
): GrantPlan {
  const hosts = hostCount(topology);
  return GRANTS.plan({
    section: scenario.grants,
    ends: settings.map(({ grants }) => grants),
    linkEnds,
    frameLengths,
    pipelinePs: (device) => (device < hosts ? 0 : settings[device]!.switch.pipelinePs),
    nativesOf: (device) => {
      const { forwarding, ports } = settings[device]!.switch;
      if (device < hosts || forwarding !== 'bridged') return [];
      return linkEnds[device]!.map(
        ({ port }) => ports.find((own) => own.port === port + 1)?.native ?? DEFAULT_VLAN,
      );
    },
    placeOf: (device, key, name) => placeOfGrants(settings[device]!, key, name),
    fail,
    warn,
  });
}

/** Buffer reserved for what a port grants. */
export function grantSize(margin: GrantMargin, { octetPs }: LinkEnd): PlacedSize {
  const { port, priority, ...size } = GRANTS.sizeOf(margin, octetPs);
  const { device } = margin;
  return { device, port, kind: GRANTS.name, priorities: [priority], annexNOctets: null, ...size };
}
