import { addressText, wordText } from '../engine/nic-82599/register-addresses.js';
import { registerDump } from '../engine/nic-82599/register-dump.js';
import type { ClassRow, NicResult } from '../mechanisms/registry.js';
import { formatCount, formatOctets, formatRate, formatTime } from './format.js';
import { table } from './table.js';

/** The registers of an 82599 by address, as `ethtool -d` prints them. */
export function registerDumpText({ registers }: Pick<NicResult, 'registers'>): string {
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

/** The tables of an 82599, as `selvage inspect` prints them. */
export function nicText(nic: NicResult): string {
  const part = nic.secondPortOf === null ? '' : `, second port of the 82599 of ${nic.secondPortOf}`;
  const head = `${nic.device} (82599 at ${nic.port}${part}) at ${formatTime(nic.timePs)}`;
  return [
    head,
    section('T1 virtual machines, credits of 64 bytes', vmTable(nic)),
    section('T2 traffic classes, descriptor plane', classTable(nic.T2.descriptor)),
    section('T2 traffic classes, packet plane', classTable(nic.T2.packet)),
    section('T4 receive buffers', classTable(nic.T4)),
    section('Rate scheduling', rateTable(nic)),
    section('Packet buffers', bufferTable(nic)),
    section('Receive descriptors', ringTable(nic)),
    section('Pools', poolTable(nic)),
    section('Tags of received frames, in their descriptors', tagTable(nic)),
    section('Switch between virtual machines, by class on transmit', switchTable(nic)),
    section('Latency: tail update to wire, wire to descriptor', latencyTable(nic)),
    section('Posted writes by DCA hint', hintTable(nic)),
    section('LEDs', ledTable(nic)),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function section(title: string, text: string): string {
  return text === '' ? '' : `${title}\n${text}`;
}

function vmTable({ T1 }: NicResult): string {
  if (T1.length === 0) return '';
  return table(
    ['queue', 'vm', 'tc', 'refill', 'max', 'credits', 'lowest'],
    T1.map((row) =>
      [row.queue, row.vm, row.tc, row.refill, row.most, row.credit, row.lowest].map(String),
    ),
  );
}

function classTable(rows: readonly ClassRow[]): string {
  return table(
    ['tc', 'bwg', 'refill', 'max', 'strict', 'credits', 'lowest', 'bwg credits'],
    rows.map((row) => [
      ...[row.tc, row.group, row.refill, row.most].map(String),
      row.strict,
      ...[row.credit, row.lowest, row.groupCredit].map(String),
    ]),
  );
}

function rateTable({ rates }: NicResult): string {
  const controlled = rates.filter(({ enabled }) => enabled);
  if (controlled.length === 0) return '  no queue is rate controlled';
  return table(
    ['queue', 'vm', 'tc', 'rate factor', 'rate', 'time stamp', 'switch'],
    controlled.map((row) => [
      ...[row.queue, row.vm, row.tc].map(String),
      row.rateFactor.toFixed(4),
      formatRate(row.rateBps),
      String(row.stamp),
      row.on ? 'on' : 'off',
    ]),
  );
}

function bufferTable({ buffers }: NicResult): string {
  return table(
    ['buffer', 'tc', 'fill', 'peak', 'of', 'missed', 'no descriptor'],
    buffers.map(({ direction, tc, octets, peakOctets, sizeOctets, ...frames }) => [
      direction,
      String(tc),
      ...[octets, peakOctets, sizeOctets].map(formatOctets),
      ...[frames.missedFrames, frames.noDescriptorFrames].map(formatCount),
    ]),
  );
}

function ringTable({ rings }: NicResult): string {
  if (rings.length === 0) return '';
  return table(
    ['queue', 'vm', 'tc', 'free', 'fewest', 'of', 'dropped'],
    rings.map((row) => [
      ...[row.queue, row.vm, row.tc].map(String),
      ...[row.free, row.fewest, row.descriptors, row.droppedFrames].map(formatCount),
    ]),
  );
}

function poolTable({ pools }: NicResult): string {
  if (pools.length === 0) return '';
  return table(
    ['pool', 'takes VLANs', 'checks address', 'checks VLAN', 'inserts', 'priority', 'dei'],
    pools.map(({ pool, vlans, macCheck, vlanCheck, insert }) => [
      String(pool),
      vlans.length === 0 ? 'all' : vlans.join(' '),
      ...[macCheck, vlanCheck].map(yesOrNo),
      ...(insert === null
        ? ['-', '-', '-']
        : [String(insert.vlan), String(insert.priority), yesOrNo(insert.dei)]),
    ]),
  );
}

function tagTable({ tags }: NicResult): string {
  if (tags.every((row) => row.tags.length === 0)) return '';
  return table(
    ['tags', 'frames', 'VEXT', 'VP', 'unknown type', 'stripped'],
    tags.map((row) => [
      row.tags.length === 0 ? 'none' : row.tags.join(' '),
      formatCount(row.frames),
      ...[row.vext, row.vp, row.unknown].map(yesOrNo),
      formatCount(row.stripped),
    ]),
  );
}

function switchTable({ switched }: NicResult): string {
  if (switched.length === 0) return '';
  return table(
    ['tc', 'frames', 'bytes', 'waiting'],
    switched.map(({ tc, frames, octets, waiting }) => [
      String(tc),
      formatCount(frames),
      formatOctets(octets),
      formatCount(waiting),
    ]),
  );
}

function yesOrNo(is: boolean): string {
  return is ? 'yes' : 'no';
}

function latencyTable({ latencies }: NicResult): string {
  if (latencies.length === 0) return '';
  return table(
    ['direction', 'tc', 'frames', 'least', 'mean', 'most'],
    latencies.map(({ direction, tc, frames, leastPs, meanPs, mostPs }) => [
      direction,
      String(tc),
      formatCount(frames),
      ...[leastPs, meanPs, mostPs].map(formatTime),
    ]),
  );
}

function hintTable({ hints }: NicResult): string {
  if (hints.length === 0) return '';
  return table(
    ['tag', 'writes', 'bytes'],
    hints.map(({ tag, writes, octets }) => [
      `0x${tag.toString(16).padStart(2, '0')}`,
      formatCount(writes),
      formatOctets(octets),
    ]),
  );
}

function ledTable({ leds }: NicResult): string {
  return table(
    ['led', 'source', 'inverted', 'blinks', 'is', 'since', 'changes'],
    leds.map(({ led, source, inverted, blinks, lit, sincePs, changes }) => [
      String(led),
      source,
      yesOrNo(inverted),
      yesOrNo(blinks),
      lit ? 'on' : 'off',
      formatTime(sincePs),
      formatCount(changes),
    ]),
  );
}
