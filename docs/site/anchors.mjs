/** Headings get the identifiers that GitHub gives them. */
export function anchors(md) {
  md.core.ruler.push('anchors', ({ tokens }) => {
    const used = new Map();
    tokens.forEach((token, i) => {
      if (token.type !== 'heading_open') return;
      const name = tokens[i + 1].children
        .map(({ content }) => content)
        .join('')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_\- ]/gu, '')
        .replaceAll(' ', '-');
      const before = used.get(name) ?? 0;
      used.set(name, before + 1);
      token.attrSet('id', before === 0 ? name : `${name}-${before}`);
    });
  });
}
