/** A scenario that uses every section of the language. */

export const WHOLE = `selvage: 1
name: whole
description: every section
seed: 1
duration: 500us
fabric:
  generator: leaf-spine
  leaves: 4
  hostsPerLeaf: 8
  oversubscription: 2
  hostLink: { rate: 100G, length: 5m, interfaceDelay: 0ns }
  fabricLink: { rate: 100G, delay: 250ns }
  devices: [{ name: hx, kind: host }, { name: sx, kind: switch, tier: leaf }]
  links: [{ between: [hx, 'sx:p5'], rate: 100G, length: 2m }]
hosts: { arbiter: strict }
switches:
  pipeline: 500ns
  forwarding: routed
  buffer: { size: 32MB, cell: 208, egressReserved: 1KB, egressAlpha: 0.5 }
devices:
  'leaf*': { buffer: { size: 16MB }, priorities: { 3: { xoff: 64KB } } }
  h3: { mac: 02:00:00:00:00:03, ipv4: 10.0.0.3, ipv6: '2001:db8::3' }
  leaf1: { forwarding: bridged, ports: { 1: { native: 10 }, 2: { tagged: [10, 20] } } }
priorities:
  3: { flowControl: pfc, quanta: 65535, ecn: { min: 100KB, max: 400KB, probability: 20% } }
  4: pfc
  5: { ecn: { step: 80KB, at: enqueue } }
classes: { arbiter: { ets: { 0: 30%, 3: 70%, 7: strict } } }
groups: { g1: [h1, h2, h3] }
load:
  - { name: big, incast: { from: 'h2..h9', to: h1 }, bytes: 1MB, priority: 3 }
  - { stream: { from: h1, to: g1 }, rate: 40G, arrivals: poisson, vlan: { inner: 10 } }
  - { permutation: { hosts: all, shift: 8 }, rate: 90% }
  - { all-to-all: { hosts: 'h*' }, bytes: 64KB, transport: { reliable: { mtu: 4096 } } }
  - { all-reduce: { hosts: all, algorithm: ring, chunks: 4 }, bytes: 8MB }
  - { random: { hosts: all, sizes: web-search, load: 60% } }
  - { replay: trace.csv }
observe: { series: 10us, ports: ['leaf1:*'] }
expect:
  - { metric: drops, max: 0 }
  - { metric: completion.p99, load: big, max: 900us }
`;
