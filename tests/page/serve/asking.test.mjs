// Why a move is not the best one, asked on the page, in Chromium.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drag } from '../browser.mjs';
import { growing, pause, showTab, text, until } from './visiting.mjs';

test('a move that the tree does not have is answered at once, then searched', async t => {
  const { page, serving, id } = await growing(t);
  await pause(page, serving, id);
  await showTab(page, 'tree');
  const { moves } = await serving.api('GET', `analyses/${id}/moves`);
  const file = 'hgabc'.split('').find(one => !moves.some(move => move.uci === `${one}2${one}4`));
  assert.equal(await page.locator('#why').count(), 0, 'the root is analysed');
  await drag(page, `${file}2`, `${file}4`);
  await page.locator('#why h3', { hasText: `No answer lists 2. ${file}4` }).waitFor();
  await page.locator('#why p', { hasText: 'Searched to engine depth' }).waitFor();
  const told = await text(page, '#why');
  await page.keyboard.press('ArrowLeft');
  await until(page, () => !document.querySelector('#why'));
  await drag(page, `${file}2`, `${file}4`);
  await page.locator('#why p', { hasText: 'Searched to engine depth' }).waitFor();
  assert.equal(await text(page, '#why'), told, 'the second question has the same answer');
  const after = await serving.api('GET', `analyses/${id}/moves`);
  assert.deepEqual(after.moves.map(move => move.uci), moves.map(move => move.uci), 'nothing else changes');
});
