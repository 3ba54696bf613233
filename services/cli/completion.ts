import type { Argument, Command, Option } from 'commander';
import { InputError } from './exit.js';

interface Word {
  readonly name: string;
  readonly meaning: string;
}

interface OptionWords extends Word {
  /** What may stand behind it; empty: anything. */
  readonly values: readonly string[];
}

interface CommandWords extends Word {
  readonly options: readonly OptionWords[];
  /** What may be its arguments, beside files. */
  readonly values: readonly string[];
  readonly commands: readonly CommandWords[];
}

/** Values of an option, by its long name, or of an argument, by its name. */
export type KnownValues = Readonly<Record<string, readonly string[]>>;

/** A script that completes the commands, options and values of a program in a shell. */
export function completionFor(program: Command, shell: string, known: KnownValues): string {
  const write = SHELLS[shell];
  if (write === undefined) {
    throw new InputError(`no completion for ${shell}; there is ${Object.keys(SHELLS).join(', ')}`);
  }
  return write(program.commands.map((command) => wordsOf(command, known)));
}

function wordsOf(command: Command, known: KnownValues): CommandWords {
  const options = command.options.flatMap((option: Option) =>
    option.long == null
      ? []
      : [
          {
            ...{ name: option.long, meaning: option.description },
            values: known[`${command.name()} ${option.long}`] ?? [],
          },
        ],
  );
  const values = command.registeredArguments.flatMap(
    (argument: Argument) =>
      known[`${command.name()} ${argument.name()}`] ?? known[argument.name()] ?? [],
  );
  const commands = command.commands.map((own) => wordsOf(own, known));
  return { name: command.name(), meaning: command.description(), options, values, commands };
}

const SHELLS: Readonly<Record<string, (commands: readonly CommandWords[]) => string>> = {
  bash: (commands) => `_selvage() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words=""
  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD-1]}" in
${valued(commands)
  .map(
    ({ name, option, values }) =>
      `    "${name} ${option}")
      COMPREPLY=($(compgen -W "${values.join(' ')}" -- "$word"))
      return ;;`,
  )
  .join('\n')}
  esac
  case "$COMP_CWORD \${COMP_WORDS[1]}" in
    "1 "*) words="${namesOf(commands)}" ;;
${families(commands)
  .map(({ name, commands: own }) => `    "2 ${name}") words="${namesOf(own)}" ;;`)
  .join('\n')}
  esac
  if [[ "$word" == -* ]]; then
    case "\${COMP_WORDS[1]} \${COMP_WORDS[2]} " in
${spelled(commands)
  .map(({ name, options }) => `      "${name} "*) words="${namesOf(options)}" ;;`)
  .join('\n')}
    esac
  elif [[ $COMP_CWORD -ge 2 && -z "$words" ]]; then
    case "\${COMP_WORDS[1]}" in
${commands
  .filter(({ values }) => values.length > 0)
  .map(({ name, values }) => `      ${name}) words="${values.join(' ')}" ;;`)
  .join('\n')}
    esac
    if [[ -n "$words" ]]; then
      COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))
      return
    fi
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _selvage selvage
`,
  zsh: (commands) => `#compdef selvage
_selvage() {
  local -a words_of
  case "$words[2] $words[CURRENT-1]" in
${valued(commands)
  .map(
    ({ name, option, values }) =>
      `    "${name} ${option}") compadd -- ${values.map(quoted).join(' ')}; return ;;`,
  )
  .join('\n')}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    case "$words[2] $words[3] " in
${spelled(commands)
  .map(
    ({ name, options }) => `      "${name} "*) words_of=(${options.map(described).join(' ')}) ;;`,
  )
  .join('\n')}
    esac
    _describe -o option words_of
    return
  fi
  case "$CURRENT $words[2]" in
    "2 "*) words_of=(${commands.map(described).join(' ')}) ;;
${families(commands)
  .map(
    ({ name, commands: own }) => `    "3 ${name}") words_of=(${own.map(described).join(' ')}) ;;`,
  )
  .join('\n')}
${commands
  .filter(({ values }) => values.length > 0)
  .map(
    ({ name, values }) =>
      `    [0-9]*" ${name}") compadd -- ${values.map(quoted).join(' ')}; _files; return ;;`,
  )
  .join('\n')}
    *) _files; return ;;
  esac
  _describe command words_of
}
# In a folder of $fpath this file is the function itself.
if [[ $funcstack[1] == _selvage ]]; then _selvage "$@"; else compdef _selvage selvage; fi
`,
  fish: (commands) =>
    [
      ...commands.map(
        ({ name, meaning }) =>
          `complete -c selvage -n __fish_use_subcommand -f -a ${name} -d ${quoted(meaning)}`,
      ),
      ...families(commands).flatMap(({ name, commands: own }) =>
        own.map(
          (each) =>
            `complete -c selvage -n '__fish_seen_subcommand_from ${name}; and not ` +
            `__fish_seen_subcommand_from ${namesOf(own)}' -f -a ${each.name} ` +
            `-d ${quoted(each.meaning)}`,
        ),
      ),
      ...spelled(commands).flatMap(({ name, options }) =>
        options.map(
          (option) =>
            `complete -c selvage -n '${seen(name)}' -l ${option.name.slice(2)} ` +
            (option.values.length === 0 ? '' : `-x -a ${quoted(option.values.join(' '))} `) +
            `-d ${quoted(option.meaning)}`,
        ),
      ),
      ...commands
        .filter(({ values }) => values.length > 0)
        .map(
          ({ name, values }) =>
            `complete -c selvage -n '${seen(name)}' -a ${quoted(values.join(' '))}`,
        ),
    ]
      .join('\n')
      .concat('\n'),
};

/** Options whose values are known, with the commands that have them. */
function valued(
  commands: readonly CommandWords[],
): { name: string; option: string; values: readonly string[] }[] {
  return commands.flatMap(({ name, options }) =>
    options
      .filter(({ values }) => values.length > 0)
      .map((option) => ({ name, option: option.name, values: option.values })),
  );
}

/** Commands that have commands of their own. */
function families(commands: readonly CommandWords[]): readonly CommandWords[] {
  return commands.filter(({ commands: own }) => own.length > 0);
}

/** Every command that does something, by all of its words, those of two words first. */
function spelled(commands: readonly CommandWords[]): readonly CommandWords[] {
  const inner = families(commands).flatMap((family) =>
    family.commands.map((own) => ({ ...own, name: `${family.name} ${own.name}` })),
  );
  return [...inner, ...commands.filter(({ commands: own }) => own.length === 0)];
}

/** For fish: all words of a command were typed. */
function seen(name: string): string {
  return name
    .split(' ')
    .map((word) => `__fish_seen_subcommand_from ${word}`)
    .join('; and ');
}

function namesOf(words: readonly Word[]): string {
  return words.map(({ name }) => name).join(' ');
}

/** A word for zsh: a colon separates its description. */
function described({ name, meaning }: Word): string {
  return quoted(`${name}:${meaning.replaceAll(':', '\\:')}`);
}

/** One word for any of the shells, which all have no escape but the end of a quotation. */
function quoted(text: string): string {
  return `'${text.replaceAll('`', '').replaceAll("'", '’')}'`;
}
