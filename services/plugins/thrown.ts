// What a plugin throws may be anything, from another context.

/** Errors of the language for changes of what is frozen. */
const FROZEN = /read only property|not extensible|Cannot (?:delete|redefine) property/;
const KEPT =
  'what is kept outside of state would not be saved with a run: declare a field in state';

/** Message of what was thrown, whichever context it comes from. */
export function reasonOf(error: unknown): string {
  try {
    const message = (error as { readonly message?: unknown } | null)?.message;
    const text = typeof message === 'string' ? message : String(error);
    return FROZEN.test(text) ? `${text}; ${KEPT}` : text;
  } catch {
    return 'a value that cannot be shown';
  }
}

/** `file:line:column` of the innermost call in the plugin, or the file alone. */
export function placeIn(file: string, error: unknown): string {
  const stack = stackOf(error);
  if (typeof stack !== 'string') return file;
  const at = stack.indexOf(`${file}:`);
  return at < 0 ? file : file + (/^(?::\d+){1,2}/.exec(stack.slice(at + file.length))?.[0] ?? '');
}

function stackOf(error: unknown): unknown {
  try {
    return (error as { readonly stack?: unknown } | null)?.stack;
  } catch {
    return undefined;
  }
}
