/** `live` of the file -> its hosts with one endpoint each, none of which is there twice. */

import { type EndpointSection, EndpointError } from '../../endpoints/endpoint.js';
import { endpointKind, ENDPOINTS } from '../../endpoints/registry.js';
import { listed } from '../../settings/errors.js';
import type { Path } from '../../settings/source-tree.js';
import type { LiveHostSection, LiveInputs, LiveSection } from '../live/live-section.js';
import type { Located } from './located.js';
import type { LiveInput } from './schema-live.js';

/** Null: every host is emulated. */
export function liveSection(input: LiveInput | undefined, located: Located): LiveSection | null {
  if (input === undefined) return null;
  const { scale, timing, late: latePs, inputs } = input;
  const owners = new Map<string, string>();
  const hosts = Object.entries(input.hosts).map(([name, host]): LiveHostSection => {
    const path = ['live', 'hosts', name];
    const endpoint = endpointOf(host, path, located);
    takePlace(endpoint, name, path, owners, located);
    const { mode, mtu: mtuOctets, queue: mostOctets, priority, checksums } = host;
    return {
      ...{ name, endpoint, mtuOctets, mostOctets },
      isWire: mode === 'wire',
      priority: priority === 'dscp' ? null : priority,
      completes: checksums === 'complete',
    };
  });
  return { scale, timing, latePs, hosts, inputs: inputsOf(inputs, located) };
}

function inputsOf(inputs: LiveInput['inputs'], located: Located): LiveInputs | null {
  if (inputs === undefined) return null;
  if (typeof inputs === 'string') return located.fileAt(['live', 'inputs'], inputs);
  return inputs.map(({ host, at: atPs, octets }) => {
    return { host, atPs, octets: Uint8Array.from(Buffer.from(octets, 'hex')) };
  });
}

function endpointOf(host: object, path: Path, located: Located): EndpointSection {
  const given = ENDPOINTS.flatMap(({ kind }) => {
    const settings = (host as Readonly<Record<string, object | undefined>>)[kind];
    return settings === undefined ? [] : [{ kind, settings }];
  });
  const [endpoint, rival] = given;
  if (endpoint !== undefined && rival === undefined) return endpoint;
  const all = listed(ENDPOINTS.map(({ kind }) => kind));
  const what =
    endpoint === undefined ? 'no endpoint' : `both ${listed(given.map(({ kind }) => kind))}`;
  throw located.errorAt(path, `${what}; one of ${all}, such as vxlan: { vni: 101 }`);
}

/** No two live ports can be told apart that have one place. */
function takePlace(
  { kind, settings }: EndpointSection,
  name: string,
  path: Path,
  owners: Map<string, string>,
  located: Located,
): void {
  try {
    const place = endpointKind(kind).place(settings);
    const owner = owners.get(`${kind} ${place.name}`);
    if (owner !== undefined) {
      const message = `${place.name} is that of ${owner}: give each live host its own`;
      throw located.errorAt([...path, kind, place.key], message);
    }
    owners.set(`${kind} ${place.name}`, name);
  } catch (error) {
    if (!(error instanceof EndpointError)) throw error;
    throw located.errorAt([...path, kind], error.message);
  }
}
