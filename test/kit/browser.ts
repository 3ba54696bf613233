import { execFileSync, spawnSync } from 'node:child_process';
import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';

/** Why pages cannot be opened here; false where they can. */
export const noBrowser =
  spawnSync('chromium', ['--version']).error === undefined ? false : 'chromium is not installed';

/** A loaded machine takes longer to show a page than a person would wait. */
const PATIENCE_MS = 120_000;

/** A browser without a window, and everything that its pages complain about. */
export class TestBrowser {
  readonly said: string[] = [];

  private constructor(private readonly browser: Browser) {}

  static async start(): Promise<TestBrowser> {
    const executablePath = execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim();
    return new TestBrowser(await chromium.launch({ executablePath, args: ['--no-sandbox'] }));
  }

  /** A page that may fetch only what begins so. */
  async open(
    url: string,
    mayFetch: RegExp,
    colorScheme: 'light' | 'dark' = 'light',
  ): Promise<Page> {
    const page = await this.browser.newPage({
      colorScheme,
      viewport: { width: 1280, height: 900 },
    });
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('console', (message) => this.said.push(message.text()));
    page.on('pageerror', (error) => this.said.push(error.message));
    page.on('request', (request) => {
      if (!mayFetch.test(request.url())) this.said.push(`fetched ${request.url()}`);
    });
    await page.goto(url);
    await page.locator('main').waitFor();
    return page;
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}
