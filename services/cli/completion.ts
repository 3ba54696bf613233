import type { Command } from 'commander';
import { InputError } from './exit.js';

interface Word {
  readonly name: string;
  readonly meaning: string;
}

interface CommandWords extends Word {
  readonly options: readonly Word[];
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
  return { name: command.name(), meaning: command.description(), options };
}

const SHELLS: Readonly<Record<string, (commands: readonly CommandWords[]) => string>> = {
  bash: (commands) => `_selvage() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${namesOf(commands)}"
  elif [[ "$word" == -* ]]; then
    case "\${COMP_WORDS[1]}" in
${commands.map(({ name, options }) => `      ${name}) words="${namesOf(options)}" ;;`).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _selvage selvage
`,
  zsh: (commands) => `#compdef selvage
_selvage() {
  local -a words_of
  if ((CURRENT == 2)); then
    words_of=(${commands.map(described).join(' ')})
    _describe command words_of
  elif [[ $words[CURRENT] == -* ]]; then
    case $words[2] in
${commands
  .map(({ name, options }) => `      ${name}) words_of=(${options.map(described).join(' ')}) ;;`)
  .join('\n')}
    esac
    _describe -o option words_of
  else
    _files
  fi
}
compdef _selvage selvage
`,
  fish: (commands) =>
    commands
      .flatMap(({ name, meaning, options }) => [
        `complete -c selvage -n __fish_use_subcommand -f -a ${name} -d ${quoted(meaning)}`,
        ...options.map(
          (option) =>
            `complete -c selvage -n '__fish_seen_subcommand_from ${name}' ` +
            `-l ${option.name.slice(2)} -d ${quoted(option.meaning)}`,
        ),
      ])
      .join('\n')
      .concat('\n'),
};

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
