import type { Command } from 'commander';
import { InputError } from './exit.js';

interface Word {
  readonly name: string;
  readonly meaning: string;
}

interface CommandWords extends Word {
  readonly options: readonly Word[];
  readonly commands: readonly CommandWords[];
}

/** A script that completes the commands and options of a program in a shell. */
export function completionFor(program: Command, shell: string): string {
  const write = SHELLS[shell];
  if (write === undefined) {
    throw new InputError(`no completion for ${shell}; there is ${Object.keys(SHELLS).join(', ')}`);
  }
  return write(program.commands.map(wordsOf));
}

function wordsOf(command: Command): CommandWords {
  const options = command.options.flatMap(({ long, description }) =>
    long == null ? [] : [{ name: long, meaning: description }],
  );
  const commands = command.commands.map(wordsOf);
  return { name: command.name(), meaning: command.description(), options, commands };
}

const SHELLS: Readonly<Record<string, (commands: readonly CommandWords[]) => string>> = {
  bash: (commands) => `_selvage() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words=""
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
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _selvage selvage
`,
  zsh: (commands) => `#compdef selvage
_selvage() {
  local -a words_of
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
            `-d ${quoted(option.meaning)}`,
        ),
      ),
    ]
      .join('\n')
      .concat('\n'),
};

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
