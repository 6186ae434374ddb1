// Roots, their agenda and the connection to the server, in Chromium.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextFrame, visit } from '../browser.mjs';
import { browser, DESKTOP, growing, hash, pause, positions, row, sans, say, server, showMoves, showTab, text, until, visitor } from './visiting.mjs';

test('an analysis is started from moves, and grows before the eyes', async t => {
  const serving = await server(t);
  const { open } = await visitor(t, serving);
  const page = await open();
  await page.getByRole('button', { name: 'Start an analysis' }).click();
  await page.getByLabel('Moves, FEN or PGN').fill('1. d4 Nf6 2. c4');
  await page.getByLabel('Name').fill('Indian');
  await page.getByRole('button', { name: 'Analyse', exact: true }).click();
  await showMoves(page);
  assert.match(await text(page, '.agenda'), /Indian[^]*growing/);
  assert.match(await hash(page), /^#\d+$/);
  assert.equal(await text(page, '#line [aria-current]'), 'c4');
  const before = await positions(page);
  await until(page, count => Number(document.querySelector('.facts').innerText.match(/([\d,]+) positions/)?.[1].replace(',', '')) > count, before);
  assert.match(await text(page, '#verdict-score'), /^[+\u2212#0]/);
  await page.locator('.cg-shapes line').first().waitFor({ state: 'attached' });
});

test('keys that come faster than the page draws are not lost', async t => {
  const serving = await server(t);
  const { open } = await visitor(t, serving);
  const page = await open();
  const start = page.getByRole('button', { name: 'Start an analysis' });
  await start.waitFor();
  const isOpen = start.evaluate(button => new Promise(seen => {
    const look = () => document.querySelector('dialog') && seen(document.querySelector('dialog').open);
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
    button.click();
  }));
  assert.ok(await isOpen, 'the dialog is there, and the page below it has the keys');
  await page.getByLabel('Moves, FEN or PGN').focus();
  // From here on, nothing is drawn.
  await page.evaluate(() => {
    const { requestAnimationFrame, setTimeout } = window;
    const late = [];
    window.requestAnimationFrame = window.setTimeout = callback => late.push(callback);
    window.draw = () => {
      Object.assign(window, { requestAnimationFrame, setTimeout });
      late.forEach(callback => callback());
    };
  });
  await page.keyboard.type('e4 e5');
  await page.getByRole('button', { name: 'Analyse', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.evaluate(() => window.draw());
  await showMoves(page);
  assert.equal(await text(page, '#line [aria-current]'), 'e5');
});

test('what is known of how far to trust the best move is told beside how it came', async t => {
  const { serving, page, id } = await growing(t);
  await showTab(page, 'course');
  await page.locator('.trusted dd').first().waitFor();
  await page.getByRole('button', { name: 'Pause' }).first().click();
  // Stability that is known by then may come in between.
  await until(page, async id => {
    const { words } = await (await fetch(`/api/analyses/${id}/trust`)).json();
    return document.querySelector('.trusted dd')?.innerText === words.stability?.white;
  }, id);
  const { words } = await serving.api('GET', `analyses/${id}/trust`);
  assert.match(await text(page, '.trusted'), /How far to trust the best move\s+Holds\s+(unless|even)/);
  assert.equal(await page.locator('.trusted dt', { hasText: 'Chance' }).count(), words.stays ? 1 : 0);
});

test('the choice of a closing search is told by headline, card, table and arrows once it has ended', async t => {
  const serving = await server(t);
  const root = 'r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3';
  // Without the delays; with this seed, tree and closing search choose different moves.
  const engine = `${process.env.ENGINE.split(' --')[0]} --seed 2`;
  const grow = ['grow', '--engine', engine, '--engines', '1', '--engine-depth', '5', '--distance', '20', '--root', root, '--depth', '3'];
  await serving.run(...grow);
  const page = await (await visitor(t, serving)).open();
  await page.locator('.card-main').click();
  await showMoves(page);
  assert.equal(await page.locator('#verdict-whose').count(), 0);
  await serving.run(...grow, '--closing-nodes', '700000');
  await page.locator('#verdict-whose', { hasText: "chosen by the closing search; the tree prefers" }).waitFor();
  await page.locator('.card-label', { hasText: 'closing search' }).waitFor();
  const [{ verdict, best }] = (await serving.api('GET', 'analyses')).analyses;
  const minus = words => words.replaceAll('-', '\u2212');
  assert.ok(minus(await text(page, '#verdict-whose')).includes(minus(verdict.words.white.slice(1))));
  assert.equal(verdict.by, 'closing');
  assert.notEqual(verdict.uci, verdict.other.uci);
  assert.equal(await text(page, '.best-move'), `3... ${verdict.san}`);
  assert.equal(best[0].uci, verdict.uci);
  const score = await text(page, '#verdict-score span');
  // The table's first row says it in its Score column, the tree's beside it: so it is sorted as the verdict is.
  const [first] = verdict.other && await page.locator('#moves tr').evaluateAll(rows => rows.map(one => [one.querySelector('.move').textContent, one.querySelector('.alpha .number').textContent, one.querySelector('.behind').textContent]));
  assert.ok(first[0].startsWith(`3... ${verdict.san}`), `${first}`);
  assert.equal(first[1], score);
  assert.match(first[2], /^closing search, (tree [+\u2212#]|not in the tree)/);
  await nextFrame(page);
  assert.ok((await page.locator('.cg-custom-svgs text').allTextContents()).includes(score));
  // Sentences come whole: none about one move has words about another.
  assert.match(await text(page, '.news'), /^Chosen by the closing search; the tree prefers 3\.\.\. /);
  const about = await page.locator('#about').textContent();
  assert.ok(about.includes(`In the tree, 3... ${verdict.other.san} stays best `), about);
  assert.doesNotMatch(about, /It stays best/);
  await page.keyboard.press('ArrowRight');
  await until(page, san => document.querySelector('#line [aria-current]').textContent.endsWith(san), verdict.san);
});

test('a reload in the middle shows the same root and line', async t => {
  const { page, id } = await growing(t);
  await page.keyboard.press('ArrowRight');
  await until(page, () => location.hash.includes('/'));
  const before = await hash(page);
  assert.match(before, new RegExp(`^#${id}/[a-h][1-8][a-h][1-8]$`));
  const line = await text(page, '#line [aria-current]');
  await page.reload();
  await page.locator('#line .move').first().waitFor();
  assert.equal(await hash(page), before);
  assert.equal(await text(page, '#line [aria-current]'), line);
  await page.keyboard.press('ArrowLeft');
  await until(page, () => document.querySelector('#line [aria-current]').textContent === 'e5');
});

for (const signal of ['SIGKILL', 'SIGINT']) {
  test(`the server is ended by ${signal} and started again: the page goes on, and so does the analysis`, async t => {
    const { page, serving } = await growing(t);
    await serving.end(signal);
    await page.locator('.connection.lost').waitFor();
    assert.match(await text(page, '.connection'), /connection lost/);
    await serving.start();
    await page.locator('.connection.live').waitFor();
    const before = await positions(page);
    await until(page, count => Number(document.querySelector('.facts').innerText.match(/([\d,]+) positions/)?.[1].replace(',', '')) > count, before);
    assert.match(await text(page, '.card'), /growing/);
  });
}

test('two tabs agree', async t => {
  const { page, again, id } = await growing(t);
  const other = await again(`#${id}`);
  await showMoves(other);
  const [best] = await sans(page);
  await say(page, best, 'Exclude this move');
  await row(other, best).locator('.mark', { hasText: 'excluded' }).waitFor();
  await other.getByRole('button', { name: 'More about this analysis' }).click();
  await other.getByRole('menuitem', { name: 'Name, depth, share' }).click();
  await other.getByLabel('Name').fill('<i>renamed</i>');
  await other.getByRole('button', { name: 'Save' }).click();
  await page.locator('.card-name', { hasText: '<i>renamed</i>' }).waitFor();
  await other.locator('.headline').getByRole('button', { name: 'Pause' }).click();
  await page.locator('.card.paused').waitFor();
});

test('two analyses of one position say in what they differ, and each has its own name', async t => {
  const { page, serving, id } = await growing(t, undefined, { moves: 'e4 e5', name: 'First', distance: 30 });
  await pause(page, serving, id);
  assert.equal(await page.locator('.different').count(), 0, 'there is only one');
  const other = await serving.api('POST', 'analyses', { moves: 'e4 e5', name: 'Second', distance: 10, engine_depth: 7, start: false });
  const card = name => page.locator('.card', { has: page.locator('.card-name', { hasText: new RegExp(`^${name}$`) }) });
  await card('First').locator('.card-label', { hasText: 'moves within 0.30 · deeper and deeper' }).waitFor();
  await card('Second').locator('.card-label', { hasText: 'moves within 0.10 · engine depth 7' }).waitFor();
  assert.match(await text(page, '.headline .different'), /^moves within 0\.30/);
  await page.getByRole('button', { name: 'More about Second' }).click();
  await page.getByRole('menuitem', { name: 'Name, depth, share' }).click();
  await page.getByLabel('Name').fill('Third');
  await page.getByRole('button', { name: 'Save' }).click();
  await card('Third').waitFor();
  await card('First').waitFor();
  const names = (await serving.api('GET', 'analyses')).analyses.map(one => [one.id, one.name]);
  assert.deepEqual(Object.fromEntries(names), { [id]: 'First', [other.id]: 'Third' });
});

test('what the opponent has played makes the next root of the game', async t => {
  const { page, serving, id } = await growing(t);
  const [best] = await sans(page);
  await page.locator('#moves .move').first().click();
  await page.getByRole('button', { name: 'They played this' }).click();
  await page.getByRole('button', { name: 'Analyse from there' }).click();
  await until(page, before => location.hash !== '' && !location.hash.startsWith(`#${before}/`) && location.hash !== `#${before}`, id);
  await showMoves(page);
  await until(page, move => document.querySelector('#line [aria-current]')?.textContent === move, best);
  const { analyses } = await serving.api('GET', 'analyses');
  assert.equal(analyses.length, 2);
  assert.equal(analyses.find(one => one.id === id).run.state, 'paused');
});

test('a position of a pasted game, and one that is set up', async t => {
  const { page, serving } = await growing(t);
  await page.locator('#new-root').click();
  await page.getByLabel('Moves, FEN or PGN').fill('[White "A"]\n[Black "B"]\n\n1. e4 c5 2. Nf3 d6 *\n\n[White "C"]\n[Black "<b>D</b>"]\n\n1. d4 d5 2. c4 e6 3. Nc3 *');
  await page.locator('.pick-side select').selectOption({ index: 1 });
  await page.locator('.game-moves .move', { hasText: 'c4' }).click();
  await page.getByRole('button', { name: 'Analyse', exact: true }).click();
  await until(page, () => document.querySelector('#line [aria-current]')?.textContent === 'c4');
  await page.locator('#new-root').click();
  await page.getByRole('button', { name: 'Set up a board', exact: true }).click();
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.locator('.form-words', { hasText: /king|empty/ }).waitFor();
  await page.getByLabel('FEN', { exact: true }).fill('8/8/4k3/8/8/4K3/4P3/8 w - - 0 1');
  await page.getByRole('button', { name: 'Black to move' }).click();
  await page.getByRole('button', { name: 'Analyse', exact: true }).click();
  await until(page, () => document.querySelector('#line [aria-current]')?.textContent === 'Start');
  const { analyses } = await serving.api('GET', 'analyses');
  assert.ok(analyses.some(one => one.root.startsWith('8/8/4k3/8/8/4K3/4P3/8 b')));
  assert.equal(analyses.length, 3);
});

test('the agenda is ordered by keys, weighed, and emptied', async t => {
  const { page, serving, id } = await growing(t);
  const other = await serving.api('POST', 'analyses', { moves: 'd4', name: 'Second' });
  await page.locator('.card', { hasText: 'Second' }).waitFor();
  await page.locator('.card', { hasText: 'Second' }).locator('.card-main').focus();
  await page.keyboard.press('Alt+ArrowUp');
  await until(page, () => document.querySelector('.card .card-name').textContent === 'Second');
  // The page does not wait for the server.
  const ordered = async () => (await serving.api('GET', 'analyses')).analyses.map(one => one.id);
  while ((await ordered())[0] !== other.id) await serving.event('roots');
  assert.deepEqual(await ordered(), [other.id, id]);
  await page.getByRole('button', { name: 'More about Second' }).click();
  await page.getByRole('menuitem', { name: 'Twice the share' }).click();
  await page.locator('.card', { hasText: 'Second' }).getByTitle('Its share of the engines').waitFor();
  assert.equal((await serving.api('GET', `analyses/${other.id}`)).run.weight, 2);
  await page.getByRole('button', { name: 'More about Second' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.locator('.card', { hasText: 'Second' }).waitFor({ state: 'detached' });
  assert.equal((await serving.api('GET', 'analyses')).analyses.length, 1);
});

test('the shown analysis is in sight in the agenda, and another one is shown when it is deleted', async t => {
  const { page, serving, id } = await growing(t);
  let last;
  for (let i = 0; i < 12; i++) last = await serving.api('POST', 'analyses', { moves: ['a3', 'a4', 'b3', 'b4', 'c3', 'c4', 'd3', 'd4', 'e3', 'f3', 'f4', 'g3'][i], start: false });
  await page.locator('.card').nth(12).waitFor();
  const inSight = () => page.evaluate(() => {
    const [agenda, card] = ['.agenda', '.card.shown'].map(one => document.querySelector(one).getBoundingClientRect());
    // Firefox scrolls by whole pixels.
    return card.top >= agenda.top - 1 && card.bottom <= agenda.bottom + 1;
  });
  await page.evaluate(id => (location.hash = `#${id}`), last.id);
  await until(page, id => document.querySelector('.card:last-child.shown') && location.hash === `#${id}`, last.id);
  assert.ok(await inSight());
  await page.getByRole('button', { name: 'More about this analysis' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  // That which is growing.
  await until(page, id => location.hash === `#${id}`, id);
  await until(page, () => document.querySelector('.card:first-child.shown'));
  assert.ok(await inSight());
});

test('a hidden page asks for nothing, and catches up when it is seen', async t => {
  const { page, serving, id } = await growing(t);
  const hide = hidden => page.evaluate(hidden => {
    Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);
  await hide(true);
  const asked = [];
  page.on('request', request => asked.push(request.url()));
  await serving.api('PATCH', `analyses/${id}`, { name: 'while the page was hidden' });
  // Two events that a visible page would have received.
  await serving.event('roots');
  await serving.event('roots');
  assert.deepEqual(asked, []);
  await hide(false);
  await page.locator('.card-name', { hasText: 'while the page was hidden' }).waitFor();
  await page.locator('.connection.live').waitFor();
});

test('a page that the server does not know says where its address is', async t => {
  const serving = await server(t);
  const context = await visit(browser, DESKTOP);
  t.after(() => context.close());
  const page = await context.newPage();
  const answer = await page.goto(new URL(serving.address).origin);
  assert.equal(answer.status(), 401);
  assert.match(await page.locator('body').innerText(), /token|address/i);
});

test('many analyses: one is found by words, and what is new elsewhere is told by card and title', async t => {
  const { page, serving, id } = await growing(t, undefined, { moves: 'e4 e5', name: 'First' });
  await pause(page, serving, id);
  for (const move of ['a3', 'b3', 'c4', 'd4', 'f4', 'g3']) await serving.api('POST', 'analyses', { moves: move, start: false });
  const other = await serving.api('POST', 'analyses', { moves: 'd4 d5 c4', name: 'Second', depth: 1, engine_depth: 5, start: false });
  await page.locator('.card', { hasText: 'Second' }).waitFor();
  await serving.api('POST', `analyses/${other.id}/run`, { action: 'start' });
  await page.locator('.card.done', { hasText: 'Second' }).locator('.news-mark').waitFor();
  assert.match(await page.title(), /^\(\d\) [+\u2212#]\S+ \S+ - First$/);
  const find = page.getByLabel('Find an analysis');
  await find.fill('sec');
  await until(page, () => document.querySelectorAll('.card').length === 1);
  await find.fill('nothing of the kind');
  await page.locator('.agenda', { hasText: 'Nothing found.' }).waitFor();
  await find.fill('');
  await page.locator('.news-list li', { hasText: 'Second' }).waitFor();
  await page.locator('.card-main', { hasText: 'Second' }).click();
  await until(page, id => location.hash === `#${id}`, other.id);
  await until(page, () => /^[+\u2212#0]\S+ \S+ - Second$/.test(document.title));
});

test('each side has its own distance, and the root its least number of first moves', async t => {
  const { page, serving, id } = await growing(t);
  await pause(page, serving, id);
  await page.locator('#new-root').click();
  await page.getByLabel('Moves, FEN or PGN').fill('d4');
  await page.getByText('Sides and first moves').click();
  await page.getByLabel('White’s within').fill('0.30,0.20');
  await page.getByLabel('Black’s within').fill('0.05');
  await page.getByLabel('First moves, at least').fill('4');
  await page.getByRole('button', { name: 'Analyse', exact: true }).click();
  await page.locator('.facts', { hasText: 'moves within 0.30,0.20 for White, 0.05 for Black' }).waitFor({ state: 'attached' });
  const root = (await serving.api('GET', 'analyses')).analyses.find(one => one.id !== id);
  assert.deepEqual([root.widths, root.root_moves], [{ white: '30,20', black: '5' }, 4]);
});
