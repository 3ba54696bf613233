import { dgram } from './dgram/dgram.js';
import type { EndpointKind } from './endpoint.js';
import { stream } from './stream/stream.js';
import { vxlan } from './vxlan/vxlan.js';

/** In the order in which they are documented. Each is given the settings that it has parsed. */
export const ENDPOINTS: readonly EndpointKind<object>[] = [vxlan, stream, dgram];

export function endpointKind(kind: string): EndpointKind<object> {
  const own = ENDPOINTS.find((known) => known.kind === kind);
  if (own === undefined) throw new Error(`no endpoint is called ${kind}`);
  return own;
}
