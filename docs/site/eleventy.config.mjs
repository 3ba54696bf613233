// The documents as a site: every Markdown file of the repository is a page at its own path, so
// links between documents mean the same here and on GitHub. docs/README.md is the contents.

import { readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { anchors } from './anchors.mjs';
import { codeAsHtml } from './code.mjs';
import { galleryRows } from './gallery.mjs';

const CONTENTS = 'docs/README.md';

/** `docs/keys.md` is `docs/keys.html`, and a README is the index of its folder. */
const pathOfPage = (file) => file.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html');

const titleOf = (file) =>
  (/^# (.*)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? file).replaceAll('`', '');

/** Sections of the table of contents, with the pages that each links to. */
function navigation() {
  const [, ...sections] = readFileSync(CONTENTS, 'utf8').split(/^## /m);
  return sections.map((text) => {
    const links = Array.from(text.matchAll(/\]\(([^)#:]+\.md)\)/g), ([, target]) =>
      normalize(join(dirname(CONTENTS), target)),
    );
    const pages = [...new Set(links)].map((file) => ({
      path: pathOfPage(file),
      title: titleOf(file),
    }));
    return { title: text.slice(0, text.indexOf('\n')), pages };
  });
}

/** Links to documents lead to their pages; tables scroll by themselves on a narrow screen. */
function asPages(md) {
  md.renderer.rules.link_open = (tokens, i, options, env, self) => {
    const href = tokens[i].attrGet('href');
    if (!/^[a-z]+:/.test(href)) {
      const [path, anchor] = href.split('#');
      tokens[i].attrSet('href', pathOfPage(path) + (anchor === undefined ? '' : `#${anchor}`));
    }
    return self.renderToken(tokens, i, options);
  };
  md.renderer.rules.table_open = () => '<div class="wide"><table>\n';
  md.renderer.rules.table_close = () => '</table></div>\n';
}

export default function configure(eleventy) {
  eleventy.amendLibrary('md', (md) => {
    md.set({ html: true, highlight: codeAsHtml });
    // Off in Eleventy: commands that are indented by four blanks.
    md.enable('code').use(anchors).use(asPages);
  });
  eleventy.addPreprocessor('gallery', 'md', ({ page }, text) =>
    page.inputPath === './docs/gallery.md' ? galleryRows(text) : text,
  );
  eleventy.addGlobalData('layout', 'page.njk');
  eleventy.addGlobalData('sections', navigation);
  eleventy.addGlobalData('eleventyComputed', {
    permalink: ({ page }) => pathOfPage(normalize(page.inputPath)),
    path: ({ page }) => pathOfPage(normalize(page.inputPath)),
    title: ({ page }) => titleOf(page.inputPath),
  });
  eleventy.addFilter('from', (path, page) => relative(dirname(page), path));
  eleventy.addFilter('headings', (html) =>
    Array.from(html.matchAll(/<h2 id="([^"]*)">(.*?)<\/h2>/g), ([, id, title]) => ({ id, title })),
  );
  eleventy.addPassthroughCopy({ 'docs/site/site.css': 'site.css' });
  return {
    dir: { input: '.', includes: 'docs/site', output: 'dist/site' },
    templateFormats: ['md'],
    markdownTemplateEngine: false,
  };
}
