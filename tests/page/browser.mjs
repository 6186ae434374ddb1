// Chromium for the tests, or Firefox with BROWSER=firefox; Chromium's build without a window takes a quarter less of the
// processor.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const PATHS = [process.env.CHROMIUM, '/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export const IS_FIREFOX = process.env.BROWSER === 'firefox';
const firefox = IS_FIREFOX ? await import('./firefox.mjs') : undefined;

/** Longer than anything takes that a test waits for, on a machine with far too much to do. */
const LONG = Number(process.env.PATIENCE ?? 300_000);

export async function launch() {
  if (firefox) return firefox.launch(LONG);
  const executablePath = PATHS.find(path => path && existsSync(path));
  assert.ok(executablePath, 'no chromium: apt-get install chromium');
  return chromium.launch({ executablePath, args: FLAGS, timeout: LONG });
}

/** A visitor of its own, who is patient. */
export async function visit(browser, options) {
  const own = firefox && (options?.colorScheme === 'dark' || options?.isMobile) ? await firefox.launch(LONG, options) : undefined;
  const context = await (own ?? browser).newContext(options);
  if (own) context.on('close', () => own.close());
  context.setDefaultTimeout(LONG);
  return context;
}

/** With a finger; playwright has none for Firefox. */
export const tap = locator => (IS_FIREFOX ? locator.click() : locator.tap());

/** A point on the board's square, White below, with the board in the window. */
export async function square(page, name) {
  const board = page.locator('dialog[open] cg-board, .board cg-board, #board cg-board').first();
  await board.evaluate(element => element.scrollIntoView({ block: 'nearest' }));
  const box = await board.boundingBox();
  const side = box.width / 8;
  return { x: box.x + (name.charCodeAt(0) - 97 + 0.5) * side, y: box.y + (8 - Number(name[1]) + 0.5) * side };
}

/** The board shows a move, arrows and marks with the next frame. */
export const nextFrame = page => page.evaluate(() => new Promise(requestAnimationFrame));

/** Clicks a piece, then where it goes. */
export async function clickMove(page, from, to) {
  for (const name of [from, to]) {
    const { x, y } = await square(page, name);
    await page.mouse.click(x, y);
  }
}

export async function drag(page, from, to) {
  const [a, b] = [await square(page, from), await square(page, to)];
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  for (const part of [0.3, 0.7, 1]) {
    await page.mouse.move(a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part);
    await nextFrame(page);
  }
  await page.mouse.up();
}
