/** A fat tree with an incast and a permutation, observed in all ways. */
export function fatTreeScenario(k: number): string {
  const hosts = k ** 3 / 4;
  const senders = Math.min(64, (3 * hosts) / 4);
  return `selvage: 1
name: fat-tree-${k}
duration: 150us
fabric: { generator: fat-tree, k: ${k}, link: { rate: 100G, delay: 200ns } }
switches: { buffer: { size: 4MB } }
priorities: { 3: { flowControl: pfc, xoff: 60KB, xonGap: 10KB } }
load:
  - name: incast
    incast: { from: [h${hosts - senders + 1}..h${hosts}], to: h1 }
    bytes: 60KB
    priority: 3
    transport: reliable
  - name: shift
    permutation: { hosts: all, shift: ${hosts / 4} }
    bytes: 60KB
    priority: 3
    transport: reliable
observe: { series: 1us, episodes: true, traces: { share: 0.5%, slowest: 300 } }
`;
}
