// Whole games in the page of the server.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { clickMove } from '../browser.mjs';
import { DESKTOP, expectHash, growing, hash, server, text, until, visitor } from './visiting.mjs';

const GAME = '[Event "Club"]\n[White "Lee, A"]\n[Black "Roy, B"]\n[Result "0-1"]\n\n1. f3 {weak} e5 2. g4 Qh4# 0-1\n';

async function analysed(t, options = DESKTOP) {
  const serving = await server(t);
  const visiting = await visitor(t, serving, options);
  const page = await visiting.open();
  await page.locator('#new-root:visible, .welcome button').first().click();
  await page.locator('#paste').fill(GAME);
  await page.locator('#whole-game').click();
  await page.getByLabel('Tree depth of each').fill('1');
  await page.getByRole('button', { name: 'Analyse the game' }).click();
  await page.locator('.whole-game #moves .move').first().waitFor();
  return { serving, ...visiting, page };
}

const allDone = page => page.locator('.game-names', { hasText: 'all 4 positions analysed' }).waitFor();

test('a game is pasted, analysed whole, walked through, and leads to the analyses of its positions', async t => {
  const { page, again } = await analysed(t);
  await allDone(page);
  assert.equal(await text(page, '.game-names h1'), 'Lee, A – Roy, B');
  await expectHash(page, '#game/1');
  assert.deepEqual(await page.locator('#moves .move').evaluateAll(all => all.map(one => one.firstChild.textContent)), ['f3', 'e5', 'g4', 'Qh4#']);
  for (let ply = 1; ply <= 3; ply++) await page.keyboard.press('ArrowRight');
  await until(page, () => document.querySelector('#here-title').textContent.startsWith('2. g4'));
  await expectHash(page, '#game/1/3');
  // Its reply is mate: nothing of the kind stands before the first answer.
  assert.match(await text(page, '#played'), /^Played: 2\.\.\. Qh4#/);
  await page.locator('#board').hover();
  await page.mouse.wheel(0, -100);
  await until(page, () => document.querySelector('#here-title').textContent.startsWith('1... e5'));
  await clickMove(page, 'a2', 'a3');
  await until(page, () => document.querySelector('#played').textContent === 'Tried: 2. a3');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await page.locator('#game-plot .ply').count(), 5);
  // Back to it after a reload.
  const other = await again('#game/1/3');
  await until(other, () => document.querySelector('#here-title')?.textContent.startsWith('2. g4'));
  await page.locator('#open-analysis').click();
  await page.locator('#tree .row').first().waitFor();
  assert.match(await text(page, '#root-name'), /1\.\.\. e5$/);
  // Keyboard users go on at the place of the button.
  await until(page, () => document.activeElement.matches('main.root'));
  await page.goBack();
  await page.locator('.whole-game #moves').waitFor();
});

test('a game is one card, whose positions fold out of it, and is deleted with them', async t => {
  const { page, serving } = await analysed(t);
  await allDone(page);
  assert.equal(await page.locator('.agenda .card').count(), 1);
  await page.getByRole('button', { name: /^List the positions/ }).click();
  assert.deepEqual(await page.locator('.game-positions a').allTextContents(), ['Start', '1. f3', '1... e5', '2. g4']);
  await page.locator('.card.whole').getByRole('button', { name: /^More about/ }).click();
  assert.ok(await page.getByRole('menuitem', { name: /Resume all/ }).isHidden());
  await page.getByRole('menuitem', { name: /Delete/ }).click();
  await page.locator('dialog[open] .danger').click();
  await page.locator('.welcome').waitFor();
  assert.equal((await serving.api('GET', 'analyses')).analyses.length, 0);
});

test('the annotated game and its page are taken away as files', async t => {
  const { page } = await analysed(t);
  await allDone(page);
  const saved = async name => {
    await page.locator('.game-head').getByRole('button', { name: /^More about/ }).click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name }).click()]);
    return readFileSync(await download.path(), 'utf8');
  };
  const pgn = await saved(/PGN/);
  assert.match(pgn, /\[White "Lee, A"\][^]*1\. f3 \{ \[%eval /);
  assert.match(pgn, /weak/);
  assert.match(await saved(/HTML/), /<title>Lee, A – Roy, B<\/title>/);
});

test('what has changed in a game while it is shown is shown', async t => {
  const serving = await server(t);
  const { open } = await visitor(t, serving);
  const game = await serving.api('POST', 'games', { pgn: GAME, each: { depth: 40, distance: 30, start: false } });
  const page = await open('#game/1');
  await page.locator('#score.unknown').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await until(page, () => !document.querySelector('#score.unknown'));
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  assert.equal(game.analyses.length, 4);
});

test('a repertoire of a file is included, and games are reviewed beside it', async t => {
  const { page, serving } = await growing(t, DESKTOP, { moves: '', name: 'Mine', depth: 1, engine_depth: 5, distance: 5 });
  const file = (name, pgn) => {
    const path = join(serving.folder, name);
    writeFileSync(path, pgn);
    return path;
  };
  const more = async item => {
    await page.locator('.card').getByRole('button', { name: /^More about/ }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await more(/Include a repertoire/);
  await page.locator('dialog[open] input[type=file]').setInputFiles(file('mine.pgn', '1. e4 e5 2. Nf3 *\n'));
  await page.locator('dialog[open] .primary').click();
  await page.locator('.toast', { hasText: 'mine.pgn: 3 moves, 4 positions; new: 3 moves' }).waitFor();
  await page.locator('.card.done').waitFor();
  await more(/Review games/);
  await page.locator('dialog[open] input[type=file]').setInputFiles(file('games.pgn', '[White "Lee, A"]\n[Black "B"]\n\n1. e4 e5 2. Bc4 *\n'));
  await page.getByLabel('Player').fill('Lee');
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  await page.locator('.refused', { hasText: 'near names: Lee, A (1 game)' }).waitFor();
  await page.getByLabel('Player').fill('Lee, A');
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  await page.locator('.reviewed', { hasText: '1 game: 1 left by you' }).waitFor();
  assert.match(await text(page, '.reviewed li'), /2\. Bc4 in 1 game: you left it.*yours: Nf3/);
  await page.locator('.reviewed li a').click();
  await until(page, () => location.hash === '#1/e2e4,e7e5');
});
