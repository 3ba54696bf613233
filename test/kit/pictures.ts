import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { ROOT } from './emulate.js';
import { isLong } from './long-suite.js';

/** For people to look at. */
export const PICTURES = join(ROOT, 'dist', 'pictures');
const POLL_MS = 20;
const ALL_WIDTHS = [390, 768, 1440];
const WIDTHS = isLong
  ? { light: ALL_WIDTHS, dark: ALL_WIDTHS }
  : { light: [390, 1440], dark: [768] };
/** A4 within its margins. */
const PAPER = 718;

/** In the page: titles of cards that show nothing below their title, and tables without a row. */
const EMPTY_CARDS = `[...document.querySelectorAll('.card')]
  .filter((card) => card.querySelector('svg, canvas, table, pre, ul') === null)
  .filter((card) => card.innerText.trim() === (card.querySelector('h2')?.innerText ?? '').trim())
  .concat([...document.querySelectorAll('.card table')]
    .filter((table) => table.querySelector('td') === null))
  .map((card) => card.innerText)`;
/** In the page: cards that lie over each other, while their columns are arranged anew. */
const OVERLAPS = `(() => {
  const cards = [...document.querySelectorAll('main .card')].map((card) =>
    [card.querySelector('h2')?.innerText, card.getBoundingClientRect()]);
  return cards.flatMap(([a, one], i) => cards.slice(i + 1).flatMap(([b, other]) =>
    one.width > 0 && other.width > 0 &&
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1 ? [a + ' / ' + b] : []));
})()`;
/** In the page: metrics wider than their tiles, and words wider than the box that has them. */
const CUT_OFF = `[
  ...[...document.querySelectorAll('.tile')].filter((tile) => tile.scrollWidth > tile.clientWidth),
  ...[...document.querySelectorAll('.place text, .device text')].filter((text) =>
    text.getBoundingClientRect().right >
    text.parentNode.querySelector('rect').getBoundingClientRect().right),
].map((element) => element.textContent)`;
/** In the page: drawings that leave their card. */
const STICKING_OUT = `[...document.querySelectorAll('.card canvas, .card svg')]
  .filter((drawing) => {
    const card = drawing.closest('.card');
    const most = card.getBoundingClientRect().right - parseFloat(getComputedStyle(card).paddingRight);
    return drawing.closest('.scroll, .heat-maps, .multiples, .pan') === null &&
      drawing.getBoundingClientRect().right > most + 1;
  })
  .map((drawing) => drawing.closest('.card').innerText.split('\\n')[0])`;
/** In the page: what is drawn over what, of the names, badges and boxes of a map. */
const COLLISIONS = `(() => {
  const of = (selector, inset) => [...document.querySelectorAll('.map ' + selector)]
    .filter((element) => element.closest('[opacity="0"]') === null)
    .map((element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      const map = element.closest('.map');
      const name = selector + ' ' + (element.parentNode.textContent || element.textContent);
      return { name, map, left: left + inset, right: right - inset, top: top + inset,
        bottom: bottom - inset };
    });
  const over = (some, others) => some.flatMap((a) => others.flatMap((b) => a !== b &&
    a.map === b.map && Math.min(a.right, b.right) > Math.max(a.left, b.left) &&
    Math.min(a.bottom, b.bottom) > Math.max(a.top, b.top) ? [a.name + ' / ' + b.name] : []));
  const [tiers, badges, boxes] = [of('.tier', 0.5), of('.pause-mark circle', 1), of('.box', 0.5)];
  const isBlind = document.querySelector('.map .box') !== null &&
    document.querySelector('.map .pause-mark circle') === null;
  return [isBlind ? ['no badges'] : [], over(tiers, [...tiers, ...of('canvas', 0)]), over(badges, [...badges, ...boxes]),
    over(boxes, boxes)].flat();
})()`;
/** On paper: parts of cards that end before what is in them, over which it then lies. */
const SPILLED = `[...document.querySelectorAll('.card *')]
  .filter((part) => getComputedStyle(part).maxHeight.endsWith('px') &&
    getComputedStyle(part).overflowY === 'visible' && part.scrollHeight > part.clientHeight + 1)
  .map((part) => part.className)`;
const ALL_DRAWN = `document.querySelectorAll('.uplot').length ===
  document.querySelectorAll('.chart').length`;
const OVERFLOW = 'document.documentElement.scrollWidth - innerWidth';

/** Until an expression holds in the page, whose policy may forbid to evaluate it by itself. */
export async function until(page: Page, expression: string): Promise<void> {
  while (!(await page.evaluate(expression))) await page.waitForTimeout(POLL_MS);
}

/**
 * A picture of a page at each width, of the dark theme at the middle one. No card is empty, none
 * lies over another, and nothing is cut off.
 */
export async function takePictures(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of WIDTHS[colorScheme]) {
      await page.setViewportSize({ width, height: 900 });
      // Charts that are not seen are not drawn.
      await page.evaluate('dispatchEvent(new Event("beforeprint"))');
      await until(page, ALL_DRAWN);
      const path = join(PICTURES, `${name}-${colorScheme}-${width}.png`);
      await page.screenshot({ path, fullPage: true });
      assert.ok(Number(await page.evaluate(OVERFLOW)) <= 0, `${name}: wider than ${width}`);
      assert.deepEqual(await page.evaluate(EMPTY_CARDS), [], `${name}: empty, ${width}`);
      assert.deepEqual(await page.evaluate(OVERLAPS), [], `${name}: overlaps, ${width}`);
      assert.deepEqual(await page.evaluate(CUT_OFF), [], `${name}: cut off, ${width}`);
      assert.deepEqual(await page.evaluate(STICKING_OUT), [], `${name}: sticks out, ${width}`);
      assert.deepEqual(await page.evaluate(COLLISIONS), [], `${name}: collisions, ${width}`);
    }
  }
  // On paper, of whoever prefers dark pages.
  await page.setViewportSize({ width: PAPER, height: 900 });
  await page.emulateMedia({ media: 'print' });
  await until(page, `document.documentElement.dataset.theme === 'light' && ${ALL_DRAWN}`);
  await page.screenshot({ path: join(PICTURES, `${name}-print.png`), fullPage: true });
  assert.ok(Number(await page.evaluate(OVERFLOW)) <= 0, `${name}: wider than paper`);
  assert.deepEqual(await page.evaluate(SPILLED), [], `${name}: spilled, paper`);
  await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 900 });
}
