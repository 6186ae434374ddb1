// The words about one analysis belong together, even if the tree changes meanwhile, in Chromium.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Server } from '../server.mjs';
import { DESKTOP, expectHash, growing, hash, keepMessages, positions, sans, server, showMoves, text, until, visitor } from './visiting.mjs';

/** Looks at the page whenever something of it has changed, and keeps what does not belong together. */
const watch = page =>
  page.evaluate(() => {
    window.told = { looks: 0, sentences: 0, changes: 0, wrong: [] };
    const said = selector => document.querySelector(selector)?.textContent ?? '';
    const look = () => {
      const { told } = window;
      told.looks++;
      const best = said('.best-move');
      const score = said('#verdict-score [aria-hidden]');
      const first = document.querySelector('#moves tr');
      const row = first && [first.querySelector('.move').firstChild.textContent, first.querySelector('.alpha .number')?.textContent];
      const card = [said('.card.shown .card-best'), said('.card.shown .chip [aria-hidden]')];
      if (row && (row[0] !== best || row[1] !== score)) told.wrong.push(`table ${row}, headline ${best} ${score}`);
      if (card[0] !== best || card[1] !== score) told.wrong.push(`card ${card}, headline ${best} ${score}`);
      for (const sentence of [said('.news .trust'), ...[...document.querySelectorAll('#about p')].map(one => one.textContent)]) {
        // "It stays best even if ...; 3. Bb5 can be best if these 2 are all off by ...".
        const rival = /; (\d+\.+ \S+) can be best/.exec(sentence)?.[1];
        if (rival) told.sentences++;
        if (rival === best) told.wrong.push(`headline ${best}: ${sentence}`);
      }
      const change = document.querySelector('#about .last-change');
      const to = change?.querySelector('b').textContent.split(' ');
      if (to) told.changes++;
      if (to && (to[to.length - 1] !== score || (to.length > 1 && !best.endsWith(` ${to[0]}`)))) told.wrong.push(`headline ${best} ${score}: ${change.textContent}`);
    };
    new MutationObserver(look).observe(document.getElementById('app'), { childList: true, characterData: true, subtree: true });
    look();
  });

test('while a tree grows, headline, card, table and the sentence of trust are of one state', async t => {
  const { page } = await growing(t, DESKTOP, { moves: 'e4 e5 Nf3 Nc6', name: 'A game', distance: 30 });
  await watch(page);
  const before = await positions(page);
  await until(page, ([before, enough]) => {
    const positions = Number(document.querySelector('.facts').textContent.match(/([\d,]+) positions/)?.[1].replace(',', ''));
    return positions > before + enough && window.told.sentences > enough && window.told.changes > 3;
  }, [before, 60]);
  const { looks, wrong } = await page.evaluate(() => window.told);
  assert.deepEqual([...new Set(wrong)], [], `of ${looks} looks`);
});

test('cards and moves are links: a click goes there, the address is that of the place', async t => {
  const { page, context, serving, id } = await growing(t);
  await serving.api('POST', `analyses/${id}/run`, { action: 'pause' });
  await page.locator('.card.paused').waitFor();
  const [best] = await sans(page);
  const { moves } = await serving.api('GET', `analyses/${id}/moves`);
  const { uci } = moves.find(move => move.san === best);
  for (const link of ['#moves .move', '.best-move']) assert.equal(await page.locator(link).first().getAttribute('href'), `#${id}/${uci}`, link);
  assert.equal(await page.locator('.card-main').getAttribute('href'), `#${id}`);
  const opened = async click => {
    const [other] = await Promise.all([context.waitForEvent('page'), click()]);
    await other.locator('#line .move').first().waitFor();
    return other;
  };
  const other = await opened(() => page.locator('#moves .move').first().click({ button: 'middle' }));
  await until(other, san => document.querySelector('#line [aria-current]')?.textContent === san, best);
  await expectHash(other, `#${id}/${uci}`);
  assert.equal(await hash(page), `#${id}`, 'here nothing has moved');
  const third = await opened(() => page.locator('#moves .pv').first().click({ modifiers: ['Control'] }));
  assert.match(await hash(third), new RegExp(`^#${id}/${uci},`));
  await page.locator('#tab-tree').click();
  const fourth = await opened(() => page.locator('#tree .name').first().click({ button: 'middle' }));
  assert.equal(await hash(fourth), `#${id}/${uci}`);
  await page.locator('#tree .name').first().click();
  await until(page, named => location.hash === named, `#${id}/${uci}`);
});

test('what can be done with an analysis is the same beside its title and on its card', async t => {
  const { page } = await growing(t);
  await until(page, () => !/no answer yet/.test(document.querySelector('.card-best').textContent) && /[1-9]\d* positions/.test(document.querySelector('.facts').textContent));
  const items = async button => {
    await button.click();
    const found = await page.getByRole('menuitem').allTextContents();
    await page.keyboard.press('Escape');
    return found;
  };
  const [title, card] = [await items(page.getByRole('button', { name: 'More about this analysis' })), await items(page.getByRole('button', { name: 'More about A game' }))];
  assert.deepEqual(title, card);
  for (const item of ['Name, depth', 'Export', 'draw is worth', 'Closing search', 'Recheck', 'repertoire', 'Review games', 'archive', 'Delete']) assert.ok(title.some(one => one.includes(item)), item);
});

test('a game that is over on the board says how', async t => {
  const { page, again, serving } = await growing(t, DESKTOP, { moves: 'f3 e5', name: 'Mate' });
  const play = async (page, line) => {
    await page.locator('#type-move').fill(line);
    await page.keyboard.press('Enter');
  };
  await play(page, 'g4 Qh4#');
  await page.locator('.verdict-end', { hasText: 'Checkmate, Black wins' }).waitFor();
  await page.locator('.said', { hasText: 'Checkmate, Black wins.' }).waitFor();
  await page.locator('.moves .empty', { hasText: 'Checkmate, Black wins.' }).waitFor();
  assert.doesNotMatch(await page.locator('.headline').innerText(), /#0|mate in 0/);
  const { id } = await serving.api('POST', 'analyses', { fen: '7k/8/5KQ1/8/8/8/8/8 w - - 0 1', start: false });
  const other = await again(`#${id}`);
  await other.locator('.board').waitFor();
  await play(other, 'Qf7');
  await other.locator('.verdict-end', { hasText: 'Stalemate, a draw' }).waitFor();
});

test('an analysis that is deleted elsewhere says so', async t => {
  const { page, again, serving, id } = await growing(t);
  await keepMessages(page);
  const { id: left } = await serving.api('POST', 'analyses', { moves: 'd4', name: 'Left', start: false });
  await page.locator('.card', { hasText: 'Left' }).waitFor();
  const other = await again(`#${id}`);
  await keepMessages(other);
  await other.getByRole('button', { name: 'More about this analysis' }).click();
  await other.getByRole('menuitem', { name: 'Delete' }).click();
  await other.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.locator('.toast.bad', { hasText: 'A game was deleted elsewhere' }).waitFor();
  await until(page, named => location.hash === named, `#${left}`);
  await other.locator('.toast', { hasText: 'Deleted.' }).waitFor();
  assert.equal(await other.locator('.toast.bad').count(), 0, 'not where it was done');
});

test('an address that changes before the list has come is followed when it has', async t => {
  const serving = await server(t);
  const ids = [];
  for (const moves of ['e4', 'd4', 'c4']) ids.push((await serving.api('POST', 'analyses', { moves, start: false })).id);
  const { open, again } = await visitor(t, serving);
  const page = await open();
  await page.locator('.card').nth(2).waitFor();
  const late = await again('');
  await late.locator('.card').nth(2).waitFor();
  let answer;
  const asked = new Promise(seen => {
    void late.route('**/api/analyses', async route => {
      seen();
      await new Promise(go => (answer = go));
      await route.continue();
    });
  });
  await late.evaluate(() => location.reload());
  await asked;
  await late.evaluate(named => (location.hash = named), `#${ids[1]}/d7d5`);
  answer();
  await until(late, () => document.querySelector('#line [aria-current]')?.textContent === 'd5');
  assert.equal(await hash(late), `#${ids[1]}/d7d5`);
  assert.equal(await late.locator('.toast').count(), 0);
});

test('the end of a merge is told though its window is closed, and a window that is opened meanwhile shows it', async t => {
  const serving = await server(t);
  const other = new Server();
  t.after(() => other.close());
  await other.run('grow', '--engine', other.engine, '--moves', 'e4', '--depth', '1', '--distance', '10', '--engine-depth', '4', '--quiet');
  const { open } = await visitor(t, serving);
  const page = await open();
  await keepMessages(page);
  const show = async () => {
    await page.getByRole('button', { name: 'More about all analyses' }).click();
    await page.getByRole('menuitem', { name: /Merge another database/ }).click();
  };
  await show();
  const path = join(other.folder, 'tree.db');
  assert.ok(readFileSync(path).length > 0);
  await page.getByLabel('Database', { exact: true }).setInputFiles(path);
  // Its end is not known before somebody has looked again.
  let running = true;
  await page.route('**/api/merges', async route => {
    const response = await route.fetch();
    const { merges } = await response.json();
    await route.fulfill({ response, json: { merges: merges.map(one => (running ? { id: one.id, name: one.name, state: 'running' } : one)) } });
  });
  await page.getByRole('button', { name: 'Merge', exact: true }).click();
  await page.locator('dialog [role=status]', { hasText: 'tree.db is being read' }).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.toast', { hasText: /tree\.db: \d+ answers? added/ }).waitFor();
  await page.locator('#tab-log').click();
  await page.locator('#log li', { hasText: /tree\.db: \d+ answers? added/ }).waitFor();
  await show();
  await page.locator('dialog [role=status]', { hasText: 'tree.db is being read' }).waitFor();
  running = false;
  await page.getByRole('list', { name: 'What has come of it' }).waitFor();
  await page.keyboard.press('Escape');
  running = true;
  let stopped = '';
  await page.route('**/api/merges/*', route => {
    stopped = route.request().method();
    return route.fulfill({ json: { merges: [{ id: 1, name: 'tree.db', state: 'failed', error: 'cancelled', hint: null }] } });
  });
  await show();
  await page.getByRole('button', { name: 'Stop the merge' }).click();
  await page.locator('dialog [role=alert]', { hasText: 'cancelled' }).waitFor();
  assert.equal(stopped, 'DELETE');
});

test('no text of the page shows an escape', async t => {
  const { page } = await growing(t);
  await page.keyboard.press('?');
  const help = await text(page, '.help');
  assert.match(help, /analysed position\u2019s/);
  assert.doesNotMatch(help, /\\u[0-9a-f]{4}/);
  await page.keyboard.press('Escape');
  await showMoves(page);
});
