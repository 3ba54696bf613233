import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { buildFabric } from '../../services/fabric/assembly/fabric.js';
import { loadScenario } from '../../services/fabric/scenario/load-scenario.js';
import { registerDump } from '../../services/engine/nic-82599/register-dump.js';
import { registerDumpText } from '../../services/mechanisms/nic-82599/tables.js';
import { nicResults } from '../../services/mechanisms/nic-82599/results.js';
import { Session } from '../../services/runtime/session.js';
import { ROOT } from '../kit/emulate.js';

const EXAMPLE = join(ROOT, 'examples/nic-driver-trace.yaml');
const folder = mkdtempSync(join(tmpdir(), 'selvage-trace-'));
after(() => {
  rmSync(folder, { recursive: true });
});

function sessionOf(file: string): Session {
  return new Session(buildFabric(loadScenario(file)), { check: true });
}

/** The example with another trace. */
function scenarioWith(trace: string): string {
  const file = join(folder, 'scenario.yaml');
  writeFileSync(join(folder, 'nic-driver-trace.csv'), trace);
  writeFileSync(file, readFileSync(EXAMPLE, 'utf8'));
  return file;
}

function errorOf(trace: string): string {
  const file = scenarioWith(`time,address,value\n${trace}`);
  try {
    buildFabric(loadScenario(file));
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

describe('the trace of a driver', () => {
  it('sets the shares of the link, and changes them while frames are under way', () => {
    const session = sessionOf(EXAMPLE);
    const framesOf = (): number[] =>
      session.results('interrupted').flows.map(({ frames }) => frames);
    session.runTo(1e9);
    const first = framesOf();
    session.runTo(2e9);
    const second = framesOf().map((frames, flow) => frames - first[flow]!);
    const shareOf = ([a, b]: number[]): number => a! / (a! + b!);
    assert.ok(Math.abs(shareOf(first) - 0.8) < 0.03, first.join());
    assert.ok(Math.abs(shareOf(second) - 0.2) < 0.03, second.join());
  });

  it('is shown by address as ethtool -d shows registers', () => {
    const session = sessionOf(EXAMPLE);
    session.runTo(0.5e9);
    const [nic] = nicResults(session.engine, 0.5e9);
    const dump = registerDump(nic!.registers);
    const at = (address: number): number =>
      dump.find((own) => own.address === address)!.value >>> 0;
    // What the file has in its lines, but for the delay of arbitration.
    assert.equal(at(0x0cd20), 0x00ccc050);
    assert.equal(at(0x0cd2c), 0x00333214);
    assert.equal(at(0x04900), 0x00000013);
    assert.equal(at(0x0cd00), 0x00000120);
    assert.match(
      registerDumpText(nic!),
      /^0x0CD2C: RTTPT2C\[3\] +0x00333214 +CRQ 20, BWG 1, MCL 819/m,
    );
  });

  it('is warned of where it writes what the emulation does not have', () => {
    const { warnings } = buildFabric(loadScenario(EXAMPLE));
    assert.deepEqual(
      warnings.map(({ message }) => message),
      ['h1, h2: writes without effect in the emulation: bits 0x01000000 of RTTPCS'],
    );
    const file = scenarioWith('time,address,value\n0,0x04294,0x00000008\n');
    const [own] = buildFabric(loadScenario(file)).warnings;
    assert.match(own!.message, /without effect in the emulation: address 0x04294$/);
  });

  const WRONG = [
    ['1ms,0x0CD20,0x00333214\n0,0x0CD20,0', /line 3: its time is before that of the line above/],
    ['0,0x04904,128', /line 2: RTTDQSEL selects queues 0 to 127, not 128/],
    ['0,0x0CD00,0x60\n1ms,0x0CD00,0x20', /line 3: RTTPCS\.ARBDIS, set in line 2, is still set/],
    ['0,0x02430,0x40', /RTRPCS\.ARBDIS, set in line 2, is still set/],
    ['1ms,0x0C800,0', /line 2: RTTUP2TC is set before the part runs/],
    ['0,0x0CD20,0x000001FF', /MCL/],
    ['0,0xZZ,0', /line 2: not an address: "0xZZ"; a number of 32 bits such as 0x04910/],
    ['0,0x0CD20,0x1FFFFFFFF', /line 2: not a value: "0x1FFFFFFFF"/],
    ['soon,0x0CD20,0', /line 2: not a time: "soon"/],
    ['0,0x02160,1', /line 2: RTRPT4S is read only/],
    ['', /there are no writes in it/],
  ] as const;
  for (const [trace, message] of WRONG) {
    it(`is refused with its line: ${trace.replaceAll('\n', ' / ') || 'nothing'}`, () => {
      assert.match(errorOf(trace), message);
    });
  }

  it('may clear the credits of all queues, which then take turns', () => {
    const some = Array.from({ length: 127 }, (_, queue) => `0,0x04904,${queue}\n0,0x04908,0\n`);
    assert.match(errorOf(some.join('')), /RTTDT1C\[7\]|RTTDT1C\[\d+\]\.CRQ of VM \d+ is 0/);
    assert.equal(errorOf(`${some.join('')}0,0x04904,127\n0,0x04908,0`), '');
  });
});

it('selvage inspect --dump prints what selvage inspect --dump --json says', () => {
  const main = join(ROOT, 'dist/programs/selvage.js');
  const words = ['inspect', 'h1', '--run', EXAMPLE, '--at', '10us', '--dump'];
  const text = spawnSync(process.execPath, [main, ...words], { encoding: 'utf8' });
  const json = spawnSync(process.execPath, [main, ...words, '--json'], { encoding: 'utf8' });
  assert.equal(text.status, 0);
  assert.equal(json.status, 0);
  const registers = JSON.parse(json.stdout) as { name: string; address: number | null }[];
  assert.equal(text.stdout.trimEnd().split('\n').length, registers.length);
  assert.ok(registers.some(({ name, address }) => name === 'RTTDCS' && address === 0x4900));
});
