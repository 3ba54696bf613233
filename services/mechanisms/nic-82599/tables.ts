/** The tables of an 82599, as `selvage inspect` prints them. */

import { addressText, wordText } from '../../engine/nic-82599/register-addresses.js';
import { registerDump } from '../../engine/nic-82599/register-dump.js';
import type { Card, CardFormat } from '../mechanism-slice.js';
import type { ClassRow, Nic82599Result } from './results.js';

type Table = Omit<Card, 'title'>;

/** Of which device, and when. */
export function nicTitle(nic: Nic82599Result, { time }: CardFormat): string {
  const part = nic.secondPortOf === null ? '' : `, second port of the 82599 of ${nic.secondPortOf}`;
  return `${nic.device} (82599 at ${nic.port}${part}) at ${time(nic.timePs)}`;
}

/** Those without rows and lines are not shown. */
export function nicTables(nic: Nic82599Result, format: CardFormat): Card[] {
  return [
    { title: 'T1 virtual machines, credits of 64 bytes', ...vmTable(nic) },
    { title: 'T2 traffic classes, descriptor plane', ...classTable(nic.T2.descriptor) },
    { title: 'T2 traffic classes, packet plane', ...classTable(nic.T2.packet) },
    { title: 'T4 receive buffers', ...classTable(nic.T4) },
    { title: 'Rate scheduling', ...rateTable(nic, format) },
    { title: 'Packet buffers', ...bufferTable(nic, format) },
    { title: 'Receive descriptors', ...ringTable(nic, format) },
    { title: 'Pools', ...poolTable(nic) },
    { title: 'Tags of received frames, in their descriptors', ...tagTable(nic, format) },
    {
      title: 'Switch between virtual machines, by class on transmit',
      ...switchTable(nic, format),
    },
    { title: 'Latency: tail update to wire, wire to descriptor', ...latencyTable(nic, format) },
    { title: 'Posted writes by DCA hint', ...hintTable(nic, format) },
    { title: 'LEDs', ...ledTable(nic, format) },
  ];
}

/** The registers by address, as `ethtool -d` prints them. */
export function registerDumpText({ registers }: Pick<Nic82599Result, 'registers'>): string {
  const rows = registerDump(registers);
  const width = Math.max(...rows.map(({ name }) => name.length));
  return rows
    .map(({ address, selectedBy, name, value, fields }) => {
      const place = address === null ? '       ' : addressText(address);
      const listed = Object.entries(fields).map(([field, own]) => `${field} ${own}`);
      const selected = selectedBy === null ? [] : [`RTTDQSEL ${selectedBy}`];
      const notes = value === 0 ? [] : [...selected, ...listed];
      return `${place}: ${name.padEnd(width)}  ${wordText(value)}  ${notes.join(', ')}`.trimEnd();
    })
    .join('\n');
}

function vmTable({ T1: rows }: Nic82599Result): Table {
  return {
    head: ['queue', 'vm', 'tc', 'refill', 'max', 'credits', 'lowest'],
    rows: rows.map((row) =>
      [row.queue, row.vm, row.tc, row.refill, row.most, row.credit, row.lowest].map(String),
    ),
  };
}

function classTable(rows: readonly ClassRow[]): Table {
  return {
    head: ['tc', 'bwg', 'refill', 'max', 'strict', 'credits', 'lowest', 'bwg credits'],
    rows: rows.map((row) => [
      ...[row.tc, row.group, row.refill, row.most].map(String),
      row.strict,
      ...[row.credit, row.lowest, row.groupCredit].map(String),
    ]),
  };
}

function rateTable({ rates }: Nic82599Result, { rate }: CardFormat): Table {
  const controlled = rates.filter(({ enabled }) => enabled);
  if (controlled.length === 0) return { lines: ['no queue is rate controlled'] };
  return {
    head: ['queue', 'vm', 'tc', 'rate factor', 'rate', 'time stamp', 'switch'],
    rows: controlled.map((row) => [
      ...[row.queue, row.vm, row.tc].map(String),
      row.rateFactor.toFixed(4),
      rate(row.rateBps),
      String(row.stamp),
      row.on ? 'on' : 'off',
    ]),
  };
}

function bufferTable({ buffers }: Nic82599Result, format: CardFormat): Table {
  return {
    head: ['buffer', 'tc', 'fill', 'peak', 'of', 'missed', 'no descriptor'],
    rows: buffers.map(({ direction, tc, octets, peakOctets, sizeOctets, ...frames }) => [
      direction,
      String(tc),
      ...[octets, peakOctets, sizeOctets].map(format.octets),
      ...[frames.missedFrames, frames.noDescriptorFrames].map(format.count),
    ]),
  };
}

function ringTable({ rings }: Nic82599Result, { count }: CardFormat): Table {
  return {
    head: ['queue', 'vm', 'tc', 'free', 'fewest', 'of', 'dropped'],
    rows: rings.map((row) => [
      ...[row.queue, row.vm, row.tc].map(String),
      ...[row.free, row.fewest, row.descriptors, row.droppedFrames].map(count),
    ]),
  };
}

function poolTable({ pools }: Nic82599Result): Table {
  return {
    head: ['pool', 'takes VLANs', 'checks address', 'checks VLAN', 'inserts', 'priority', 'dei'],
    rows: pools.map(({ pool, vlans, macCheck, vlanCheck, insert }) => [
      String(pool),
      vlans.length === 0 ? 'all' : vlans.join(' '),
      ...[macCheck, vlanCheck].map(yesOrNo),
      ...(insert === null
        ? ['-', '-', '-']
        : [String(insert.vlan), String(insert.priority), yesOrNo(insert.dei)]),
    ]),
  };
}

function tagTable({ tags }: Nic82599Result, { count }: CardFormat): Table {
  if (tags.every((row) => row.tags.length === 0)) return {};
  return {
    head: ['tags', 'frames', 'VEXT', 'VP', 'unknown type', 'stripped'],
    rows: tags.map((row) => [
      row.tags.length === 0 ? 'none' : row.tags.join(' '),
      count(row.frames),
      ...[row.vext, row.vp, row.unknown].map(yesOrNo),
      count(row.stripped),
    ]),
  };
}

function switchTable({ switched }: Nic82599Result, format: CardFormat): Table {
  return {
    head: ['tc', 'frames', 'bytes', 'waiting'],
    rows: switched.map(({ tc, frames, octets, waiting }) => [
      String(tc),
      format.count(frames),
      format.octets(octets),
      format.count(waiting),
    ]),
  };
}

function latencyTable({ latencies }: Nic82599Result, { count, time }: CardFormat): Table {
  return {
    head: ['direction', 'tc', 'frames', 'least', 'mean', 'most'],
    rows: latencies.map(({ direction, tc, frames, leastPs, meanPs, mostPs }) => [
      direction,
      String(tc),
      count(frames),
      ...[leastPs, meanPs, mostPs].map(time),
    ]),
  };
}

function hintTable({ hints }: Nic82599Result, format: CardFormat): Table {
  return {
    head: ['tag', 'writes', 'bytes'],
    rows: hints.map(({ tag, writes, octets }) => [
      `0x${tag.toString(16).padStart(2, '0')}`,
      format.count(writes),
      format.octets(octets),
    ]),
  };
}

function ledTable({ leds }: Nic82599Result, { count, time }: CardFormat): Table {
  return {
    head: ['led', 'source', 'inverted', 'blinks', 'is', 'since', 'changes'],
    rows: leds.map(({ led, source, inverted, blinks, lit, sincePs, changes }) => [
      String(led),
      source,
      yesOrNo(inverted),
      yesOrNo(blinks),
      lit ? 'on' : 'off',
      time(sincePs),
      count(changes),
    ]),
  };
}

function yesOrNo(is: boolean): string {
  return is ? 'yes' : 'no';
}
