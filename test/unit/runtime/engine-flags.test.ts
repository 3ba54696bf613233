import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { engineFlags, serviceFlags } from '../../../services/runtime/engine-flags.js';

function neverAsked(): string {
  throw new Error('V8 was asked for its flags');
}

function listedHere(): string {
  return spawnSync(process.execPath, ['--v8-options'], { encoding: 'utf8' }).stdout;
}

describe('flags of V8', () => {
  it('are those that this V8 has', () => {
    const { v8 } = process.versions;
    const asked = engineFlags('0.0.0', listedHere);
    assert.deepEqual(engineFlags(v8, listedHere), asked);
    assert.ok(asked.length > 0);
  });

  it('are known without a question where the line of Node is supported', () => {
    for (const v8 of ['11.3.244.8', '12.4.254.21', '13.6.233.17', '14.6.202.34']) {
      assert.ok(engineFlags(v8, neverAsked).length > 0);
    }
  });

  it('are left out where V8 has dropped or renamed them', () => {
    const inlining = '  --max-inlined-bytecode-size-cumulative (maximum cumulative size)\n';
    const other = '  --interrupt-budget-for-feedback-allocation (another budget)\n';
    assert.deepEqual(
      engineFlags('99.1.2', () => inlining + other),
      ['max-inlined-bytecode-size-cumulative=4500'],
    );
    assert.deepEqual(
      engineFlags('99.1.2', () => ''),
      [],
    );
  });

  it('are those of an engine in a service with much to do, and compile early in another', () => {
    const flags = engineFlags('11.3.244.8', neverAsked);
    assert.deepEqual(serviceFlags(flags, 384), flags);
    assert.deepEqual(serviceFlags(flags, 9), ['interrupt-budget=20000']);
    assert.deepEqual(serviceFlags(engineFlags('12.4.254.21', neverAsked), 9), []);
  });
});
