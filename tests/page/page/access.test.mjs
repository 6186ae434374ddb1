// Keyboards, phones, contrast, large trees, and text that tries to break out, in Chromium.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { IS_FIREFOX, tap, visit } from '../browser.mjs';
import { browser, dataOf, line, open, text } from './opening.mjs';

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
  assert.match(row.label, /candidate.*score .*tree .*engine /);
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
  assert.match(await page.locator('#live').textContent(), /score/, 'the live region tells the move');
  await page.keyboard.press('*');
  // Rows out of sight are not in the page.
  const unfolded = await tree.evaluate(async box => {
    const found = new Set();
    for (let top = 0; top <= box.scrollHeight; top += 200) {
      box.scrollTop = top;
      await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
      box.querySelectorAll('.row[aria-level="1"][aria-expanded="true"]').forEach(row => found.add(row.ariaPosInSet));
    }
    return found.size;
  });
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

/** By the time of the processor, however busy the machine is; only Chromium tells it. */
async function answersQuickly(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.reload();
  const { metrics } = await session.send('Performance.getMetrics');
  const taken = metrics.find(one => one.name === 'TaskDuration').value;
  assert.ok(taken > 0 && taken < 5, `${taken} s`);
}

test('a large tree has few elements, unfolded and scrolled to its end, and answers quickly', async t => {
  const page = await open(t, 'large.html');
  const { places, moves } = await page.evaluate(() => {
    const { places } = JSON.parse(document.getElementById('tree-data').textContent);
    return { places: places.length, moves: places.reduce((sum, place) => sum + place.length, 0) };
  });
  assert.ok(places >= 2000, `${places}`);
  if (!IS_FIREFOX) await answersQuickly(page);
  await page.locator('#open-all').click();
  await page.evaluate(() => (document.getElementById('tree').scrollTop = 1e9));
  await page.locator(`[data-row="${moves - 1}"]`).waitFor({ state: 'attached' });
  assert.ok((await page.locator('*').count()) < 3000);
});

test('names and options with markup in them stay text', async t => {
  const page = await open(t, 'hostile.html');
  assert.equal(await page.title(), 'Starting position');
  assert.equal(await page.locator('img').count(), 0);
  await page.locator('#details > summary').click();
  assert.match(await text(page, '.fact-engine dd'), /<\/script><script>document\.title='broken'/);
});

test('nothing injected could run', async t => {
  const context = await visit(browser);
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
  await tap(page.locator('#forward'));
  assert.equal((await line(page)).length, 1);
});

test('the page of a game fits a phone', async t => {
  const page = await open(t, 'game.html', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }, '#3');
  assert.equal(await text(page, '#here-title'), '2. g4??');
  const { scroll, width } = await page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, width: innerWidth }));
  assert.ok(scroll <= width, `${scroll} in ${width}`);
});
