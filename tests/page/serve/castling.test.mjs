// Castling in Chess960 on the boards of the server's page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clickMove, drag } from '../browser.mjs';
import { growing, hash, server, showMoves, text, until, visitor } from './visiting.mjs';

const START = '1r2k1r1/pp1pppp1/8/8/8/8/PP1PPPP1/1R2K2R w HBgb - 0 1';

test('a root of Chess960 castles by drag and click, and the server knows the line', async t => {
  const { serving, page, id } = await growing(t, undefined, { fen: START, moves: 'a3 a6' });
  assert.equal((await serving.api('GET', `analyses/${id}`)).variant, 'chess960');
  const expect = line => until(page, line => location.hash === line, `#${id}/${line}`);
  await drag(page, 'e1', 'h1');
  await expect('e1h1');
  await clickMove(page, 'e8', 'b8');
  await expect('e1h1,e8b8');
  assert.match(await text(page, '#line'), /O-O\s+O-O-O/);
  const { fen } = await serving.api('GET', `analyses/${id}/moves?line=e1h1%20e8b8`);
  assert.match(fen, /^2kr2r1\/.*\/1R3RK1 w - - /);
});

test('the board of a new root castles, and the root begins behind it', async t => {
  const { open } = await visitor(t, await server(t));
  const page = await open();
  await page.getByRole('button', { name: 'Start an analysis' }).click();
  await page.getByLabel('Moves, FEN or PGN').fill(START);
  await drag(page, 'e1', 'b1');
  await until(page, () => document.querySelector('dialog textarea').value.endsWith('\n1. O-O-O'));
  await page.getByRole('button', { name: 'Analyse', exact: true }).click();
  await showMoves(page);
  assert.equal(await text(page, '#line [aria-current]'), 'O-O-O');
  assert.match(await hash(page), /^#\d+$/);
});

test('the boxes for castling rights know the files of rooks', async t => {
  const { open } = await visitor(t, await server(t));
  const page = await open();
  await page.getByRole('button', { name: 'Start an analysis' }).click();
  await page.getByRole('button', { name: 'Set up a board', exact: true }).click();
  const fen = page.getByLabel('FEN', { exact: true });
  await fen.fill(START.replace('HBgb', 'Hb'));
  const checked = await page.locator('.rights input').evaluateAll(boxes => boxes.map(box => box.checked));
  assert.deepEqual(checked, [true, false, false, true]);
  await page.getByLabel('White O-O', { exact: true }).uncheck();
  assert.equal(await fen.inputValue(), START.replace('HBgb', 'q'));
});
