// The page in Chromium. PAGES names the folder with the pages that tests/html_page.rs writes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import axe from 'axe-core';
import { drag, launch, square } from './browser.mjs';

let browser;

before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** Opens a page from disk; anything that goes wrong in it, or that it fetches, fails the test. */
async function open(t, name, options = {}, hash = '') {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on('pageerror', error => wrong.push(error.message));
  page.on('console', message => message.type() === 'error' && wrong.push(message.text()));
  page.on('request', request => /^(file|data):/.test(request.url()) || wrong.push(request.url()));
  page.on('dialog', dialog => wrong.push(dialog.message()));
  await page.goto(`file://${join(process.env.PAGES, name)}${hash}`);
  t.after(async () => {
    await context.close();
    assert.deepEqual(wrong, []);
  });
  return page;
}

const dataOf = page => page.evaluate(() => JSON.parse(document.getElementById('tree-data').textContent));
const line = page => page.evaluate(() => decodeURIComponent(location.hash.slice(1)).split(',').filter(Boolean));
/** The board tells of a move a moment after it. */
async function expectLine(page, expected) {
  const same = line => decodeURIComponent(location.hash.slice(1)) === line;
  await page.waitForFunction(same, expected.join(','), { timeout: 60000 }).catch(() => {});
  assert.deepEqual(await line(page), expected);
}

const fen = page => page.inputValue('#fen');
const text = (page, selector) => page.locator(selector).innerText();

/** The first move with a flag whose position has a place, with the line to it. */
function flagged(data, flag, accept = () => true) {
  const lines = [[]];
  for (let place = 0; place < data.places.length; place++) {
    for (const move of data.places[place]) {
      if (move[6] & flag && move[7] >= 0 && accept(move)) return { line: [...lines[place], move[0]], move, printed: null, lines };
      if (move[7] >= 0 && !(move[6] & 6)) lines[move[7]] = [...lines[place], move[0]];
    }
  }
  throw new Error(`no move with flag ${flag}`);
}

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
  for (const at of [first.slice(0, 2), first.slice(2, 4)]) {
    const point = await square(page, at);
    await page.mouse.click(point.x, point.y);
  }
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
  assert.match(await text(page, '#elsewhere'), /Transposition: these moves are printed under .*alphas are those of that line/);
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

test('the tree is one of the ARIA practices and works by keyboard', async t => {
  const page = await open(t, 'circles.html');
  const { places } = await dataOf(page);
  const tree = page.getByRole('tree', { name: 'Tree' });
  await page.locator('#close-all').click();
  await tree.focus();
  await page.keyboard.press('Home');
  const active = () => page.evaluate(() => {
    const row = document.getElementById(document.getElementById('tree').getAttribute('aria-activedescendant'));
    return { level: row.ariaLevel, expanded: row.getAttribute('aria-expanded'), set: row.ariaSetSize, at: row.ariaPosInSet, label: row.textContent };
  });
  let row = await active();
  assert.deepEqual([row.level, row.expanded, row.set, row.at], ['1', 'false', String(places[0].length), '1']);
  assert.match(row.label, /candidate.*alpha .*idea .*eval /);
  await page.keyboard.press('ArrowRight');
  assert.equal((await active()).expanded, 'true');
  await page.keyboard.press('ArrowRight');
  assert.equal((await active()).level, '2');
  assert.deepEqual((await line(page)).length, 2, 'the board follows');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  row = await active();
  assert.deepEqual([row.level, row.expanded], ['1', 'false']);
  await page.keyboard.press('ArrowDown');
  assert.equal((await active()).at, '2');
  assert.match(await page.locator('#live').textContent(), /alpha/, 'the live region tells the move');
  await page.keyboard.press('*');
  const unfolded = await page.locator('.row[aria-expanded="true"]').count();
  assert.equal(unfolded, places[0].filter(move => move[7] >= 0 && !(move[6] & 6)).length);
});

test('all interactive elements can be reached by Tab and have names', async t => {
  const page = await open(t, 'circles.html');
  const nameless = await page.evaluate(() => [...document.querySelectorAll('button, input, select')].filter(e => !(e.ariaLabel || e.textContent.trim() || e.labels?.length)).map(e => e.outerHTML));
  assert.deepEqual(nameless, []);
  const seen = new Set();
  for (let i = 0; i < 120; i++) {
    await page.keyboard.press('Tab');
    seen.add(await page.evaluate(() => document.activeElement.id));
  }
  for (const id of ['pov', 'theme', 'forward', 'flip', 'typed', 'tree']) assert.ok(seen.has(id), `${id} in ${[...seen]}`);
});

test('the focus stays where it was when the board moves on', async t => {
  const page = await open(t, 'circles.html');
  const focus = () => page.evaluate(() => document.activeElement.textContent);
  await page.locator('#moves .move').first().focus();
  await page.keyboard.press('Enter');
  assert.equal(await focus(), await page.locator('#moves .move').first().textContent());
  assert.equal((await line(page)).length, 1);
  const start = page.locator('#line .start');
  await start.focus();
  await page.keyboard.press('Enter');
  assert.deepEqual([await focus(), await line(page)], [await start.textContent(), []]);
  await page.locator('#back').focus();
  await page.keyboard.press('ArrowRight');
  assert.equal((await line(page)).length, 1);
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowRight');
  assert.equal((await line(page)).length, 1, 'the button at its end still hears the keys');
});

test('a large tree has few elements, unfolded and scrolled to its end, and answers quickly', async t => {
  const page = await open(t, 'large.html');
  const { places } = await dataOf(page);
  const moves = places.reduce((sum, place) => sum + place.length, 0);
  assert.ok(places.length >= 2000, `${places.length}`);
  const taken = await page.evaluate(() => performance.getEntriesByType('navigation')[0].domInteractive);
  assert.ok(taken < 5000, `${taken} ms`);
  await page.locator('#open-all').click();
  await page.evaluate(() => (document.getElementById('tree').scrollTop = 1e9));
  await page.locator(`[data-row="${moves - 1}"]`).waitFor({ state: 'attached', timeout: 60000 });
  assert.ok((await page.locator('*').count()) < 3000);
});

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

test('a pawn is promoted to what is chosen', async t => {
  const page = await open(t, 'promotions.html');
  await drag(page, 'f7', 'f8');
  await page.locator('#promotion-choices').getByText('Rook').click();
  await expectLine(page, ['f7f8r']);
  await page.keyboard.press('ArrowLeft');
  await drag(page, 'f7', 'f8');
  await page.keyboard.press('Escape');
  assert.match(await fen(page), /5P2/, 'a move not chosen is not played');
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

test('names and options with markup in them stay text', async t => {
  const page = await open(t, 'hostile.html');
  assert.equal(await page.title(), 'Starting position');
  assert.equal(await page.locator('img').count(), 0);
  await page.locator('#details > summary').click();
  assert.match(await text(page, '.fact-engine dd'), /<\/script><script>document\.title='broken'/);
});

test('nothing injected could run', async t => {
  const context = await browser.newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(`file://${join(process.env.PAGES, 'circles.html')}`);
  const ran = await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.ran = true';
    document.body.append(script);
    return window.ran === true;
  });
  assert.equal(ran, false, 'the policy allows the page its own script alone');
});

for (const [scheme, theme] of [['light', 'dark'], ['dark', 'light']]) {
  test(`${scheme} as the system has it, ${theme} by the switch, with contrast in both`, async t => {
    const page = await open(t, 'circles.html', { colorScheme: scheme });
    const light = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number)[0] > 128);
    assert.equal(await light(), scheme === 'light');
    assert.ok((await contrast(page)) >= 4.5);
    await page.selectOption('#theme', theme);
    assert.equal(await light(), theme === 'light');
    assert.ok((await contrast(page)) >= 4.5);
  });
}

/** The least contrast of text that people read, by WCAG's formula. */
const contrast = page => page.evaluate(() => {
  const rgb = color => color.match(/[\d.]+/g).map(Number);
  const luminance = color => {
    const [r, g, b] = rgb(color).map(v => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = element => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if ((rgb(color)[3] ?? 1) === 1) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  const ratio = element => {
    const [a, b] = [luminance(getComputedStyle(element).color), luminance(behind(element))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
  const read = 'dt, dd, .name, .preview, .opening, .number, .whose, #note, #users-note, .mark, .users-note, .link, .moves-line .move, summary, footer p, th';
  return Math.min(...[...document.querySelectorAll(read)].filter(e => e.offsetParent).map(ratio));
});

test('a phone needs no sideways scrolling and shows the board first', async t => {
  const page = await open(t, 'circles.html', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  const { scroll, width } = await page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, width: innerWidth }));
  assert.ok(scroll <= width, `${scroll} in ${width}`);
  const board = await page.locator('#board').boundingBox();
  assert.ok(board.width > 300 && board.y < 740 - 200, JSON.stringify(board));
  await page.locator('#forward').tap();
  assert.equal((await line(page)).length, 1);
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

test('a game is stepped through with the verdict of each position', async t => {
  const page = await open(t, 'game.html');
  assert.equal(await page.title(), '</script><script>document.title=\'broken\'</script><!-- <img src=x onerror=alert(1)> – B');
  const { game } = JSON.parse(await page.locator('#game-data').textContent());
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
  // A move of the best line is shown on the board, and taken back.
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
  assert.equal(await text(page, '#score'), 'The game is over.');
  assert.equal(await page.evaluate(() => location.hash), '#4');
  await page.locator('[data-ply="1"]').click();
  assert.equal(await text(page, '#here-title'), '1. f3');
});

test('the page of a game fits a phone', async t => {
  const page = await open(t, 'game.html', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }, '#3');
  assert.equal(await text(page, '#here-title'), '2. g4??');
  const { scroll, width } = await page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, width: innerWidth }));
  assert.ok(scroll <= width, `${scroll} in ${width}`);
});

for (const options of [{ colorScheme: 'light' }, { colorScheme: 'dark' }, { viewport: { width: 390, height: 844 } }]) {
  for (const name of ['ending.html', 'directed.html', 'game.html']) test(`axe finds nothing to object to in ${name}, ${JSON.stringify(options)}`, async t => {
    const page = await open(t, name, options);
    await page.keyboard.press('End');
    await page.evaluate(() => document.querySelectorAll('details').forEach(details => (details.open = true)));
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() => window.axe.run());
    const found = violations.map(one => `${one.id}: ${one.nodes.map(node => node.html.slice(0, 120)).join(' | ')}`);
    assert.deepEqual(found, []);
  });
}
