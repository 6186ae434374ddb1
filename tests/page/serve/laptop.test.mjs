// How much of the page is in sight on laptops, tablets and phones, measured in Chromium.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DESKTOP, growing, PHONE, server, showTab, until, visitor } from './visiting.mjs';

const sized = (width, height) => ({ ...DESKTOP, viewport: { width, height } });
const touched = (width, height) => ({ ...PHONE, viewport: { width, height } });
const STEPS = 6;

/** A line that the tree has: it will have it however it grows. */
async function deepLine(serving, id) {
  for (;;) {
    const { moves } = await serving.api('GET', `analyses/${id}/moves`);
    const long = moves.find(move => move.in_tree >= STEPS);
    if (long) return long.line.slice(0, STEPS).map(move => move.uci);
    await serving.event('tree');
  }
}

/** Whole rows of the tree that are in sight, and names that are cut. */
const rows = page =>
  page.evaluate(() => {
    const box = document.querySelector('#tree').getBoundingClientRect();
    const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
    const seen = [...document.querySelectorAll('#tree .row')].filter(row => {
      const at = row.getBoundingClientRect();
      return at.top >= top - 1 && at.bottom <= bottom + 1;
    });
    const cut = seen.filter(row => row.querySelector('.name').getBoundingClientRect().right > row.querySelector('.what').getBoundingClientRect().right + 0.5);
    const height = parseFloat(getComputedStyle(document.querySelector('#tree')).getPropertyValue('--row'));
    return { room: Math.floor((bottom - top) / height), seen: seen.length, cut: cut.map(row => row.textContent) };
  });

/** Elements that are in the window as a whole. */
const inWindow = (page, ...selectors) =>
  page.evaluate(selectors => selectors.filter(one => {
    const at = document.querySelector(one)?.getBoundingClientRect();
    return !at || at.height === 0 || at.top < -1 || at.bottom > innerHeight + 1 || at.left < -1 || at.right > innerWidth + 1;
  }), selectors);

for (const [width, height, least] of [[1440, 900, 12], [1280, 720, 8], [1920, 1080, 20]]) {
  test(`at ${width} \u00d7 ${height} the tree has room for ${least} rows with whole names, and nothing is cut`, async t => {
    const { page, serving, id } = await growing(t, sized(width, height), { moves: 'e4 e5 Nf3 Nc6 Bc4', name: 'A game', distance: 5 });
    await showTab(page, 'tree');
    const line = await deepLine(serving, id);
    await serving.api('POST', `analyses/${id}/run`, { action: 'pause' });
    await page.evaluate(named => (location.hash = named), `#${id}/${line.join(',')}`);
    await until(page, row => document.querySelector('#tree .row.selected')?.id === row, `row-${line.join('-')}`);
    const { room, seen, cut } = await rows(page);
    assert.ok(room >= least && seen >= Math.min(least, STEPS), `${room} rows, ${seen} seen`);
    assert.deepEqual(cut, []);
    assert.deepEqual(await inWindow(page, '.board', '.controls', '#line', '#line [aria-current]', '.headline', '.tabbar', '#tree', '#tree .row.selected'), []);
    // The line stands under the board, which is what is largest.
    const [board, moves] = [await page.locator('.board').boundingBox(), await page.locator('#line').boundingBox()];
    assert.ok(moves.y > board.y + board.height && moves.height >= 50, JSON.stringify([board, moves]));
    assert.ok(board.width > 0.66 * height, `${board.width}`);
  });
}

for (const options of [sized(1440, 900), sized(1280, 720), touched(390, 844)]) {
  const { width, height } = options.viewport;
  test(`no tab is cut at ${width} \u00d7 ${height}, and those without room are in a menu`, async t => {
    const { page, serving, id } = await growing(t, options);
    // With all of them, and a count.
    for (const line of ['a4', 'h4']) await serving.api('POST', `analyses/${id}/directives`, { line, action: 'include' });
    await page.locator('#tab-directives', { hasText: '2' }).waitFor({ state: 'attached' });
    for (const tab of ['tree', 'moves', 'course', 'directives', 'audit', 'engines', 'log']) {
      await showTab(page, tab);
      const cut = await page.evaluate(() => {
        const bar = document.querySelector('.tabbar');
        const edge = bar.getBoundingClientRect().right;
        return [...bar.querySelectorAll('[role=tab]:not([hidden]), .more-tabs:not([hidden]) button')].filter(one => one.getBoundingClientRect().right > edge + 0.5).map(one => one.textContent);
      });
      assert.deepEqual(cut, [], tab);
      assert.equal(await page.locator('[role=tab][aria-selected=true]').getAttribute('id'), `tab-${tab}`);
    }
  });

  test(`the form of a new analysis has its button in sight, and the box has the focus, at ${width} \u00d7 ${height}`, async t => {
    const { page } = await growing(t, options);
    if (width < 700) await page.getByRole('button', { name: 'Analyses', exact: true }).click();
    await page.locator('#new-root').click();
    await until(page, () => document.activeElement.id === 'paste');
    assert.deepEqual(await inWindow(page, 'dialog .primary', '#paste'), []);
    await page.keyboard.type('e4 c5');
    await page.getByRole('button', { name: 'Set up a board', exact: true }).click();
    await page.getByLabel('FEN', { exact: true }).fill('8/8/4k3/8/8/4K3/4P3/8 w - - 0 1');
    await page.getByRole('button', { name: 'Moves, FEN, games', exact: true }).click();
    assert.equal(await page.locator('#paste').inputValue(), 'e4 c5', 'the text is there still');
    await page.getByRole('button', { name: 'Set up a board', exact: true }).click();
    assert.match(await page.getByLabel('FEN', { exact: true }).inputValue(), /^8\/8\/4k3/);
    assert.deepEqual(await inWindow(page, 'dialog .primary'), []);
    const wide = await page.evaluate(() => document.querySelector('dialog').scrollWidth - document.querySelector('dialog').clientWidth);
    assert.ok(wide <= 0, `${wide} pixels too wide`);
    await page.getByRole('button', { name: 'Moves, FEN, games', exact: true }).click();
    await page.getByRole('button', { name: 'Analyse', exact: true }).click();
    await until(page, () => document.querySelector('#line [aria-current]')?.textContent === 'c5');
  });
}

const GAME = '[White "Lee, A"]\n[Black "Roy, B"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 *\n';

for (const [width, height] of [[1280, 720], [1440, 900]]) {
  test(`of a game the graph, the board and its move are in sight at ${width} \u00d7 ${height}`, async t => {
    const serving = await server(t);
    const game = await serving.api('POST', 'games', { pgn: GAME, each: { depth: 1, distance: 5, engine_depth: 4 } });
    const { open, again } = await visitor(t, serving, sized(width, height));
    await open();
    const page = await again(`#game/${game.id}/14`);
    await page.locator('.whole-game #moves [aria-current]', { hasText: 'd6' }).waitFor();
    await page.locator('#game-plot svg').waitFor();
    assert.deepEqual(await inWindow(page, '#board', '.controls', '#game-plot', '#here-title', '.whole-game #moves [aria-current]'), []);
    const { width: board } = await page.locator('#board').boundingBox();
    assert.ok(board > 0.6 * height, `${board}`);
    assert.equal(await page.locator('.whole-game #moves .move').first().getAttribute('href'), `#game/${game.id}/1`);
  });
}

test('a tablet that stands upright, and a window enlarged to 200 %, show the board whole and use its room', async t => {
  const { page } = await growing(t, touched(768, 1024));
  // Playwright scrolls to what it clicks, in Firefox further than it has to.
  await page.evaluate(() => scrollTo(0, 0));
  assert.deepEqual(await inWindow(page, '.board', '.headline', '.controls'), []);
  assert.ok((await page.locator('.board').boundingBox()).width > 500);
  const { page: zoomed } = await growing(t, sized(720, 450));
  await zoomed.evaluate(() => scrollTo(0, 0));
  assert.deepEqual(await inWindow(zoomed, '.board', '.headline', '.controls', '.tabbar'), []);
  assert.ok((await zoomed.locator('.board').boundingBox()).width > 250);
});
