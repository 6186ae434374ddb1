// Keys, focus and phones, in Chromium.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tap } from '../browser.mjs';
import { growing, PHONE, positions, server, showMoves, text, until, visitor } from './visiting.mjs';

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
