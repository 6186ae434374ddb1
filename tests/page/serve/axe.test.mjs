// Objections of axe to the page of the server, in Chromium.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import { drag } from '../browser.mjs';
import { DESKTOP, growing, outside, PHONE, showMoves, showTab } from './visiting.mjs';

/** A set of games that new analyses know. */
const GAMES = fileURLToPath(new URL('../../../docs/gallery/annotated.pgn', import.meta.url));
const GAME = '[White "Lee, A"]\n[Black "Roy, B"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n';

for (const options of [{ ...DESKTOP, colorScheme: 'light' }, { ...DESKTOP, colorScheme: 'dark' }, PHONE]) {
  test(`axe finds nothing to object to, ${options.colorScheme ?? 'phone'}`, async t => {
    const { page, serving } = await growing(t, { ...options, bypassCSP: true }, undefined, undefined, ['--games', GAMES]);
    await page.evaluate(axe.source);
    const check = async where => {
      const { violations } = await page.evaluate(() => window.axe.run());
      const found = violations.map(one => `${where}: ${one.id}: ${one.nodes.map(node => node.html.slice(0, 120)).join(' | ')}`);
      assert.deepEqual(found, []);
    };
    const [from, to] = options === PHONE ? [] : await outside(page);
    if (from) {
      await drag(page, from, to);
      await page.locator('#follow').click();
      await page.keyboard.press('Home');
      await page.locator('#moves .mark').waitFor();
    }
    await check('start');
    for (const tab of ['course', 'directives', 'engines', 'log']) {
      await showTab(page, tab);
      // As if there were much more to tell.
      await page.evaluate(() => (document.getElementById('tab-panel').style.maxHeight = '40px'));
      await check(tab);
    }
    await page.evaluate(() => (document.getElementById('tab-panel').style.maxHeight = ''));
    await page.locator('.about').click();
    await check('about');
    await page.keyboard.press('Escape');
    await showTab(page, 'tree');
    await page.locator('#tree .row').first().waitFor();
    await check('tree');
    await showMoves(page);
    await page.locator('#moves .row-menu button').first().click();
    await check('menu');
    await page.getByRole('menuitem', { name: 'Give it a value' }).click();
    await check('value');
    await page.keyboard.press('Escape');
    if (options === PHONE) await page.getByRole('button', { name: 'Analyses', exact: true }).click();
    await check('agenda');
    await page.locator('#new-root').click();
    await check('new');
    await page.locator('#paste').fill(GAME);
    await page.locator('#whole-game').click();
    // By its role: behind axe, playwright's search by labels ends Firefox.
    await page.getByRole('radio', { name: 'for', exact: true }).check();
    await check('whole game');
    await page.getByRole('button', { name: 'Set up a board', exact: true }).click();
    await check('board');
    await page.keyboard.press('Escape');
    for (const name of [/until when/, /Closing search now/, /Recheck with a deeper search/, /Include a repertoire/, /Review games/]) {
      await page.locator('.card').getByRole('button', { name: /^More about/ }).click();
      await page.getByRole('menuitem', { name }).click();
      await check(String(name));
      await page.keyboard.press('Escape');
    }
    await page.getByRole('button', { name: 'More about all analyses' }).click();
    await page.getByRole('menuitem', { name: /Merge another database/ }).click();
    await check('merge');
    await page.keyboard.press('Escape');
    await serving.api('POST', 'games', { pgn: GAME, each: { depth: 1, distance: 10, engine_depth: 5 } });
    await page.locator('.card.whole .card-main').click();
    await page.locator('.game-names', { hasText: 'all 4 positions analysed' }).waitFor();
    await page.getByRole('button', { name: 'Next mistake' }).or(page.locator('#last')).first().click();
    if (options === PHONE) await page.getByRole('button', { name: 'Analyses', exact: true }).click();
    await page.getByRole('button', { name: /^List the positions/ }).click();
    await check('game card');
    if (options === PHONE) await page.getByRole('button', { name: 'Close the analyses' }).click();
    await check('game');
  });
}
