// Until when analyses grow, and finding one's way among many, in the page of the server.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Server } from '../server.mjs';
import { DESKTOP, growing, row, server, showMoves, showTab, until, visitor } from './visiting.mjs';

const more = async (page, name, item) => {
  await page.locator('.card', { hasText: name }).getByRole('button', { name: /^More about/ }).click();
  await page.getByRole('menuitem', { name: item }).click();
};

/** Late in the evening it is a time of the next day. */
const UNTIL = /until (.+, )?\d\d:\d\d/;

const run = (serving, id) => serving.api('GET', `analyses/${id}`).then(root => root.run);

test('an analysis is told how long to grow, and until when', async t => {
  const { page, serving, id } = await growing(t);
  await more(page, 'A game', /until when/);
  await page.getByLabel('for', { exact: true }).check();
  const time = page.getByLabel('How long');
  await time.fill('soon');
  await page.locator('dialog[open] .primary').click();
  await page.locator('dialog[open] .wrong', { hasText: '1 h 30 min' }).waitFor();
  await time.fill('1 h 30 min');
  await page.locator('dialog[open] .primary').click();
  await page.locator('.card', { hasText: UNTIL }).waitFor();
  const left = (await run(serving, id)).pause_at - Date.now();
  assert.ok(left > 5_300_000 && left <= 5_400_000, `${left} ms`);
  await more(page, 'A game', /until when/);
  await page.getByLabel('no time limit').check();
  await page.locator('dialog[open] .primary').click();
  await page.locator('.card', { hasText: UNTIL }).waitFor({ state: 'detached' });
  assert.equal((await run(serving, id)).pause_at, null);
});

test('a new analysis is paused by itself when its time is over, and that is told', async t => {
  const serving = await server(t);
  const { open } = await visitor(t, serving);
  await serving.api('POST', 'analyses', { moves: 'd4', name: 'Shown', start: false });
  const page = await open();
  await page.locator('.card.shown').waitFor();
  await serving.api('POST', 'analyses', { moves: 'e4', name: 'Short', depth: 200, pause_at: Date.now() + 1500 });
  await page.locator('.card.growing', { hasText: 'Short' }).waitFor();
  const news = page.locator('.news-list li', { hasText: 'Short' });
  await news.filter({ hasText: 'paused: time limit reached' }).waitFor();
  assert.match(await page.title(), /^\(1\) /);
  await news.locator('a').click();
  await until(page, () => !document.querySelector('.news-list'));
});

test('a closing search is made when it is asked for', async t => {
  const { page, serving, id } = await growing(t, DESKTOP);
  await page.locator('.steer-words').click();
  await page.locator('.card.paused').waitFor();
  await more(page, 'A game', /Closing search now/);
  await page.getByLabel('Time').fill('1 s');
  await page.getByRole('button', { name: 'Search now' }).click();
  await until(page, () => document.querySelector('dialog[open]') === null);
  for (;;) {
    const { verdict, run } = await serving.api('GET', `analyses/${id}`);
    if (verdict.other !== null && run.state === 'paused') break;
    await page.evaluate(() => new Promise(done => setTimeout(done, 50)));
  }
});

test('a tree is asked again by deeper searches, and what has come of it is told', async t => {
  const serving = await server(t);
  const { id } = await serving.api('POST', 'analyses', { moves: 'e4 e5', name: 'A game', depth: 1, distance: 10, engine_depth: 4 });
  const { open } = await visitor(t, serving);
  const page = await open();
  await page.locator('.card.done').waitFor();
  await more(page, 'A game', /Recheck with a deeper search/);
  assert.equal(await page.getByLabel('Engine depth').inputValue(), '6');
  await page.getByLabel('Time, at most').fill('1 min');
  await page.getByRole('button', { name: 'Recheck', exact: true }).click();
  await until(page, () => document.querySelector('dialog[open]') === null);
  await page.getByRole('tab', { name: 'Over time' }).click();
  await page.locator('.trusted', { hasText: 'engine depth 6' }).waitFor();
  await page.locator('.card.done').waitFor();
  assert.equal((await run(serving, id)).rechecking, null);
});

test('analyses are put away and fetched back, and found in other orders', async t => {
  const serving = await server(t);
  for (const [name, moves] of [['Beta', 'e4'], ['Alpha', 'd4'], ['Game 10', 'c4'], ['Game 9', 'Nf3'], ['E', 'g3'], ['F', 'b3'], ['G', 'f4']]) {
    await serving.api('POST', 'analyses', { moves, name, start: false });
  }
  const { open, again } = await visitor(t, serving);
  const page = await open();
  const names = () => page.locator('.agenda > .cards .card-name').allTextContents();
  await until(page, () => document.querySelectorAll('.card').length === 7);
  assert.deepEqual(await names(), ['Beta', 'Alpha', 'Game 10', 'Game 9', 'E', 'F', 'G']);
  await page.getByLabel('Order', { exact: true }).selectOption('name');
  await until(page, () => document.querySelector('.card-name').textContent === 'Alpha');
  assert.deepEqual(await names(), ['Alpha', 'Beta', 'E', 'F', 'G', 'Game 9', 'Game 10']);
  await page.getByLabel('Order', { exact: true }).selectOption('planned');
  await more(page, 'Game 10', /archive/);
  await page.locator('.archive summary', { hasText: 'Archive (1)' }).waitFor();
  assert.equal((await names()).length, 6);
  const other = await again('');
  await other.locator('.archive summary').click();
  await other.locator('.archive .card', { hasText: 'Game 10' }).getByRole('button', { name: /^More about/ }).click();
  await other.getByRole('menuitem', { name: 'Take out of the archive' }).click();
  await until(other, () => !document.querySelector('.archive'));
});

test('the log of an analysis is there after a reload', async t => {
  const { page } = await growing(t);
  await showTab(page, 'log');
  await page.locator('#log li', { hasText: 'depth 1 is complete' }).waitFor();
  await page.reload();
  await showTab(page, 'log');
  await page.locator('#log li', { hasText: 'depth 1 is complete' }).waitFor();
});

test('the address for other devices is told, or what to do for one', async t => {
  const { page } = await growing(t);
  await page.getByRole('button', { name: 'On your phone' }).click();
  await page.locator('dialog[open] .phone', { hasText: '--listen 0.0.0.0' }).waitFor();
  assert.equal(await page.locator('link[rel=manifest]').getAttribute('href'), '/manifest.webmanifest');
  const manifest = await page.evaluate(() => fetch('/manifest.webmanifest').then(answer => answer.json()));
  assert.equal((await page.evaluate(icon => fetch(icon).then(answer => answer.status), manifest.icons[0].src)), 200);
});

test('a new analysis knows what people play, and follows it as far as is said', async t => {
  const serving = new Server([], ['--games', 'club.pgn', '--played-black', '40%/1']);
  t.after(() => serving.close());
  const game = moves => `[White "A"]\n[Black "B"]\n[Date "2020.01.01"]\n\n${moves} *\n\n`;
  writeFileSync(join(serving.folder, 'club.pgn'), game('1. e4 e5 2. Nf3') + game('1. e4 h5 2. Nf3'));
  await serving.start();
  const { open } = await visitor(t, serving);
  const page = await open();
  const begin = async (name, fill) => {
    await page.locator('#new-root').click();
    await page.getByLabel('Moves, FEN or PGN').fill('e4');
    await page.getByLabel('Name').fill(name);
    await fill();
    await page.locator('dialog[open] .primary').click();
    await page.locator('.card.shown', { hasText: name }).waitFor();
    await showMoves(page);
  };
  const knows = page.getByLabel('Know what people play: club.pgn, 2 games');
  await begin('Followed', async () => {
    assert.ok(await knows.isChecked());
    assert.equal(await page.getByLabel('Black’s in').inputValue(), '40%/1');
    await page.getByLabel('Follow White’s moves played in').fill('5');
  });
  const h5 = row(page, 'h5');
  await h5.locator('.behind-count').filter({ hasText: /\d/ }).waitFor({ state: 'attached' });
  assert.match(await page.locator('#moves-table thead').innerText(), /Share/);
  await begin('Without', async () => {
    await knows.uncheck();
    assert.equal(await page.getByLabel('Black’s in').count(), 0);
  });
  assert.doesNotMatch(await page.locator('#moves-table thead').innerText(), /Share/);
  // Of one position there are two by now, and each says how it differs.
  await page.locator('.card', { hasText: 'club.pgn, 2 games, White’s moves played in 5%/2, Black’s moves played in 40%/1' }).waitFor();
  await page.locator('.card', { hasText: 'without games' }).waitFor();
});

test('another database is merged, chosen or dropped', async t => {
  const serving = await server(t);
  const other = new Server();
  t.after(() => other.close());
  await other.run('grow', '--engine', other.engine, '--moves', 'e4', '--depth', '1', '--distance', '10', '--engine-depth', '4', '--quiet');
  const { open } = await visitor(t, serving);
  const page = await open();
  await page.getByRole('button', { name: 'More about all analyses' }).click();
  await page.getByRole('menuitem', { name: /Merge another database/ }).click();
  await page.getByLabel('Database', { exact: true }).setInputFiles(join(other.folder, 'tree.db'));
  await page.getByRole('button', { name: 'Merge', exact: true }).click();
  const told = page.getByRole('list', { name: 'What has come of it' });
  await told.locator('li', { hasText: /tree\.db: \d+ answers? added, 0 already here/ }).waitFor();
  await told.locator('li', { hasText: 'checked' }).waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).last().click();
  await page.locator('.card', { hasText: "King's Pawn Game" }).waitFor();
  // Again, and dropped: all of it is here.
  const bytes = readFileSync(join(other.folder, 'tree.db')).toString('base64');
  await page.evaluate(text => {
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from(atob(text), c => c.charCodeAt(0))], 'again.db'));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true }));
  }, bytes);
  await page.locator('dialog[open]', { hasText: 'again.db' }).waitFor();
  await page.getByRole('button', { name: 'Merge', exact: true }).click();
  await told.locator('li', { hasText: /again\.db: 0 answers added/ }).waitFor();
});
