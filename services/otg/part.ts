/**
 * A part of a request in JSON: each key is read, accepted without an effect, or refused by its path
 * and name. What is wrong is collected, so that a client sees all of it at once.
 */

export type Json = Readonly<Record<string, unknown>>;

export class Part {
  private readonly known = new Set<string>();

  constructor(
    private readonly value: Json,
    readonly path: string,
    private readonly errors: string[],
  ) {}

  static of(value: unknown, path: string, errors: string[]): Part {
    if (isMapping(value)) return new Part(value, path, errors);
    errors.push(`${path || 'the body'}: not a mapping`);
    return new Part({}, path, errors);
  }

  has(key: string): boolean {
    return this.value[key] !== undefined && this.value[key] !== null;
  }

  text(key: string, fallback = ''): string {
    return this.read(
      key,
      fallback,
      (value) => (typeof value === 'string' ? value : null),
      'a text',
    );
  }

  /** Numbers of 64 bits may be texts. */
  number(key: string, fallback = 0): number {
    const valueOf = (value: unknown): number | null => {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      return typeof number === 'number' && Number.isFinite(number) ? number : null;
    };
    return this.read(key, fallback, valueOf, 'a number');
  }

  flag(key: string, fallback = false): boolean {
    return this.read(
      key,
      fallback,
      (value) => (typeof value === 'boolean' ? value : null),
      'a flag',
    );
  }

  texts(key: string): readonly string[] {
    const isTexts = (value: unknown): value is string[] =>
      Array.isArray(value) && value.every((item) => typeof item === 'string');
    return this.read(key, [], (value) => (isTexts(value) ? value : null), 'a list of texts');
  }

  numbers(key: string): readonly number[] {
    const isNumbers = (value: unknown): value is number[] =>
      Array.isArray(value) && value.every((item) => typeof item === 'number');
    return this.read(key, [], (value) => (isNumbers(value) ? value : null), 'a list of numbers');
  }

  part(key: string): Part {
    this.known.add(key);
    const value = this.has(key) ? this.value[key] : {};
    return Part.of(value, this.at(key), this.errors);
  }

  parts(key: string): Part[] {
    this.known.add(key);
    const value = this.has(key) ? this.value[key] : [];
    if (Array.isArray(value)) {
      return value.map((item, i) => Part.of(item, `${this.at(key)}[${i}]`, this.errors));
    }
    this.error(key, 'not a list');
    return [];
  }

  /** The part that `choice` names; the others of a mapping are not meant. */
  chosen(usual: string, choices: readonly string[]): string {
    const choice = this.text('choice', usual);
    if (!choices.includes(choice)) {
      this.error('choice', `${choice} is not supported: ${choices.join(', ')}`);
      for (const key of Object.keys(this.value)) this.known.add(key);
      return choices[0]!;
    }
    return choice;
  }

  /** Keys that change nothing that is emulated. */
  accept(...keys: readonly string[]): void {
    for (const key of keys) this.known.add(key);
  }

  error(key: string, message: string): void {
    this.errors.push(`${this.at(key)}: ${message}`);
  }

  /** Refuses what was not read. */
  end(): void {
    for (const key of Object.keys(this.value)) {
      if (this.known.has(key) || isEmpty(this.value[key])) continue;
      this.error(key, 'is not supported');
    }
  }

  private read<Value>(
    key: string,
    fallback: Value,
    valueOf: (value: unknown) => Value | null,
    what: string,
  ): Value {
    this.known.add(key);
    if (!this.has(key)) return fallback;
    const value = valueOf(this.value[key]);
    if (value === null) this.error(key, `not ${what}: ${JSON.stringify(this.value[key])}`);
    return value ?? fallback;
  }

  private at(key: string): string {
    return this.path === '' ? key : `${this.path}.${key}`;
  }
}

function isMapping(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Nothing that anybody asked for. */
function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isMapping(value) && Object.values(value).every(isEmpty);
}
