// Directives of the user, and the page's words about a tree, in Chromium.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { drag } from '../browser.mjs';
import { escaped, growing, keepMessages, outside, pause, row, sans, say, showMoves, showTab, text, until } from './visiting.mjs';

test('a move is excluded, marked, and comes back with undo', async t => {
  const { page, serving, id } = await growing(t);
  const [best] = await sans(page);
  await say(page, best, 'Exclude this move');
  await row(page, best).locator('.mark', { hasText: 'excluded' }).waitFor();
  assert.match(await text(page, '.toast'), /Excluded 2\. /);
  const { directives } = await serving.api('GET', `analyses/${id}/directives`);
  assert.deepEqual(directives.map(one => [one.kind, one.san]), [['exclude', best]]);
  await until(page, san => document.querySelector('#moves .move')?.textContent.includes(san) === false, best);
  await page.keyboard.press('Control+z');
  await until(page, () => !document.querySelector('#moves .mark'));
  assert.deepEqual((await serving.api('GET', `analyses/${id}/directives`)).directives, []);
});

test('each message takes back its own change, whatever was said since', async t => {
  const { page, serving, id } = await growing(t);
  await keepMessages(page);
  await pause(page, serving, id);
  const [first, second, third] = await sans(page);
  for (const san of [first, second, third]) {
    await say(page, san, 'Exclude this move');
    await page.locator('.toast', { hasText: `Excluded 2. ${san}` }).waitFor();
  }
  const excluded = async () => (await serving.api('GET', `analyses/${id}/directives`)).directives.map(one => one.san);
  await page.locator('.toast', { hasText: `2. ${first}` }).getByRole('button', { name: 'Undo' }).click();
  await page.locator('.toast', { hasText: `Took back: excluded 2. ${first}` }).waitFor();
  assert.deepEqual((await excluded()).sort(), [second, third].sort());
  // Somebody else has excluded it anew after taking that back: the message is of a change that is gone.
  await serving.api('POST', `analyses/${id}/directives`, { line: second, action: 'undo' });
  await serving.api('POST', `analyses/${id}/directives`, { line: second, action: 'include' });
  await page.locator('.toast', { hasText: `Excluded 2. ${second}` }).getByRole('button', { name: 'Undo' }).click();
  await page.locator('.toast.bad', { hasText: `Changed since then, so it cannot be undone: excluded 2. ${second}` }).waitFor();
  assert.deepEqual((await excluded()).sort(), [second, third].sort());
});

test('while changes wait, headline, card, table and arrow show one state and say that it waits', async t => {
  const { page, serving, id } = await growing(t);
  await pause(page, serving, id);
  const [best, second] = await sans(page);
  await say(page, best, 'Exclude this move');
  await row(page, best).locator('.mark', { hasText: 'excluded' }).waitFor();
  await page.locator('.card .waiting').waitFor();
  await page.locator('.headline .notice', { hasText: 'Your changes wait' }).waitFor();
  // The arrows are drawn a frame after the rest.
  await until(page, second => {
    const [first] = document.querySelectorAll('#moves tr');
    const said = selector => document.querySelector(selector)?.innerText;
    const moves = [first.querySelector('.move').firstChild.textContent, said('.best-move'), said('.card.shown .card-best')];
    const scores = [first.querySelector('.number').textContent, said('#verdict-score [aria-hidden]'), said('.card.shown .chip [aria-hidden]'), document.querySelector('.cg-custom-svgs rect[fill="#15781b"] ~ text')?.textContent];
    return moves.every(move => move === `2. ${second}`) && scores.every(score => score === scores[0]);
  }, second);
  await page.locator('.headline').getByRole('button', { name: 'Resume' }).click();
  await until(page, () => !document.querySelector('.card .waiting') && !document.querySelector('.headline .notice'));
  await until(page, () => document.querySelector('#moves .move').firstChild.textContent === document.querySelector('.best-move').textContent);
});

test('depth, engine depth and positions are those of one stage, and the one that grows is named beside it', async t => {
  const { page, serving, id } = await growing(t);
  await pause(page, serving, id);
  // As while a shallower stage is grown again: the deeper one still speaks.
  await page.route('**/api/analyses', async route => {
    const response = await route.fetch();
    const all = await response.json();
    const [root] = all.analyses;
    Object.assign(root.stages[0], { limit: { depth: 14 } });
    Object.assign(root.run, { state: 'growing', limit: { depth: 10 } });
    await route.fulfill({ response, json: all });
  });
  await page.reload();
  await page.locator('.facts', { hasText: 'engine depth 14' }).waitFor({ state: 'attached' });
  assert.match(await text(page, '.facts'), /engine depth 14[^]* positions?[^]*growing at engine depth 10/);
  assert.match(await text(page, '.card-label'), /engine depth 14/);
});

test('a move that the tree does not have is followed, and what is refused is said', async t => {
  const { page } = await growing(t);
  const [from, to] = await outside(page);
  await drag(page, from, to);
  await page.locator('#follow').click();
  await page.keyboard.press('ArrowLeft');
  await row(page, to).locator('.mark', { hasText: 'followed' }).waitFor();
  await showTab(page, 'directives');
  // Directives are asked for again with a rest between two requests.
  await page.locator('ul.directives', { hasText: new RegExp(`followed\\s*2\\. ${to}`) }).waitFor();
  await page.locator('#tab-directives', { hasText: '1' }).waitFor();
});

test('value, stop and note stand at their moves, and are undone one by one', async t => {
  const { page } = await growing(t);
  const [first, second, third] = await sans(page);
  await say(page, first, 'Write a note');
  await page.getByLabel('Note', { exact: true }).fill('<b>sharp</b>');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('#moves .users-note', { hasText: '<b>sharp</b>' }).waitFor();
  await say(page, second, 'Give it a value');
  await page.getByLabel('Draw').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await row(page, second).locator('.mark', { hasText: 'your value: a draw' }).waitFor();
  await say(page, third, 'Stop here');
  await row(page, third).locator('.mark', { hasText: 'stopped here' }).waitFor();
  await row(page, second).getByRole('button', { name: /^Take back/ }).click();
  await row(page, second).locator('.mark').waitFor({ state: 'detached' });
  assert.equal(await row(page, third).locator('.mark').count(), 1);
});

test('a long note hides no moves, and scores have one minus sign', async t => {
  const { page, serving, id } = await growing(t);
  await keepMessages(page);
  await pause(page, serving, id);
  const [first, second] = await sans(page);
  const height = () => row(page, first).evaluate(one => one.getBoundingClientRect().height);
  const before = await height();
  const note = 'a long remark '.repeat(25).trim();
  await say(page, first, 'Write a note');
  await page.getByLabel('Note', { exact: true }).fill(note);
  await page.getByRole('button', { name: 'Save' }).click();
  await row(page, first).locator('.users-note').waitFor();
  assert.ok((await height()) < before + 40, `${before} → ${await height()}`);
  await page.locator('#moves .move').first().click();
  await page.locator('.move-list > .users-note', { hasText: note }).waitFor();
  await page.keyboard.press('Home');
  await say(page, second, 'Give it a value');
  await page.getByLabel('Pawns for White').check();
  await page.getByLabel('Pawns, for White').fill('-0.50');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.toast', { hasText: `2. ${second} counts as \u22120.50 for White` }).waitFor();
  await row(page, second).locator('.mark', { hasText: '\u22120.50' }).waitFor();
});

test('the engines say which line they search, and lead to it', async t => {
  const { page } = await growing(t);
  await showTab(page, 'engines');
  await page.locator('.searched', { hasText: /^(2\. |2\.\.\. |the root)/ }).first().waitFor();
});

test('the repertoire is checked, and a finding leads to its move', async t => {
  const { page, serving, id } = await growing(t);
  const [best] = await sans(page);
  const [from, to] = await outside(page);
  await serving.api('POST', `analyses/${id}/run`, { action: 'pause' });
  await page.locator('.card.paused').waitFor();
  await serving.api('POST', `analyses/${id}/directives`, { line: `${from}${to}`, action: 'include' });
  await showTab(page, 'audit');
  await page.locator('.audit-pane .whose').first().waitFor();
  assert.match(await text(page, '.audit-pane .whose'), /^\d+ positions; own moves: \d+ of \d+ lose; replies: \d+ of \d+ not prepared$/);
  await page.locator('.findings .link', { hasText: `2. ${to}` }).first().click();
  await until(page, san => document.querySelector('#line [aria-current]').textContent.includes(san), to);
  await page.getByLabel('Repertoire for').selectOption('black');
  await until(page, san => ![...document.querySelectorAll('.findings .link')].some(one => one.textContent === `2. ${san}`), best);
});

test('a tree is kept as a file', async t => {
  const { page, serving, id } = await growing(t);
  await serving.api('POST', `analyses/${id}/run`, { action: 'pause' });
  await page.locator('.card.paused').waitFor();
  const [best] = await sans(page);
  await page.getByRole('button', { name: 'More about this analysis' }).click();
  await page.getByRole('menuitem', { name: 'Export' }).click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: /^PGN/ }).click()]);
  assert.match(download.suggestedFilename(), /\.pgn$/);
  const pgn = readFileSync(await download.path(), 'utf8');
  assert.match(pgn, new RegExp(`1\\. e4 e5 2\\. ${escaped(best)}`));
});

test('what has not changed is not sent again', async t => {
  const { page, serving, id } = await growing(t);
  await serving.api('POST', `analyses/${id}/run`, { action: 'pause' });
  await page.locator('.card.paused').waitFor();
  const answers = [];
  page.on('response', response => response.url().includes('/moves') && answers.push(response.status()));
  await page.reload();
  await showMoves(page);
  assert.ok(answers.length > 0 && answers.length <= 4, `${answers}`);
});
