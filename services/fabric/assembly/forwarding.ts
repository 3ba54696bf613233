import type { FailoverSpec, SwitchSpec, VlanPortSpec } from '../../engine/contract/spec.js';
import { findLoop, findLoopThrough } from '../routing/find-loop.js';
import type { Routes } from '../routing/routes.js';
import type { Fail } from '../topology/cabling.js';
import type { Topology } from '../topology/topology.js';
import { BY_FLOW } from '../scenario/equal-cost.js';
import type { Scenario } from '../scenario/scenario.js';
import type { Settings } from './settings.js';
import { placeOf } from './settings.js';
import type { LinkEnd } from './link-ends.js';

/** Of a port without settings (802.1Q 9.6: the default VID). */
const DEFAULT_PORT: VlanPortSpec = { native: 1, tagged: [] };

/** By device and port; null for those that do not change tags. */
export function bridgePorts(
  topology: Topology,
  settings: readonly Settings[],
  linkEnds: readonly (readonly LinkEnd[])[],
  fail: Fail,
): (readonly VlanPortSpec[] | null)[] {
  const bridges = topology.devices.map((device, index) =>
    device.kind === 'switch' && settings[index]!.switch.forwarding === 'bridged'
      ? vlanPorts(device.name, settings[index]!, linkEnds[index]!.length, fail)
      : null,
  );
  const loop = findLoop(
    topology,
    [...bridges.keys()].filter((index) => bridges[index] !== null),
  );
  if (loop !== null) {
    const around = [...loop, loop[0]!].join(' - ');
    const message = `bridges in a loop (${around}): what they flood would go round for ever`;
    throw fail(['switches', 'forwarding'], message);
  }
  bridges.forEach((ports, device) => {
    const through = ports === null ? null : findLoopThrough(topology, device);
    if (through === null) return;
    const { name } = topology.devices[device]!;
    const around = [...through, name].join(' - ');
    const place = placeOf(settings[device]!, (c) => c.switch.forwarding !== undefined, [
      'forwarding',
    ]);
    throw fail(
      place,
      `bridged switch ${name} is on a loop (${around}): what it floods would arrive twice; ` +
        'make it routed, or leave one of these links out',
    );
  });
  return bridges;
}

interface ForwardingTerms {
  readonly scenario: Pick<Scenario, 'switchPlugins'>;
  readonly linkEnds: readonly (readonly LinkEnd[])[];
  readonly bridges: readonly (readonly VlanPortSpec[] | null)[];
  readonly settings: readonly Settings[];
  readonly routes: Routes;
  readonly trees: readonly (readonly (readonly number[])[])[];
}

export function forwardingOf(
  { linkEnds, bridges, settings, routes, trees, scenario }: ForwardingTerms,
  device: number,
): SwitchSpec['forwarding'] {
  const { ecmp, ageingPs } = settings[device]!.switch;
  const { switchPlugins } = scenario;
  const ports = bridges[device] ?? null;
  const { hosts } = routes.adjacency;
  if (ports !== null) return { kind: 'bridged', vlans: ports, ageingPs, hosts };
  const groupPorts = trees.map((tree) => tree[device - hosts] ?? []);
  const { setOfHost, sets } = routes.of(device);
  const isToBridge = ({ peerDevice }: LinkEnd): boolean => (bridges[peerDevice] ?? null) !== null;
  const toBridges = linkEnds[device]!.flatMap((end) => (isToBridge(end) ? end.port : []));
  return {
    kind: 'routed',
    routes: { setOfHost, sets, groupPorts, toBridges },
    balancing:
      ecmp.name === BY_FLOW
        ? null
        : { name: ecmp.name, settings: switchPlugins[ecmp.name] ?? ecmp.settings },
  };
}

/** Null for a switch without failover. */
export function failoverOf({ failover }: Settings['switch'], routes: Routes): FailoverSpec | null {
  const { enabled, detectionPs, reconvergencePs, queued } = failover;
  if (!enabled) return null;
  return { detectionPs, reconvergencePs, moves: queued === 'move', adjacency: routes.adjacency };
}

function vlanPorts(name: string, settings: Settings, count: number, fail: Fail): VlanPortSpec[] {
  const ports = new Array<VlanPortSpec>(count).fill(DEFAULT_PORT);
  for (const { port, native, tagged } of settings.switch.ports) {
    if (port > count) {
      const place = placeOf(settings, (change) => change.switch.ports !== undefined, [
        'ports',
        String(port),
      ]);
      throw fail(place, `there is no port ${name}:p${port}; it has ${count} ports`);
    }
    ports[port - 1] = { native, tagged };
  }
  return ports;
}
