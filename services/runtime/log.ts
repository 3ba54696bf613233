/** Levels of a log line, from the most to the least severe. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_FORMATS = ['text', 'json'] as const;
type LogFormat = (typeof LOG_FORMATS)[number];

export interface LogSettings {
  /** Lines that are less severe are not written. */
  readonly level: LogLevel;
  readonly format: LogFormat;
}

type LogFields = Readonly<Record<string, string | number | boolean>>;

/** Where a process of a run writes what happens to it. */
export interface Log {
  error(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  debug(event: string, fields?: LogFields): void;
}

export class LogSettingsError extends Error {}

/** From SELVAGE_LOG and SELVAGE_LOG_FORMAT; throws for a value that they cannot have. */
export function logSettingsFrom(env: NodeJS.ProcessEnv): LogSettings {
  return {
    level: oneOf(LOG_LEVELS, 'SELVAGE_LOG', env['SELVAGE_LOG'] ?? 'warn'),
    format: oneOf(LOG_FORMATS, 'SELVAGE_LOG_FORMAT', env['SELVAGE_LOG_FORMAT'] ?? 'text'),
  };
}

/** The inverse of `logSettingsFrom`. */
export function logEnvironment({ level, format }: LogSettings): Record<string, string> {
  return { SELVAGE_LOG: level, SELVAGE_LOG_FORMAT: format };
}

/** Throws, with what is allowed, unless a text is one of some values. */
export function oneOf<T extends string>(allowed: readonly T[], name: string, text: string): T {
  const found = allowed.find((value) => value === text);
  if (found !== undefined) return found;
  throw new LogSettingsError(`${name} ${text}: use one of ${allowed.join(', ')}`);
}

/** Writes one line an event: `2026-01-31T12:00:00.000Z info coordinator: epoch begins epoch=2`. */
export class LineLog implements Log {
  private readonly most: number;

  constructor(
    private readonly processName: string,
    private readonly settings: LogSettings,
    private readonly write: (line: string) => void,
  ) {
    this.most = LOG_LEVELS.indexOf(settings.level);
  }

  error(event: string, fields: LogFields = {}): void {
    this.log('error', event, fields);
  }

  warn(event: string, fields: LogFields = {}): void {
    this.log('warn', event, fields);
  }

  info(event: string, fields: LogFields = {}): void {
    this.log('info', event, fields);
  }

  debug(event: string, fields: LogFields = {}): void {
    this.log('debug', event, fields);
  }

  private log(level: LogLevel, event: string, fields: LogFields): void {
    if (LOG_LEVELS.indexOf(level) > this.most) return;
    const time = new Date().toISOString();
    const { processName } = this;
    if (this.settings.format === 'json') {
      this.write(`${JSON.stringify({ time, level, process: processName, event, ...fields })}\n`);
      return;
    }
    const words = Object.entries(fields).map(([name, value]) => ` ${name}=${textOf(value)}`);
    this.write(`${time} ${level} ${processName}: ${event}${words.join('')}\n`);
  }
}

/** Whether a line of a process is one that a log wrote, and not the reason why it ended. */
export function isLogLine(line: string): boolean {
  return /^\d{4}-\d\d-\d\dT\S+Z (error|warn|info|debug) |^\{"time":"/.test(line);
}

/** Quoted where it has spaces, so that a line can be divided again. */
function textOf(value: string | number | boolean): string {
  const text = `${value}`;
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text);
}
