// Castling on the board: by drag and click, in Chess960 and in chess.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clickMove, drag } from '../browser.mjs';
import { dataOf, expectLine, fen, open, text } from './opening.mjs';

const rank = async page => (await fen(page)).split('/').at(-1).split(' ')[0];

test('in Chess960 a king is dragged or clicked onto its rook', async t => {
  const page = await open(t, 'chess960.html');
  assert.equal(await fen(page), (await dataOf(page)).root, 'rights are written by files');
  await drag(page, 'e1', 'h1');
  await expectLine(page, ['e1h1']);
  assert.equal(await rank(page), '1R3RK1');
  assert.match(await text(page, '#line'), /O-O/);
  await clickMove(page, 'e8', 'b8');
  await expectLine(page, ['e1h1', 'e8b8']);
  assert.match(await fen(page), /^2kr2r1\/.*\/1R3RK1 w - - /);
  await page.fill('#typed', '2. O-O-O O-O');
  await page.keyboard.press('Enter');
  await expectLine(page, ['e1b1', 'e8g8']);
  assert.match(await fen(page), /^1r3rk1\/.*\/2KR3R w - - /);
  assert.equal(await page.locator('#note').innerText(), '', 'the tree has these moves');
});

test('in Chess960 an arrow key walks into castling, and its place is told', async t => {
  const page = await open(t, 'chess960.html', {}, '#e1b1,e8g8');
  await expectLine(page, ['e1b1', 'e8g8']);
  await page.keyboard.press('ArrowLeft');
  await expectLine(page, ['e1b1']);
  assert.equal(await rank(page), '2KR3R');
  assert.equal(await page.locator('square.last-move').count(), 2);
});

test('in chess a king castles by two squares or onto its rook', async t => {
  const page = await open(t, 'castling.html');
  for (const [play, to, uci, after] of [[drag, 'h1', 'e1g1', 'R4RK1'], [drag, 'g1', 'e1g1', 'R4RK1'], [clickMove, 'a1', 'e1c1', '2KR3R'], [clickMove, 'c1', 'e1c1', '2KR3R']]) {
    await play(page, 'e1', to);
    await expectLine(page, [uci]);
    assert.equal(await rank(page), after);
    await page.keyboard.press('ArrowLeft');
    await expectLine(page, []);
  }
});
