/** 82599s with two ports: two hosts, each with a port, whose frames share one PCIe link. */

import type { Nic82599Section } from './section.js';
import type { Cabling, Fail, NicPart } from '../nic-context.js';

type NicOf = (device: number) => Nic82599Section | null;

/** The part that a port with a link of this rate belongs to. */
export function partOf(
  section: Nic82599Section,
  linkBps: number,
  cabling: Cabling,
  nicOf: NicOf,
): NicPart<Nic82599Section> {
  if (section.secondPortOf === null) return { section, linkBps };
  const first = cabling.devices.findIndex(({ name }) => name === section.secondPortOf);
  return { section: nicOf(first)!, linkBps: linkOf(first, cabling)!.rateBps };
}

/** Hosts whose ports are on one part: the first and the second port. */
export function portPairs(
  cabling: Cabling,
  nicOf: NicOf,
  fail: Fail,
): (readonly [number, number])[] {
  const seconds = new Map<number, number>();
  cabling.devices.forEach(({ kind }, second) => {
    const nic = nicOf(second);
    if (kind !== 'host' || typeof nic?.secondPortOf !== 'string') return;
    const first = cabling.devices.findIndex(({ name }) => name === nic.secondPortOf);
    const other = seconds.get(first);
    const taken =
      other === undefined
        ? null
        : `${nic.secondPortOf} has a second port already: ${cabling.devices[other].name}`;
    const message = problemOf(nic, first, second, cabling, nicOf) ?? taken;
    if (message !== null) throw fail([...nic.path, 'secondPortOf'], message);
    seconds.set(first, second);
  });
  return Array.from(seconds);
}

function problemOf(
  { secondPortOf, pcie }: Nic82599Section,
  first: number,
  second: number,
  cabling: Cabling,
  nicOf: NicOf,
): string | null {
  const name = secondPortOf!;
  if (cabling.devices[first]?.kind !== 'host') return `no host is called ${name}`;
  if (first === second) return `${name} is this port itself; write the host with the first port`;
  const nic = nicOf(first);
  if (nic === null) return `${name} has a plain NIC; give it model: 82599`;
  if (nic.secondPortOf !== null) return `${name} is a second port itself; a part has two`;
  if (linkOf(first, cabling) === undefined) return `${name} has no link`;
  const { rateBps, latencyPs, reads } = nic.pcie;
  const isSame =
    (pcie.rateBps ?? rateBps) === rateBps &&
    (pcie.latencyPs ?? latencyPs) === latencyPs &&
    (pcie.reads ?? reads) === reads;
  return isSame ? null : `both ports have the PCIe link of ${name}; leave pcie out here`;
}

function linkOf(device: number, { links }: Cabling): Cabling['links'][number] | undefined {
  return links.find(({ a, b }) => a.device === device || b.device === device);
}
