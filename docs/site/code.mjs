const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Commands stand out from what they print, and their prompt is not copied. */
const CONSOLE = [/^\$ (.*(?:\\\n.*)*)$/gm, '<span class="prompt">$ </span><b>$1</b>'];
const COMMENT = [/(^|\s)(#.*)$/gm, '$1<i>$2</i>'];
const KEY = [/^(\s*(?:- )?(?:\{ )?)([\w.'*-]+:)(?=\s|$)/gm, '$1<b>$2</b>'];

const MARKS = { console: [CONSOLE], sh: [COMMENT], yaml: [COMMENT, KEY] };

/** The inside of a code block. */
export function codeAsHtml(text, language) {
  return (MARKS[language] ?? []).reduce(
    (html, [pattern, marked]) => html.replace(pattern, marked),
    escaped(text),
  );
}
