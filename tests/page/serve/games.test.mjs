// Games out of PGN files, in Chromium.
import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { growing, text, until } from './visiting.mjs';

const game = number => `[Event "Open"]\n[White "Player ${number}"]\n[Black "B"]\n[Date "2020.01.01"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n\n`;

test('every game of a file is reached, by pages and by words', async t => {
  const { page, serving } = await growing(t);
  const path = join(serving.folder, 'games.pgn');
  writeFileSync(path, Array.from({ length: 450 }, (_, i) => game(i + 1)).join(''));
  await page.locator('#new-root').click();
  await page.locator('input[type=file]').setInputFiles(path);
  const told = page.locator('.finder [role=status]');
  await told.filter({ hasText: 'games 1 to 100 of 450' }).waitFor();
  for (const range of ['101 to 200', '201 to 300', '301 to 400', '401 to 450']) {
    await page.getByRole('button', { name: 'Games behind' }).click();
    await told.filter({ hasText: `games ${range} of 450` }).waitFor();
  }
  assert.match(await text(page, '.pick-side option:last-child'), /^450\. Player 450 – B/);
  await page.getByLabel('Find a game').fill('player 333');
  await page.keyboard.press('Enter');
  await told.filter({ hasText: 'games 1 to 1 of 1' }).waitFor();
  await page.locator('.game-moves .move', { hasText: 'Nc6' }).click();
  await page.keyboard.press('ArrowRight');
  await page.locator('.game-moves [aria-current]', { hasText: 'Bb5' }).waitFor();
  await page.getByRole('button', { name: 'Analyse', exact: true }).click();
  await until(page, () => document.querySelector('#line [aria-current]')?.textContent === 'Bb5');
  assert.match(await text(page, '#root-name'), /^Player 333–B 2020, 3\. Bb5$/);
});

test('a file of 20 MB goes to the server as it is, and never through the page', async t => {
  const { page, serving } = await growing(t);
  const path = join(serving.folder, 'large.pgn');
  const count = 20_000;
  const remark = `{${'good '.repeat(250)}} e5`;
  writeFileSync(path, Array.from({ length: count }, (_, i) => game(i + 1).replace('e5', remark)).join(''));
  assert.ok(statSync(path).size > 20_000_000);
  await page.locator('#new-root').click();
  await page.evaluate(() => {
    window.reads = [];
    for (const name of ['text', 'arrayBuffer', 'stream']) {
      const read = Blob.prototype[name];
      Blob.prototype[name] = function () {
        window.reads.push(name);
        return read.call(this);
      };
    }
    FileReader.prototype.readAsText = () => window.reads.push('readAsText');
  });
  await page.locator('input[type=file]').setInputFiles(path);
  await page.locator('.finder [role=status]', { hasText: 'games 1 to 100 of 20,000' }).waitFor();
  assert.deepEqual(await page.evaluate(() => window.reads), []);
  await page.getByLabel('Find a game').fill('19999');
  await page.getByRole('button', { name: 'Find', exact: true }).click();
  await page.locator('.finder [role=status]', { hasText: 'games 1 to 1 of 1' }).waitFor();
  assert.match(await text(page, '.pick-side option'), /^19999\. Player 19999/);
});

test('one box knows moves, a FEN and games, and a file may be dropped anywhere', async t => {
  const { page } = await growing(t);
  await page.locator('#new-root').click();
  const box = page.getByLabel('Moves, FEN or PGN');
  const shown = pieces => until(page, pieces => [...document.querySelectorAll('dialog cg-board piece')].filter(one => !one.matches('.ghost, .fading')).length === pieces, pieces);
  await box.fill('1. e4 d5 2. exd5');
  await shown(31);
  await box.fill('8/8/4k3/8/8/4K3/4P3/8 w - - 0 1');
  await shown(3);
  // As UCI has it, and EPD without counters.
  await box.fill('fen 8/8/4k3/8/8/4K3/4P3/8 w - - moves e3d3 e6d6');
  await shown(3);
  assert.equal(await text(page, '.form-words'), '');
  await box.fill('8/8/8/8/8/8/8/8 w - -');
  await page.locator('.form-words', { hasText: 'empty' }).waitFor();
  await box.fill('1. e4 {best by test} e5 2. Nf3 *');
  await page.locator('.game-moves [aria-current]', { hasText: 'Nf3' }).waitFor();
  // The box keeps the focus for more typing.
  await box.focus();
  await page.keyboard.press('End');
  await page.keyboard.type(' {more');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'paste');
  for (const [pasted, pieces] of [['position startpos moves e2e4', 32], ['position fen 8/8/4k3/8/8/4K3/4P3/8 w - - 0 1 moves e3d3', 3], ['8/8/4k3/8/8/4K3/4P3/8 w', 3], ['8/8/4k3/8/8/4K3/4P3/8 w - - bm Kd4; id "one";', 3], ['1. \u2658f3\u00b1 d5 2. Nc3+- ', 32], ['', 32]]) {
    await box.fill(pasted);
    await shown(pieces);
    assert.equal(await text(page, '.form-words'), '', pasted);
  }
  await box.fill('1. e4 e5 2. Nf3 \u00bd-\u00bd');
  await page.locator('.game-moves [aria-current]', { hasText: 'Nf3' }).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  const drop = pgn => page.evaluate(pgn => {
    const data = new DataTransfer();
    data.items.add(new File([pgn], 'dropped.pgn', { lastModified: pgn.length }));
    document.querySelector('.board').dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }));
  }, pgn);
  await drop(game(7) + game(8));
  await page.locator('.pick-side option', { hasText: '2. Player 8' }).waitFor({ state: 'attached' });
  await drop('8/8/4k3/8/8/4K3/4P3/8 w - - 0 1\n');
  await shown(3);
  await drop(game(9));
  await page.locator('.pick-side option', { hasText: '1. Player 9' }).waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Something else' }).click();
  await shown(32);
  await drop(game(9));
  await page.locator('.pick-side option', { hasText: '1. Player 9' }).waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Analyse', exact: true }).click();
  await until(page, () => document.querySelector('#line [aria-current]')?.textContent === 'a6');
});
