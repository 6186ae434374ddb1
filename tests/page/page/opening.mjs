// Opens the pages that `tests/browser/html_page.rs` writes into the folder PAGES.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { launch, visit } from '../browser.mjs';

export let browser;

before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** Opens a page from disk; anything that goes wrong in it, or that it fetches, fails the test. */
export async function open(t, name, options = {}, hash = '') {
  const context = await visit(browser, { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on('pageerror', error => wrong.push(error.message));
  page.on('console', message => message.type() === 'error' && wrong.push(message.text()));
  page.on('request', request => /^(file|data):/.test(request.url()) || wrong.push(request.url()));
  page.on('dialog', dialog => wrong.push(dialog.message()));
  await page.goto(`file://${join(process.env.PAGES, name)}${hash}`);
  t.after(async () => {
    await context.close();
    assert.deepEqual(wrong, []);
  });
  return page;
}

export const dataOf = page => page.evaluate(() => JSON.parse(document.getElementById('tree-data').textContent));
export const line = page => page.evaluate(() => decodeURIComponent(location.hash.slice(1)).split(',').filter(Boolean));
/** The board tells of a move a moment after it. */
export async function expectLine(page, expected) {
  const same = line => decodeURIComponent(location.hash.slice(1)) === line;
  const shows = async error => { throw new Error(`${await line(page)}, not ${expected}`, { cause: error }); };
  await page.waitForFunction(same, expected.join(',')).catch(shows);
}

export const fen = page => page.inputValue('#fen');
export const text = (page, selector) => page.locator(selector).innerText();

/** The first move with a flag whose position has a place, with the line to it. */
export function flagged(data, flag, accept = () => true) {
  const lines = [[]];
  for (let place = 0; place < data.places.length; place++) {
    for (const move of data.places[place]) {
      if (move[6] & flag && move[7] >= 0 && accept(move)) return { line: [...lines[place], move[0]], move, printed: null, lines };
      if (move[7] >= 0 && !(move[6] & 6)) lines[move[7]] = [...lines[place], move[0]];
    }
  }
  throw new Error(`no move with flag ${flag}`);
}
