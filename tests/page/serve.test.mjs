// The page of `deepanalyze serve` in Chromium, with a server of its own for each test; tests/serve_page.rs names
// the program and the scripted engine.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import axe from 'axe-core';
import { drag, launch } from './browser.mjs';
import { LONG, Server } from './server.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

const DESKTOP = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, reducedMotion: 'reduce' };

async function server(t) {
  const one = new Server();
  t.after(() => one.close());
  await one.start();
  return one;
}

/** A browser that the server knows; whatever goes wrong in its pages fails the test. */
async function visitor(t, { address }, options = DESKTOP) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(LONG);
  const wrong = [];
  t.after(async () => {
    await context.close();
    assert.deepEqual(wrong, []);
  });
  const open = async (hash = '', first = true) => {
    const page = await context.newPage();
    page.on('pageerror', error => wrong.push(error.message));
    page.on('dialog', dialog => wrong.push(dialog.message()));
    await page.goto(first ? address : new URL(address).origin + '/' + hash);
    // The printed address leads to the page.
    if (first) await page.waitForURL(url => url.search === '');
    return page;
  };
  return { context, open, again: hash => open(hash, false) };
}

/** A root that grows, and a page that shows it. */
async function growing(t, options, root = { moves: 'e4 e5', name: 'A game' }) {
  const serving = await server(t);
  const { id } = await serving.api('POST', 'analyses', root);
  const visiting = await visitor(t, serving, options);
  const page = await visiting.open();
  await page.locator('#moves tr').first().waitFor();
  return { serving, ...visiting, page, id };
}

const text = (page, selector) => page.locator(selector).first().innerText();
const hash = page => page.evaluate(() => location.hash);
const sans = page => page.locator('#moves .move').allTextContents().then(all => all.map(one => one.replace(' candidate', '').replace(/^\d+\.+ /, '')));
const escaped = text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const row = (page, san) => page.locator('#moves tr', { has: page.locator('.move', { hasText: new RegExp(`\\s${escaped(san)}( candidate)?$`) }) });
const until = (page, check, argument) => page.waitForFunction(check, argument, { timeout: LONG });
const positions = page => page.locator('.facts').innerText().then(all => Number(all.match(/([\d,]+) positions/)?.[1].replace(',', '') ?? 0));

async function say(page, san, label) {
  await row(page, san).locator('.row-menu button').click();
  await page.getByRole('menuitem', { name: label }).click();
}

/** A legal pawn move that the tree does not have at the root. */
async function outside(page) {
  const known = await sans(page);
  const found = [['a2', 'a4'], ['h2', 'h4'], ['g2', 'g4'], ['f2', 'f3'], ['a2', 'a3'], ['h2', 'h3'], ['b2', 'b4']].find(([, to]) => !known.includes(to));
  assert.ok(found, `${known}`);
  return found;
}

test('an analysis is started from moves, and grows before the eyes', async t => {
  const serving = await server(t);
  const { open } = await visitor(t, serving);
  const page = await open();
  await page.getByRole('button', { name: 'Start an analysis' }).click();
  await page.getByLabel('Moves', { exact: true }).fill('1. d4 Nf6 2. c4');
  await page.getByLabel('Name').fill('Indian');
  await page.getByRole('button', { name: 'Analyse', exact: true }).click();
  await page.locator('#moves tr').first().waitFor();
  assert.match(await text(page, '.agenda'), /Indian[^]*growing/);
  assert.match(await hash(page), /^#\d+$/);
  assert.equal(await text(page, '#line [aria-current]'), '2. c4');
  const before = await positions(page);
  await until(page, count => Number(document.querySelector('.facts').innerText.match(/([\d,]+) positions/)?.[1].replace(',', '')) > count, before);
  assert.match(await text(page, '#verdict-score'), /^[+\u2212#0]/);
  await page.locator('.cg-shapes line').first().waitFor({ state: 'attached' });
});

test('a move is excluded, marked, and comes back with undo', async t => {
  const { page, serving, id } = await growing(t);
  const [best] = await sans(page);
  await say(page, best, 'Exclude this move');
  await row(page, best).locator('.mark', { hasText: 'excluded' }).waitFor();
  assert.match(await text(page, '.toast'), /Excluded 2\. /);
  const { directives } = await serving.api('GET', `analyses/${id}/directives`);
  assert.deepEqual(directives.map(one => [one.kind, one.san]), [['exclude', best]]);
  await until(page, san => !document.querySelector('#moves .move').textContent.includes(san), best);
  await page.keyboard.press('Control+z');
  await until(page, () => !document.querySelector('#moves .mark'));
  assert.deepEqual((await serving.api('GET', `analyses/${id}/directives`)).directives, []);
});

test('a move that the tree does not have is followed, and what is refused is said', async t => {
  const { page } = await growing(t);
  const [from, to] = await outside(page);
  await drag(page, from, to);
  await page.locator('#follow').click();
  await page.keyboard.press('ArrowLeft');
  await row(page, to).locator('.mark', { hasText: 'followed' }).waitFor();
  await page.locator('#tab-directives').click();
  // Directives are asked for again with a rest between two requests.
  await page.locator('ul.directives', { hasText: new RegExp(`followed\\s*2\\. ${to}`) }).waitFor();
  await page.locator('#tab-directives', { hasText: '1' }).waitFor();
});

test('value, stop and note stand where they were said, and are taken back one by one', async t => {
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
  await other.locator('#moves tr').first().waitFor();
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

test('what the opponent has played makes the next root of the game', async t => {
  const { page, serving, id } = await growing(t);
  const [best] = await sans(page);
  await page.locator('#moves .move').first().click();
  await page.getByRole('button', { name: 'They played this' }).click();
  await page.getByRole('button', { name: 'Analyse from there' }).click();
  await until(page, before => location.hash !== '' && !location.hash.startsWith(`#${before}/`) && location.hash !== `#${before}`, id);
  await page.locator('#moves tr').first().waitFor();
  await until(page, move => document.querySelector('#line [aria-current]')?.textContent === move, `2. ${best}`);
  const { analyses } = await serving.api('GET', 'analyses');
  assert.equal(analyses.length, 2);
  assert.equal(analyses.find(one => one.id === id).run.state, 'paused');
});

test('a position of a pasted game, and one that is set up', async t => {
  const { page, serving } = await growing(t);
  await page.locator('#new-root').click();
  await page.getByRole('button', { name: 'Game (PGN)' }).click();
  await page.getByLabel('PGN').fill('[White "A"]\n[Black "B"]\n\n1. e4 c5 2. Nf3 d6 *\n\n[White "C"]\n[Black "<b>D</b>"]\n\n1. d4 d5 2. c4 e6 3. Nc3 *');
  await page.getByRole('button', { name: 'Choose the position' }).click();
  await page.locator('.pick-side select').selectOption({ index: 1 });
  await page.locator('.game-moves .move', { hasText: 'c4' }).click();
  await page.getByRole('button', { name: 'Analyse', exact: true }).click();
  await until(page, () => document.querySelector('#line [aria-current]')?.textContent === '2. c4');
  await page.locator('#new-root').click();
  await page.getByRole('button', { name: 'Position', exact: true }).click();
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.locator('.form-words', { hasText: /king|empty/ }).waitFor();
  await page.getByLabel('FEN').fill('8/8/4k3/8/8/4K3/4P3/8 w - - 0 1');
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

test('keys alone: an analysis is started, walked, directed and its tree unfolded', async t => {
  const serving = await server(t);
  const { open } = await visitor(t, serving);
  const page = await open();
  const focus = () => page.evaluate(() => document.activeElement.textContent || document.activeElement.id);
  const focused = () => page.evaluate(() => {
    const { activeElement: one, body } = document;
    return one === body ? '' : `${one.id} ${one.ariaLabel ?? ''} ${one.textContent}`;
  });
  const tabTo = async name => {
    for (let i = 0; i < 80; i++) {
      if ((await focused()).includes(name)) return;
      await page.keyboard.press('Tab');
    }
    assert.fail(`no way to ${name}, but to ${await focus()}`);
  };
  await page.getByRole('button', { name: 'Start an analysis' }).waitFor();
  await tabTo('Start an analysis');
  await page.keyboard.press('Enter');
  await page.getByLabel('Moves', { exact: true }).focus();
  await page.keyboard.type('e4 e5');
  await tabTo('Cancel');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.locator('#moves tr').first().waitFor();
  await page.keyboard.press('ArrowRight');
  await until(page, () => location.hash.includes('/'));
  const best = await text(page, '#line [aria-current]');
  await page.locator('#announced', { hasText: best }).waitFor({ state: 'attached' });
  await page.keyboard.press('ArrowDown');
  await until(page, before => document.querySelector('#line [aria-current]').textContent !== before, best);
  await page.keyboard.press('Home');
  await until(page, () => document.querySelector('#line [aria-current]').textContent === 'e5');
  await tabTo('tree Tree');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'tree');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Home');
  await until(page, () => document.getElementById(document.getElementById('tree').getAttribute('aria-activedescendant'))?.getAttribute('aria-level') === '1');
  await until(page, () => document.querySelector('#tree .row[aria-level="2"]'));
  await page.keyboard.press('ArrowRight');
  await until(page, () => document.getElementById(document.getElementById('tree').getAttribute('aria-activedescendant'))?.getAttribute('aria-level') === '2');
  await page.locator('#moves .row-menu button').first().focus();
  await page.keyboard.press('Enter');
  await until(page, () => document.activeElement.getAttribute('role') === 'menuitem');
  await page.keyboard.press('Escape');
  // The focus goes back.
  await until(page, () => document.activeElement.getAttribute('aria-haspopup') === 'menu');
});

test('the focus stays where it is while values change', async t => {
  const { page } = await growing(t);
  await page.locator('#moves .row-menu button').nth(1).focus();
  const label = await page.evaluate(() => document.activeElement.ariaLabel);
  const before = await positions(page);
  await until(page, count => Number(document.querySelector('.facts').innerText.match(/([\d,]+) positions/)?.[1].replace(',', '')) > count, before);
  assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), label);
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
  await serving.api('PATCH', `analyses/${id}`, { name: 'while nobody looked' });
  // What a page that is seen would have been told of, twice.
  await serving.event('roots');
  await serving.event('roots');
  assert.deepEqual(asked, []);
  await hide(false);
  await page.locator('.card-name', { hasText: 'while nobody looked' }).waitFor();
  await page.locator('.connection.live').waitFor();
});

test('the engines say which line they search, and lead to it', async t => {
  const { page } = await growing(t);
  await page.locator('#tab-engines').click();
  await page.locator('.searched', { hasText: /^(2\. |2\.\.\. |the root)/ }).first().waitFor();
});

test('the repertoire is checked, and a finding leads to its move', async t => {
  const { page, serving, id } = await growing(t);
  const [best] = await sans(page);
  const [from, to] = await outside(page);
  await serving.api('POST', `analyses/${id}/run`, { action: 'pause' });
  await page.locator('.card.paused').waitFor();
  await serving.api('POST', `analyses/${id}/directives`, { line: `${from}${to}`, action: 'include' });
  await page.locator('#tab-audit').click();
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
  await page.getByRole('button', { name: 'Export this analysis' }).click();
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
  await page.locator('#moves tr').first().waitFor();
  assert.ok(answers.length > 0 && answers.length <= 4, `${answers}`);
});

test('a phone needs no sideways scrolling, shows score and board first, and has the agenda in a drawer', async t => {
  const { page } = await growing(t, PHONE);
  const { scroll, width } = await page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, width: innerWidth }));
  assert.ok(scroll <= width, `${scroll} in ${width}`);
  const [score, board] = [await page.locator('#verdict-score').boundingBox(), await page.locator('.board').boundingBox()];
  assert.ok(score.y < board.y && board.width > 320 && board.y + board.height < 844, JSON.stringify([score, board]));
  const small = await page.evaluate(() => [...document.querySelectorAll('.controls button, #moves .move, .row-menu button, .tablist button')].filter(one => one.offsetParent && one.getBoundingClientRect().height < 40).map(one => one.outerHTML));
  assert.deepEqual(small, []);
  await page.getByRole('button', { name: 'Agenda', exact: true }).tap();
  await page.locator('.card', { hasText: 'A game' }).waitFor();
  await page.locator('.card-main').first().tap();
  await until(page, () => !document.querySelector('.agenda.shown'));
  await page.getByRole('button', { name: 'Forward' }).tap();
  await until(page, () => location.hash.includes('/'));
});

test('a page that the server does not know says where its address is', async t => {
  const serving = await server(t);
  const context = await browser.newContext(DESKTOP);
  t.after(() => context.close());
  const page = await context.newPage();
  const answer = await page.goto(new URL(serving.address).origin);
  assert.equal(answer.status(), 401);
  assert.match(await page.locator('body').innerText(), /token|address/i);
});

for (const options of [{ ...DESKTOP, colorScheme: 'light' }, { ...DESKTOP, colorScheme: 'dark' }, PHONE]) {
  test(`axe finds nothing to object to, ${options.colorScheme ?? 'phone'}`, async t => {
    const { page } = await growing(t, { ...options, bypassCSP: true });
    await page.evaluate(axe.source);
    const check = async where => {
      const { violations } = await page.evaluate(() => window.axe.run());
      const found = violations.map(one => `${where}: ${one.id}: ${one.nodes.map(node => node.html.slice(0, 120)).join(' | ')}`);
      assert.deepEqual(found, []);
    };
    const [from, to] = options === PHONE ? [] : await outside(page);
    if (from) {
      await drag(page, from, to);
      await page.locator('#follow').click();
      await page.keyboard.press('Home');
      await page.locator('#moves .mark').waitFor();
    }
    await check('start');
    for (const tab of ['course', 'directives', 'engines', 'log']) {
      await page.locator(`#tab-${tab}`).click();
      await check(tab);
    }
    await page.locator('#moves .row-menu button').first().click();
    await check('menu');
    await page.getByRole('menuitem', { name: 'Give it a value' }).click();
    await check('value');
    await page.keyboard.press('Escape');
    if (options === PHONE) await page.getByRole('button', { name: 'Agenda', exact: true }).click();
    await check('agenda');
    await page.locator('#new-root').click();
    await check('new');
    await page.getByRole('button', { name: 'Position', exact: true }).click();
    await check('board');
  });
}
