// The page's words about a tree, in Chromium.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { dataOf, expectLine, line, open, text } from './opening.mjs';

test('the plots show every ply and every settled depth, and lead to their moves', async t => {
  const page = await open(t, 'circles.html');
  const data = await dataOf(page);
  const plies = await page.locator('#eval-plot .ply').count();
  assert.equal(plies, await page.locator('#main-line .move:not(.own)').count());
  assert.equal(await page.locator('#eval-table tbody tr').count(), plies);
  await page.locator('#eval-plot [data-ply="2"] .column').click();
  assert.equal((await line(page)).length, 2);
  assert.equal(await page.locator('#eval-plot .here').getAttribute('data-ply'), '2');
  const last = data.verdicts.at(-1);
  assert.equal(await page.locator('#verdict-plot .series').count(), Math.min(last.moves.length, 7));
  assert.equal(await page.locator('#verdict-table tbody tr').count(), data.verdicts.length);
  const title = await page.locator('#verdict-plot .series title').first().textContent();
  assert.match(title, new RegExp(`^${last.moves[0].san.replace('+', '\\+')}: .*depth ${last.depth} `));
});

test('scores turn with the point of view, and it is said for whom they are', async t => {
  const page = await open(t, 'circles.html');
  await page.keyboard.press('ArrowRight');
  const score = () => page.locator('#moves tr:first-child .alpha .number').innerText();
  const before = await score();
  assert.match(await text(page, '#moves-whose'), /for White/, 'as in every chess program');
  await page.selectOption('#pov', 'mover');
  assert.match(await text(page, '#moves-whose'), /for Black, who moves/);
  const turned = before.replace(/[+\u2212]/, sign => (sign === '+' ? '\u2212' : '+'));
  assert.equal(await score(), turned);
});

for (const name of ['circles', 'ending', 'mates', 'promotions']) {
  test(`the moves and scores of ${name} are written as the text format writes them`, async t => {
    const page = await open(t, `${name}.html`);
    const printed = readFileSync(join(process.env.PAGES, `${name}.txt`), 'utf8').split('\n').flatMap(row => {
      const found = row.match(/^ *(#-?\d+|[+-]\d+\.\d\d|0\.00)  (\d+\.+) ?(\S+)/);
      return found ? [`${found[2]} ${found[3]} ${found[1]}`] : [];
    });
    assert.ok(printed.length > 0);
    const [names, scores] = await Promise.all(['.move', '.alpha .number'].map(what => page.locator(`#moves tr ${what}`).allTextContents()));
    const shown = names.map((san, i) => `${san.replace(' candidate', '')} ${scores[i]}`.replaceAll('\u2212', '-'));
    assert.deepEqual(shown, printed);
    assert.equal((await text(page, '#score')).replace('\u2212', '-'), printed[0].split(' ').at(-1));
  });
}

test('the verdict over time has its stages, and fills the height of its plot', async t => {
  const page = await open(t, 'staged.html');
  const { stages } = await dataOf(page);
  assert.equal(stages.length, 2);
  assert.ok(stages[1].speaks >= stages[0].speaks);
  assert.equal(await page.locator('#course-plot .series').count(), 2);
  assert.equal(await page.locator('#course-plot .takes-over').count(), 1);
  const titles = await page.locator('#course-plot .series > title').allTextContents();
  assert.deepEqual(titles.map(title => title.split(',')[0]), stages.map(stage => stage.limit));
  const heights = await page.locator('#course-plot .curve:not(.silent)').evaluateAll(paths => paths.flatMap(path => [...path.getAttribute('d').matchAll(/(?:V|M[\d.]+ )([\d.]+)/g)].map(found => Number(found[1]))));
  const values = stages.flatMap(stage => stage.points.map(point => point[2]));
  assert.ok(new Set(values).size > 1, 'the verdict changed');
  assert.ok(Math.max(...heights) - Math.min(...heights) > 100, `${heights}`);
  const rows = await page.locator('#course-table tbody tr').count();
  assert.ok(rows >= 2, `${rows}`);
  assert.ok((await page.locator('#course-plot .changes .dot').count()) > 0);
});

test('a game that is over says so, and has no tree', async t => {
  const page = await open(t, 'over.html');
  assert.match(await text(page, '#note'), /The game is over: checkmate/);
  assert.ok(await page.locator('#tree').isHidden());
  await page.keyboard.press('ArrowRight');
  await expectLine(page, []);
});

test('what is directed is marked, and the command for a position is there to copy', async t => {
  const page = await open(t, 'directed.html');
  await page.locator('#details > summary').click();
  assert.match(await text(page, '#facts'), /Directed\s+2 moves excluded, 3 moves included/);
  assert.equal(await text(page, '#users-note'), 'Where it all begins');
  const moves = await text(page, '#moves');
  for (const words of ['excluded', 'included, stopped here', 'included', 'stopped here', '<b>%eval</b>']) assert.ok(moves.includes(words), `${words}: ${moves}`);
  const command = () => page.inputValue('#direct-command');
  await page.locator('#direct > summary').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'direct-action');
  await page.selectOption('#direct-action', 'note');
  await page.fill('#direct-text', "it's <b>\"$HOME\"");
  assert.equal(await command(), `deepanalyze direct note -- '' 'it'\\''s <b>"$HOME"'`);
  await page.locator('#moves .move', { hasText: 'Nf3' }).click();
  await page.selectOption('#direct-action', 'exclude');
  assert.equal(await command(), `deepanalyze direct exclude 'g1f3'`);
  await page.selectOption('#direct-action', 'value');
  await page.fill('#direct-text', '-0.50');
  assert.equal(await command(), `deepanalyze direct value -- 'g1f3' '-0.50'`);
  await page.locator('#direct-copy').click();
  await page.waitForFunction(() => document.getElementById('direct-copied').textContent !== '');
  await page.locator('#moves .move', { hasText: 'g5' }).click();
  assert.match(await text(page, '#note'), /You say what this position is worth: \+1\.50 for White/);
  await page.fill('#typed', 'h3');
  await page.keyboard.press('Enter');
  assert.match(await text(page, '#note'), /You have excluded this move/);
});
