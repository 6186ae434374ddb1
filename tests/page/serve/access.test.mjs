// Keys, focus, phones, and what axe objects to, in Chromium.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import { drag, tap } from '../browser.mjs';
import { DESKTOP, growing, outside, PHONE, positions, server, showMoves, showTab, text, until, visitor } from './visiting.mjs';

/** A set of games that new analyses know. */
const GAMES = fileURLToPath(new URL('../../../docs/gallery/annotated.pgn', import.meta.url));
const GAME = '[White "Lee, A"]\n[Black "Roy, B"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n';

test('keys alone: an analysis is started, walked, directed and its tree unfolded', async t => {
  const serving = await server(t);
  const { open } = await visitor(t, serving);
  const page = await open();
  const focus = () => page.evaluate(() => document.activeElement.textContent || document.activeElement.id);
  const focused = () => page.evaluate(() => {
    const { activeElement: one, body } = document;
    return one === body ? '' : `${one.id} ${one.ariaLabel ?? ''} ${one.textContent}`;
  });
  const tabTo = async name => {
    for (let i = 0; i < 80; i++) {
      if ((await focused()).includes(name)) return;
      await page.keyboard.press('Tab');
    }
    assert.fail(`no way to ${name}, but to ${await focus()}`);
  };
  await page.getByRole('button', { name: 'Start an analysis' }).waitFor();
  await tabTo('Start an analysis');
  await page.keyboard.press('Enter');
  await page.getByLabel('Moves, FEN or PGN').focus();
  await page.keyboard.type('e4 e5');
  await tabTo('Cancel');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  // It has been late once: what the page shows then says why.
  const shows = async error => { throw new Error(`${error.message}\n${await page.evaluate(() => document.body.innerText)}`, { cause: error }); };
  await showMoves(page).catch(shows);
  await page.keyboard.press('ArrowRight');
  await until(page, () => location.hash.includes('/'));
  const best = await text(page, '#line [aria-current]');
  await page.locator('#announced', { hasText: best }).waitFor({ state: 'attached' });
  await page.keyboard.press('ArrowDown');
  await until(page, before => document.querySelector('#line [aria-current]').textContent !== before, best);
  await page.keyboard.press('Home');
  await until(page, () => document.querySelector('#line [aria-current]').textContent === 'e5');
  await tabTo('tab-moves');
  await page.keyboard.press('ArrowLeft');
  await until(page, () => document.activeElement.id === 'tab-tree' && document.querySelector('#tree .row'));
  await tabTo('tree Tree');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'tree');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Home');
  await until(page, () => document.getElementById(document.getElementById('tree').getAttribute('aria-activedescendant'))?.getAttribute('aria-level') === '1');
  await until(page, () => document.querySelector('#tree .row[aria-level="2"]'));
  // The best move may have changed, and its row be folded: then the first key opens it.
  const active = () => {
    const row = document.getElementById(document.getElementById('tree').getAttribute('aria-activedescendant'));
    return { level: Number(row?.getAttribute('aria-level')), isOpen: row?.getAttribute('aria-expanded') === 'true' };
  };
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(`(({ level, isOpen }) => level > 1 || isOpen)((${active})())`);
  if ((await page.evaluate(active)).level === 1) await page.keyboard.press('ArrowRight');
  await page.waitForFunction(`((${active})()).level > 1`);
  await showMoves(page);
  await page.locator('#moves .row-menu button').first().focus();
  await page.keyboard.press('Enter');
  await until(page, () => document.activeElement.getAttribute('role') === 'menuitem');
  await page.keyboard.press('Escape');
  // The focus goes back.
  await until(page, () => document.activeElement.getAttribute('aria-haspopup') === 'menu');
});

test('the focus stays where it is while values change', async t => {
  const { page } = await growing(t);
  await page.locator('#moves .row-menu button').nth(1).focus();
  const label = await page.evaluate(() => document.activeElement.ariaLabel);
  const before = await positions(page);
  await until(page, count => Number(document.querySelector('.facts').innerText.match(/([\d,]+) positions/)?.[1].replace(',', '')) > count, before);
  assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), label);
});

test('a phone needs no sideways scrolling, shows score and board first, and has the analyses in a drawer', async t => {
  const { page } = await growing(t, PHONE);
  const { scroll, width } = await page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, width: innerWidth }));
  assert.ok(scroll <= width, `${scroll} in ${width}`);
  const [score, board] = [await page.locator('#verdict-score').boundingBox(), await page.locator('.board').boundingBox()];
  assert.ok(score.y < board.y && board.width > 320 && board.y + board.height < 844, JSON.stringify([score, board]));
  const small = await page.evaluate(() => [...document.querySelectorAll('.controls button, #moves .move, .row-menu button, .tablist button')].filter(one => one.offsetParent && one.getBoundingClientRect().height < 40).map(one => one.outerHTML));
  assert.deepEqual(small, []);
  await tap(page.getByRole('button', { name: 'Analyses', exact: true }));
  await page.locator('.card', { hasText: 'A game' }).waitFor();
  await tap(page.locator('.card-main').first());
  await until(page, () => !document.querySelector('.agenda.shown'));
  await tap(page.getByRole('button', { name: 'Forward' }));
  await until(page, () => location.hash.includes('/'));
});

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
