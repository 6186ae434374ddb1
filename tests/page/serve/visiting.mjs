// A server of its own for each test, and a browser that it knows; `tests/browser/serve_page.rs` names the program and
// the scripted engine.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { launch, visit } from '../browser.mjs';
import { Server } from '../server.mjs';

export let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

export const DESKTOP = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' };
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, reducedMotion: 'reduce' };

export async function server(t, flags, more) {
  const one = new Server(flags, more);
  t.after(() => one.close());
  await one.start();
  return one;
}

/** A browser that the server knows; whatever goes wrong in its pages fails the test. */
export async function visitor(t, { address }, options = DESKTOP) {
  const context = await visit(browser, options);
  const wrong = [];
  t.after(async () => {
    await context.close();
    assert.deepEqual(wrong, []);
  });
  const open = async (hash = '', first = true) => {
    const page = await context.newPage();
    page.on('pageerror', error => wrong.push(error.message));
    page.on('dialog', dialog => wrong.push(dialog.message()));
    await page.goto(first ? address : new URL(address).origin + '/' + hash);
    // The printed address leads to the page.
    if (first) await page.waitForURL(url => url.search === '');
    return page;
  };
  return { context, open, again: hash => open(hash, false) };
}

/** A root that grows, and a page that shows it. */
export async function growing(t, options, root = { moves: 'e4 e5', name: 'A game' }, flags, more) {
  const serving = await server(t, flags, more);
  const { id } = await serving.api('POST', 'analyses', root);
  const visiting = await visitor(t, serving, options);
  const page = await visiting.open();
  await showMoves(page);
  return { serving, ...visiting, page, id };
}

const NAMES = { tree: 'Tree', moves: 'Moves', course: 'Over time', directives: 'Guidance', audit: 'Repertoire', engines: 'Engines', log: 'Log' };

/** A tab, out of the menu where it has no room in the bar. */
export async function showTab(page, id) {
  const tab = page.locator(`#tab-${id}`);
  // With an analysis there are more of them, and less room for each.
  await page.locator('#line').waitFor({ state: 'attached' });
  if (await tab.isVisible()) await tab.click();
  else {
    await page.getByRole('button', { name: 'More tabs' }).click();
    await page.getByRole('menuitem', { name: NAMES[id], exact: true }).click();
  }
  await page.locator(`#tab-panel[data-tab="${id}"]`).waitFor();
}

/** The moves of the position on the board. */
export async function showMoves(page) {
  await showTab(page, 'moves');
  await page.locator('#moves tr').first().waitFor();
}

export const text = (page, selector) => page.locator(selector).first().innerText();
export const hash = page => page.evaluate(() => location.hash);
/** The address follows a moment after the rest. */
export const expectHash = (page, wanted) => until(page, wanted => location.hash === wanted, wanted);
export const sans = page => page.locator('#moves .move').allTextContents().then(all => all.map(one => one.replace(' candidate', '').replace(/^\d+\.+ /, '')));
export const escaped = text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
export const row = (page, san) => page.locator('#moves tr', { has: page.locator('.move', { hasText: new RegExp(`\\s${escaped(san)}( candidate)?$`) }) });
export const until = (page, check, argument) => page.waitForFunction(check, argument);
export const positions = page => page.locator('.facts').innerText().then(all => Number(all.match(/([\d,]+) positions/)?.[1].replace(',', '') ?? 0));

export async function say(page, san, label) {
  await row(page, san).locator('.row-menu button').click();
  await page.getByRole('menuitem', { name: label }).click();
}

/** Messages stay until somebody dismisses them, however long the test takes. */
export const keepMessages = page => page.evaluate(() => {
  const { setTimeout } = window;
  window.setTimeout = (callback, ms, ...more) => (ms >= 7000 ? 0 : setTimeout(callback, ms, ...more));
});

export async function pause(page, serving, id) {
  await serving.api('POST', `analyses/${id}/run`, { action: 'pause' });
  await page.locator('.card.paused').waitFor();
}

/** A legal pawn move that the tree does not have at the root. */
export async function outside(page) {
  const known = await sans(page);
  const found = [['a2', 'a4'], ['h2', 'h4'], ['g2', 'g4'], ['f2', 'f3'], ['a2', 'a3'], ['h2', 'h3'], ['b2', 'b4']].find(([, to]) => !known.includes(to));
  assert.ok(found, `${known}`);
  return found;
}
