// Habits of players from elsewhere, in Chromium.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drag, IS_FIREFOX, nextFrame, square } from '../browser.mjs';
import { DESKTOP, growing, hash, outside, pause, sans, text, until } from './visiting.mjs';

const at = (page, line) => until(page, line => (location.hash.split('/')[1] ?? '') === line, line);
const plies = (page, count) => until(page, count => (location.hash.split('/')[1]?.split(',') ?? []).filter(Boolean).length === count, count);

/** A move with a position behind it that is analysed, not the best one where there are several. */
async function analysedMove(serving, id) {
  for (;;) {
    const { moves } = await serving.api('GET', `analyses/${id}/moves`);
    const found = moves.filter(move => move.alpha && move.analysed);
    if (found.length) return found[found.length - 1];
    await serving.event('tree');
  }
}

test('the wheel on the board walks along the line, space plays the best move', async t => {
  const { page, serving, id } = await growing(t);
  await pause(page, serving, id);
  const { x, y } = await square(page, 'e4');
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, 100);
  await plies(page, 1);
  // Small turns are collected, as touchpads give them.
  for (let i = 0; i < 3; i++) await page.mouse.wheel(0, 25);
  await plies(page, 2);
  await page.mouse.wheel(0, -100);
  await page.mouse.wheel(0, -100);
  await plies(page, 0);
  const { moves } = await serving.api('GET', `analyses/${id}/moves`);
  await page.keyboard.press(' ');
  await at(page, moves.find(move => move.alpha).uci);
  await page.mouse.move(5, 5);
  assert.equal(await page.evaluate(() => document.scrollingElement.scrollTop), 0);
});

test('the number is of the board, and the root\u2019s is one click away', async t => {
  const { page, serving, id } = await growing(t);
  const second = await analysedMove(serving, id);
  await pause(page, serving, id);
  assert.equal(await page.locator('#root-verdict').count(), 0);
  // The card can say that it is paused before the last tree is read.
  const { best: last } = await serving.api('GET', `analyses/${id}/moves`);
  await until(page, ({ san, cp }) => document.querySelector('.best-move')?.textContent.endsWith(san) && document.querySelector('#verdict-score [aria-hidden]').textContent.endsWith((Math.abs(cp) / 100).toFixed(2)), { san: last.san, cp: last.score.cp });
  const [whole, best] = [await text(page, '#verdict-score [aria-hidden]'), await text(page, '.best-move')];
  await page.evaluate(named => (location.hash = named), `#${id}/${second.uci}`);
  await at(page, second.uci);
  await until(page, () => document.querySelector('.best-move')?.textContent.startsWith('2... '));
  const told = await text(page, '#verdict-score [aria-hidden]');
  assert.equal(told, await text(page, '#moves .number'), 'as the first row has it');
  await nextFrame(page);
  assert.equal(told, await page.locator('.cg-custom-svgs rect[fill="#15781b"] ~ text').textContent(), 'and the arrow');
  assert.equal((await text(page, '#root-verdict')).replace(/\s+/g, ' '), `Verdict ${whole} ${best}`);
  await page.locator('#root-verdict').click();
  await at(page, '');
  assert.equal(await text(page, '#verdict-score [aria-hidden]'), whole);
});

test('a move is typed, a line too, and what cannot be played is said', async t => {
  const { page } = await growing(t);
  await page.keyboard.press('m');
  await page.keyboard.type('Nf3');
  await page.keyboard.press('Enter');
  await at(page, 'g1f3');
  await page.keyboard.type('2... Nc6 Bb5');
  await page.keyboard.press('Enter');
  await at(page, 'g1f3,b8c6,f1b5');
  await page.keyboard.type('Qh8');
  await page.keyboard.press('Enter');
  await page.locator('#type-move-error', { hasText: '\u201cQh8\u201d cannot be played' }).waitFor();
  assert.equal(await page.locator('#type-move[aria-invalid]').count(), 1);
  await page.keyboard.type('x');
  await until(page, () => !document.querySelector('#type-move[aria-invalid]') && document.querySelector('#type-move-error').textContent === '');
  await page.keyboard.press('Escape');
  await page.keyboard.press('ArrowLeft');
  await at(page, 'g1f3,b8c6');
});

test('pointing at a move of a line shows its position, a click goes there', async t => {
  const { page, serving, id } = await growing(t);
  await until(page, () => document.querySelector('#moves .pv'));
  await pause(page, serving, id);
  const move = page.locator('#moves .pv').first();
  const line = await move.getAttribute('data-line');
  await move.hover();
  await page.locator('#preview cg-board piece').first().waitFor();
  assert.equal(await page.locator('#preview square.last-move').count(), 2);
  await page.mouse.move(5, 5);
  await page.locator('#preview').waitFor({ state: 'hidden' });
  await move.click();
  await at(page, line.split(' ').join(','));
});

test('another move in the game before the root is asked about, and makes an analysis of its own', async t => {
  const { page, serving, id } = await growing(t, DESKTOP, { moves: 'e4 e5 Nf3 Nc6', name: 'A game' });
  for (let i = 0; i < 2; i++) await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await until(page, () => document.querySelector('#line [aria-current]')?.textContent === 'e4');
  // The game's own move walks along it.
  await drag(page, 'e7', 'e5');
  await until(page, () => document.querySelector('#line [aria-current]')?.textContent === 'e5');
  await page.keyboard.press('ArrowLeft');
  await until(page, () => document.querySelector('#line [aria-current]')?.textContent === 'e4');
  await drag(page, 'c7', 'c5');
  await page.locator('dialog', { hasText: '1... c5 would have been played before the analysed position' }).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.locator('.modal').waitFor({ state: 'detached' });
  // Several at once: the game's own first, then others.
  await page.keyboard.press('Home');
  await page.keyboard.press('m');
  await page.keyboard.type('e4 c5 Nf3');
  await page.keyboard.press('Enter');
  await page.locator('dialog', { hasText: '1... c5 2. Nf3 would have been played before the analysed position' }).waitFor();
  await page.getByRole('button', { name: 'Analyse it' }).click();
  await until(page, before => location.hash !== '' && location.hash !== `#${before}`, id);
  await until(page, () => document.querySelector('#line [aria-current]')?.textContent === 'Nf3' && document.querySelectorAll('#line .move').length === 3);
  const { analyses } = await serving.api('GET', 'analyses');
  assert.deepEqual(analyses.map(one => one.history.join(' ')).sort(), ['e2e4 c7c5 g1f3', 'e2e4 e7e5 g1f3 b8c6']);
});

test('FEN, line and PGN are copied from where one looks', async t => {
  const { page, context } = await growing(t);
  // Firefox has no such permissions; there a click is enough.
  if (!IS_FIREFOX) await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const copied = async name => {
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByRole('menuitem', { name: `Copy ${name}` }).click();
    await page.locator('.toast', { hasText: `${name} copied` }).waitFor();
    // As a user pastes it: in Firefox, no page may read the clipboard unasked.
    await page.evaluate(() => document.body.appendChild(document.createElement('textarea')).focus());
    await page.keyboard.press('Control+v');
    return page.evaluate(() => {
      const box = document.querySelector('body > textarea');
      box.remove();
      return box.value;
    });
  };
  const [from, to] = await outside(page);
  await drag(page, from, to);
  await at(page, from + to);
  assert.match(await copied('FEN'), /^rnbqkbnr\/pppp1ppp\/8\/4p3\/\S+ b KQkq \S+ 0 2$/);
  assert.equal(await copied('line'), `2. ${to}`);
  assert.equal(await copied('PGN'), `[Event "A game"]\n\n1. e4 e5 2. ${to} *\n`);
});

test('arrows and circles are drawn with the right button', async t => {
  const { page, serving, id } = await growing(t);
  await pause(page, serving, id);
  const [a, b] = [await square(page, 'b1'), await square(page, 'c3')];
  const shapes = () => page.locator('.cg-shapes g[cgHash*="green"], .cg-shapes g[cgHash*="b1"]').count();
  const before = await shapes();
  await page.mouse.move(a.x, a.y);
  await page.mouse.down({ button: 'right' });
  await page.mouse.move(b.x, b.y);
  await nextFrame(page);
  await page.mouse.up({ button: 'right' });
  await until(page, count => document.querySelectorAll('.cg-shapes g[cgHash*="green"], .cg-shapes g[cgHash*="b1"]').length > count, before);
});

test('the way to the board by keys is short, whatever the number of analyses', async t => {
  const { page, serving } = await growing(t);
  for (const move of ['a3', 'a4', 'b3', 'b4', 'c3', 'c4', 'd3', 'd4', 'e3', 'f3']) await serving.api('POST', 'analyses', { moves: move, start: false });
  // Where nothing was clicked yet.
  await page.reload();
  await page.locator('.card').nth(10).waitFor();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the board');
  await page.keyboard.press('Enter');
  await until(page, () => document.activeElement.id === 'type-move');
  // The list of analyses is one stop, with what can be done with the one that has it; arrows go through it.
  await page.getByLabel('Order', { exact: true }).focus();
  await page.keyboard.press('Tab');
  await until(page, () => document.activeElement.matches('.card.shown .card-main'));
  await page.keyboard.press('ArrowDown');
  await until(page, () => document.activeElement.matches('.card:nth-child(2) .card-main'));
  for (let i = 0; i < 3; i++) await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.closest('.agenda')), null);
});

test('x shows what the other side threatens, and hides it', async t => {
  const { page, serving } = await growing(t, DESKTOP, { moves: 'e4 e5 Qh5 Nc6 Bc4 Nf6' });
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await until(page, () => document.querySelector('#line [aria-current]')?.textContent === 'Nc6');
  await page.keyboard.press('ArrowRight');
  await until(page, () => document.querySelector('#line [aria-current]')?.textContent === 'Bc4');
  const red = page.locator('.cg-custom-svgs rect[fill="#882020"] ~ text');
  await page.keyboard.press('x');
  await page.locator('.said', { hasText: 'Threat: Qxf7#, #1' }).waitFor();
  assert.equal(await red.textContent(), '#1');
  await page.keyboard.press('x');
  await red.waitFor({ state: 'detached' });
  assert.deepEqual(await serving.api('GET', 'threat?fen=4k3/8/8/8/8/8/4r3/4K3 w - - 0 1'), { threat: null });
  await assert.rejects(serving.api('GET', 'threat?fen=nonsense'), /FEN/);
});

test('a pawn that is typed to its last rank is said what to write for', async t => {
  const { page } = await growing(t, DESKTOP, { fen: '8/4P1k1/8/8/8/8/6K1/8 w - - 0 1', depth: 1, engine_depth: 5 });
  const type = async move => {
    await page.locator('#type-move').fill(move);
    await page.keyboard.press('Enter');
  };
  for (const move of ['e8', 'e7e8']) {
    await type(move);
    await page.locator('#type-move-error', { hasText: `\u201c${move}\u201d promotes: write ${move}=Q, ${move}=R, ${move}=B or ${move}=N` }).waitFor();
  }
  await type('e7e8=N');
  await until(page, () => location.hash.endsWith('/e7e8n'));
});
