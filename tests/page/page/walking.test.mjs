// Walking along lines, on the board and by keys, in Chromium.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clickMove, drag, nextFrame } from '../browser.mjs';
import { dataOf, expectLine, fen, flagged, line, open, text } from './opening.mjs';

test('the arrow keys walk along the best line and back, over siblings, to both ends', async t => {
  const page = await open(t, 'circles.html');
  const { places, start } = await dataOf(page);
  assert.equal(await fen(page), start);
  await page.keyboard.press('ArrowRight');
  await expectLine(page, [places[0][0][0]]);
  assert.notEqual(await fen(page), start);
  await page.keyboard.press('ArrowDown');
  await expectLine(page, [places[0][1][0]]);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('End');
  const best = await line(page);
  assert.ok(best.length > 2, `${best}`);
  assert.equal(await page.locator('#main-line .move:not(.own)').count(), best.length);
  await page.keyboard.press('ArrowLeft');
  await expectLine(page, best.slice(0, -1));
  await page.keyboard.press('Home');
  assert.equal(await fen(page), start);
  assert.match(await text(page, '#line'), /1|3/, 'what is ahead stays there to walk on');
});

test('a click and a drag on the board play moves of the tree', async t => {
  const page = await open(t, 'circles.html');
  const { places } = await dataOf(page);
  const [first] = places[0][0];
  await clickMove(page, first.slice(0, 2), first.slice(2, 4));
  await expectLine(page, [first]);
  const reply = places[places[0][0][7]][0][0];
  await page.locator('#flip').click();
  await page.locator('#flip').click();
  await drag(page, reply.slice(0, 2), reply.slice(2, 4));
  await expectLine(page, [first, reply]);
  assert.equal(await page.locator('#moves tr').count(), places[places[places[0][0][7]][0][7]]?.length ?? 0);
});

test('the candidates have arrows with their scores', async t => {
  const page = await open(t, 'circles.html');
  const { places } = await dataOf(page);
  const candidates = places[0].filter(move => move[6] & 1);
  await nextFrame(page);
  assert.equal(await page.locator('.cg-shapes line').count(), Math.min(candidates.length, 6));
  const labels = await page.locator('.cg-custom-svgs text').allTextContents();
  const best = await page.locator('#moves tr:first-child .alpha .number').innerText();
  assert.ok(labels.includes(best), `${labels} have ${best}`);
});

test('a move that the tree does not have is played and marked as not analysed', async t => {
  const page = await open(t, 'circles.html');
  const { places } = await dataOf(page);
  const listed = places[0].map(move => move[0]);
  const outside = ['a2a4', 'h2h4', 'f2f3', 'g2g4', 'a2a3', 'h2h3'].find(uci => !listed.includes(uci));
  await drag(page, outside.slice(0, 2), outside.slice(2, 4));
  await expectLine(page, [outside]);
  assert.match(await text(page, '#note'), /is not in the tree here.*not analysed/);
  assert.equal(await page.locator('#moves tr').count(), 0);
  assert.equal(await page.locator('#line .outside').count(), 1);
  await page.keyboard.press('ArrowLeft');
  assert.equal(await page.locator('#moves tr').count(), listed.length);
});

test('a line can be typed in, and what cannot be played is named', async t => {
  const page = await open(t, 'circles.html');
  const { places } = await dataOf(page);
  const [first, reply] = [places[0][0], places[places[0][0][7]][0]];
  await page.fill('#typed', `3. ${first[1]} ${reply[0]}`);
  await page.keyboard.press('Enter');
  await expectLine(page, [first[0], reply[0]]);
  await page.fill('#typed', `${first[1]} Ke3`);
  await page.keyboard.press('Enter');
  assert.match(await text(page, '#typed-error'), /Ke3.*cannot be played after 3\. /);
  assert.deepEqual(await line(page), [first[0], reply[0]], 'the board stays');
  await page.fill('#typed', 'e4 e5 Nf3 Nc6 Bb5 a6 0-0');
  await page.keyboard.press('Enter');
  assert.equal(await text(page, '#typed-error'), '');
  assert.match(await fen(page), /RNBQ1RK1 b kq/);
});

test('a transposition goes on where its moves are printed, and leads there', async t => {
  const page = await open(t, 'ending.html');
  const data = await dataOf(page);
  const { line: way, move } = flagged(data, 4);
  await page.fill('#typed', way.join(' '));
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('#moves tr').count(), data.places[move[7]].length);
  assert.match(await text(page, '#elsewhere'), /Transposition: these moves are printed under .*scores are those of that line/);
  const before = await fen(page);
  await page.locator('#to-printed').click();
  const printed = await line(page);
  assert.notDeepEqual(printed, way);
  const key = text => text.split(' ').slice(0, 4).join(' ');
  assert.equal(key(await fen(page)), key(before), 'another way to the same position');
  assert.ok(await page.locator('#elsewhere').isHidden());
  await page.goBack();
  await expectLine(page, way);
  assert.ok(await page.locator('#elsewhere').isVisible(), 'Back shows the way that was taken');
});

test('the link of a transposition in the tree jumps to its moves', async t => {
  const page = await open(t, 'ending.html');
  await page.locator('#open-all').click();
  const link = page.locator('.row .jump', { hasText: 'transposition' }).first();
  const where = (await link.innerText()).split('\u2192')[1].trim();
  await link.click();
  const words = (await text(page, '#line')).replace('Start', '').replace(/\s+/g, ' ').trim();
  assert.equal(words, where);
  assert.equal(await page.locator('.row.selected').count(), 1);
});

test('a repetition is marked and said to be a draw', async t => {
  const page = await open(t, 'ending.html');
  const { line: way } = flagged(await dataOf(page), 2);
  await page.fill('#typed', way.join(' '));
  await page.keyboard.press('Enter');
  assert.match(await text(page, '#note'), /Repetition/);
});

test('the moves of the game before the root can be stepped through', async t => {
  const page = await open(t, 'circles.html');
  const { game, start, before } = await dataOf(page);
  const moves = before.split(' ');
  assert.equal(moves.length, 4);
  await page.keyboard.press('Home');
  assert.equal(await fen(page), game);
  assert.match(await text(page, '#note'), /before the analysed position/);
  assert.equal(await page.locator('#moves tr').count(), 0);
  for (const uci of moves) {
    await page.keyboard.press('ArrowRight');
    await nextFrame(page);
    const lit = await page.locator('cg-board square.last-move').count();
    assert.equal(lit, 2, `${uci} is marked on the board`);
  }
  assert.equal(await fen(page), start);
  assert.ok((await page.locator('#moves tr').count()) > 0);
  await page.keyboard.press('ArrowRight');
  assert.equal((await line(page)).length, 1);
  await page.locator('#line .before', { hasText: 'Nf6' }).click();
  assert.deepEqual(await line(page), []);
  assert.match(await fen(page), /^rnbqkb1r\//);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await fen(page), game, 'there is nothing before the game');
});

test('behind the tree the line goes on as the engine searched, and says so', async t => {
  const page = await open(t, 'staged.html');
  const { lines } = await dataOf(page);
  const [best] = lines;
  const [moves, own] = [best.moves.split(' '), best.own.split(' ').filter(Boolean)];
  assert.ok(own.length > 0, 'the engine told of more than the tree has');
  assert.equal(await page.locator('#main-line .own').count(), own.length);
  assert.match(await text(page, '#moves tr:first-child .own'), /^\s*\[\d+\./);
  await page.keyboard.press('End');
  await expectLine(page, moves);
  assert.match(await text(page, '#note'), /The tree ends here.*engine.s own search goes on: \d+\./);
  await page.keyboard.press('ArrowRight');
  await expectLine(page, [...moves, own[0]]);
  assert.match(await text(page, '#note'), /the engine.s own line/);
  await page.locator('#main-line .own').last().click();
  await expectLine(page, [...moves, ...own]);
});

test('a pawn is promoted to what is chosen', async t => {
  const page = await open(t, 'promotions.html');
  await drag(page, 'f7', 'f8');
  await page.locator('#promotion-choices').getByText('Rook').click();
  await expectLine(page, ['f7f8r']);
  await page.keyboard.press('ArrowLeft');
  await expectLine(page, []);
  await drag(page, 'f7', 'f8');
  await page.locator('#promotion-choices').getByText('Rook').waitFor();
  await page.keyboard.press('Escape');
  assert.match(await fen(page), /5P2/, 'a move not chosen is not played');
  await nextFrame(page);
  assert.equal(await page.locator('piece.white.pawn:not(.ghost)').count(), 1);
});

test('the address keeps the line', async t => {
  const page = await open(t, 'circles.html', {}, '#e2e4,e7e5');
  await expectLine(page, ['e2e4', 'e7e5']);
  assert.match(await fen(page), /4p3\/4P3/);
  await page.evaluate(() => { location.hash = '#d2d4'; });
  await page.waitForFunction(() => document.getElementById('fen').value.includes('3P4'));
  await page.evaluate(() => { location.hash = '#%%%,<b>'; });
  await page.waitForFunction(() => document.getElementById('fen').value.includes('PPPPPPPP'));
});

test('a game is stepped through with the verdict of each position', async t => {
  const page = await open(t, 'game.html');
  assert.equal(await page.title(), '</script><script>document.title=\'broken\'</script><!-- <img src=x onerror=alert(1)> – B');
  const { game } = JSON.parse(await page.locator('#game-data').textContent());
  // It opens before the first mistake.
  const mistake = game.positions.findIndex(({ played }) => [2, 4].includes(played?.glyph));
  assert.ok(mistake >= 0);
  assert.equal(await page.evaluate(() => location.hash), `#${mistake}`);
  await page.keyboard.press('Home');
  assert.equal(await text(page, '#here-title'), 'Start');
  assert.match(await text(page, '#played'), /^Played: 1\. f3/);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  assert.equal(await text(page, '#here-title'), '1... e5');
  const { value, best, played } = game.positions[2];
  assert.equal((await text(page, '#score')).replace('\u2212', '-').replace('+', ''), (value.cp / 100).toFixed(2));
  assert.ok((await text(page, '#best')).startsWith(`best\n2. ${best[0].san}`), await text(page, '#best'));
  assert.equal(played.glyph, 4);
  assert.match(await text(page, '#played'), /^Played: 2\. g4\?\? #-1; the best line is better\.$/);
  // A move of the best line is shown on the board, and undone.
  const pieces = () => page.locator('#pieces').textContent();
  const before = await pieces();
  await page.locator('#best .move').nth(1).click();
  assert.notEqual(await pieces(), before);
  await page.locator('#best .move').nth(1).click();
  assert.equal(await pieces(), before);
  await page.selectOption('#pov', 'mover');
  await page.locator('#moves .move', { hasText: 'g4' }).click();
  assert.equal(await text(page, '#score'), '#1', 'for the side to move');
  await page.keyboard.press('End');
  assert.equal(await text(page, '#score'), 'Checkmate, Black wins');
  assert.equal(await page.evaluate(() => location.hash), '#4');
  await page.locator('[data-ply="1"]').click();
  assert.equal(await text(page, '#here-title'), '1. f3');
  // Marks: counted for each side, the next one a key away, with a shape of its own in the plot.
  const marks = game.positions.flatMap(({ played }, ply) => (played?.glyph ? ply : []));
  const counts = await page.locator('#players tbody tr').allInnerTexts();
  assert.equal(counts.flatMap(row => row.split(/\t/).slice(-3)).map(Number).reduce((sum, count) => sum + count), marks.length);
  assert.equal(await page.locator('#game-plot polygon.glyph').count(), marks.length);
  await page.keyboard.press('Home');
  for (const ply of marks.slice(0, 3)) {
    if (ply === 0) continue;
    await page.keyboard.press('n');
    assert.equal(await page.evaluate(() => location.hash), `#${ply}`);
  }
  // The wheel walks, space plays the best move, another one can be tried and undone.
  await page.keyboard.press('Home');
  await page.locator('#board').hover({ position: { x: 20, y: 20 } });
  await page.mouse.wheel(0, 100);
  await page.waitForFunction(() => location.hash === '#1');
  const start = await pieces();
  await page.keyboard.press(' ');
  assert.notEqual(await pieces(), start);
  await page.keyboard.press('ArrowLeft');
  assert.equal(await pieces(), start);
  await drag(page, 'h7', 'h6');
  await page.waitForFunction(() => document.getElementById('played').textContent === 'Tried: 1... h6');
  assert.equal(await page.evaluate(() => location.hash), '#1', 'the game has not moved on');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await pieces(), start);
});
