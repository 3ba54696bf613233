import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LogSettings } from '../../../services/runtime/log.js';
import {
  isLogLine,
  LineLog,
  logEnvironment,
  logSettingsFrom,
} from '../../../services/runtime/log.js';

function linesOf(settings: LogSettings): string[] {
  const lines: string[] = [];
  const log = new LineLog('service 3', settings, (line) => lines.push(line));
  log.error('run has failed', { reason: 'the store fails' });
  log.warn('round is late', { epoch: 2, services: '1, 4' });
  log.info('epoch begins', { epoch: 3 });
  log.debug('snapshot is written');
  return lines;
}

describe('the log of a process', () => {
  it('is one line of text an event, with its fields', () => {
    const lines = linesOf({ level: 'debug', format: 'text' });
    assert.deepEqual(
      lines.map((line) => line.replace(/^\S+Z /, '')),
      [
        'error service 3: run has failed reason="the store fails"\n',
        'warn service 3: round is late epoch=2 services="1, 4"\n',
        'info service 3: epoch begins epoch=3\n',
        'debug service 3: snapshot is written\n',
      ],
    );
    assert.ok(lines.every(isLogLine));
  });

  it('is one JSON object a line where that is wanted, and leaves out lower levels', () => {
    const lines = linesOf({ level: 'warn', format: 'json' });
    const [first, second] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.equal(lines.length, 2);
    assert.deepEqual([first!['level'], first!['reason']], ['error', 'the store fails']);
    const { level, process: name, event, epoch } = second!;
    assert.deepEqual([level, name, event, epoch], ['warn', 'service 3', 'round is late', 2]);
    assert.ok(lines.every(isLogLine));
  });

  it('is set by the environment, which may not say anything else', () => {
    const settings = { level: 'info', format: 'json' } as const;
    assert.deepEqual(logSettingsFrom(logEnvironment(settings)), settings);
    assert.deepEqual(logSettingsFrom({}), { level: 'warn', format: 'text' });
    assert.throws(
      () => logSettingsFrom({ SELVAGE_LOG: 'loud' }),
      /^Error: SELVAGE_LOG loud: use one of error, warn, info, debug$/,
    );
    assert.ok(!isLogLine('coordinator: the store fails'));
  });
});
