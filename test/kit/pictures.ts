import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { ROOT } from './emulate.js';

/** For people to look at. */
export const PICTURES = join(ROOT, 'dist', 'pictures');
const LOOK_MS = 20;
const WIDTHS = [390, 768, 1440];

/** In the page: titles of cards that show nothing below their title. */
const EMPTY_CARDS = `[...document.querySelectorAll('.card')]
  .filter((card) => card.querySelector('svg, canvas, table, pre, ul') === null)
  .filter((card) => card.innerText.trim() === (card.querySelector('h2')?.innerText ?? '').trim())
  .map((card) => card.innerText)`;
const ALL_DRAWN = `document.querySelectorAll('.uplot').length ===
  document.querySelectorAll('.chart').length`;
const OVERFLOW = 'document.documentElement.scrollWidth - innerWidth';

/** Until an expression holds in the page, whose policy may forbid to evaluate it by itself. */
export async function until(page: Page, expression: string): Promise<void> {
  while (!(await page.evaluate(expression))) await page.waitForTimeout(LOOK_MS);
}

/** A picture of a page at each width and in both themes; no card is empty, and nothing too wide. */
export async function takePictures(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      // Charts that are not seen are not drawn.
      await page.evaluate('dispatchEvent(new Event("beforeprint"))');
      await until(page, ALL_DRAWN);
      const path = join(PICTURES, `${name}-${colorScheme}-${width}.png`);
      await page.screenshot({ path, fullPage: true });
      assert.ok(Number(await page.evaluate(OVERFLOW)) <= 0, `${name}: wider than ${width}`);
      assert.deepEqual(await page.evaluate(EMPTY_CARDS), []);
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 900 });
}
