/** A leaf-spine of one spine, as a part of a scenario. */
export function fabricIn(leaves: number, hosts: number): object {
  const hostLink = { rate: '100G', length: '5m' };
  const fabricLink = { rate: '100G', length: '50m' };
  const size = { leaves, hostsPerLeaf: hosts, oversubscription: hosts };
  return { fabric: { generator: 'leaf-spine', ...size, hostLink, fabricLink } };
}
