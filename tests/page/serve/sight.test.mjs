// Places that stay in sight while one walks and the tree grows, in Chromium.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tap } from '../browser.mjs';
import { DESKTOP, expectHash, growing, hash, pause, PHONE, showMoves, showTab, until } from './visiting.mjs';

const LAPTOP = { ...DESKTOP, viewport: { width: 1280, height: 720 } };
const GAME = '1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Na5 10. Bc2 c5 11. d4 Qc7 12. Nbd2 cxd4 13. cxd4 Nc6 14. Nb3 a5 15. Be3 a4 16. Nbd2 Bd7 17. Rc1 Rfc8';

const STEPS = 5;

/** True if all of an element is within its box. */
const isInSight = (page, box, element) =>
  page.evaluate(([box, element]) => {
    const [around, it] = [document.querySelector(box), document.querySelector(element)].map(one => one.getBoundingClientRect());
    return it.top >= around.top - 1 && it.bottom <= around.bottom + 1;
  }, [box, element]);

/** A line that the tree has: it will have it however it grows. */
async function longLine(serving, id) {
  for (;;) {
    const { moves } = await serving.api('GET', `analyses/${id}/moves`);
    const long = moves.find(move => move.in_tree >= STEPS);
    if (long) return long.line.slice(0, STEPS).map(move => move.uci);
    await serving.event('tree');
  }
}

/** Where the parts are that must not move. */
const places = page =>
  page.evaluate(() => ['.headline', '.verdict', '.news', '#tab-tree', '#tree', '#line', '.controls', '.here-tools'].map(one => {
    const { top, height } = document.querySelector(one).getBoundingClientRect();
    return `${one}: ${Math.round(top)} ${one === '.here-tools' ? '' : Math.round(height)}`;
  }));

for (const options of [DESKTOP, LAPTOP]) {
  const { width } = options.viewport;
  test(`the current move is in sight in line and tree, and nothing jumps, ${width} wide`, async t => {
    const { page, serving, id } = await growing(t, options, { moves: GAME, name: 'A game', distance: 3 });
    assert.ok(await isInSight(page, '#line', '#line [aria-current]'), 'behind a long game');
    await showTab(page, 'tree');
    await page.locator('#tree .row').first().waitFor();
    const line = await longLine(serving, id);
    const before = await places(page);
    await page.evaluate(named => (location.hash = named), `#${id}/${line.join(',')}`);
    await until(page, () => document.querySelectorAll('#line .move:not(.before, .start)').length > 0);
    await page.keyboard.press('Home');
    for (let step = 1; step <= STEPS; step++) {
      await page.keyboard.press('ArrowRight');
      await until(page, hash => location.hash === hash, `#${id}/${line.slice(0, step).join(',')}`);
      // Its row may come later: what is above it is asked for first.
      await until(page, row => document.querySelector('#tree .row.selected')?.id === row, `row-${line.slice(0, step).join('-')}`);
      assert.ok(await isInSight(page, '#line', '#line [aria-current]'), `step ${step} of the line`);
      assert.ok(await isInSight(page, '#tree', '#tree .row.selected'), `step ${step} in the tree`);
      assert.deepEqual(await places(page), before, `step ${step}`);
    }
    await page.keyboard.press('Home');
    await until(page, () => document.querySelector('#line [aria-current]')?.matches('.start'));
    assert.ok(await isInSight(page, '#line', '#line [aria-current]'), 'the root');
    await page.keyboard.press('Home');
    await until(page, () => !document.querySelector('#line [aria-current]'));
    assert.ok(await isInSight(page, '#line', '#line .move'), 'the start of the game');
  });
}

test('a phone shows the current move in the line, too', async t => {
  const { page } = await growing(t, PHONE, { moves: GAME, name: 'A game', distance: 3 });
  assert.ok(await isInSight(page, '#line', '#line [aria-current]'), 'behind a long game');
  const forward = page.getByRole('button', { name: 'Forward' });
  for (let step = 1; step <= 2; step++) {
    await tap(forward);
    await until(page, plies => location.hash.split('/')[1]?.split(',').length === plies, step);
    await until(page, () => document.querySelector('#line [aria-current]')?.matches(':not(.start):not(.before)'));
    assert.ok(await isInSight(page, '#line', '#line [aria-current]'), `step ${step}`);
  }
});

test('the selected row stays where it is while rows come above it', async t => {
  const { page, serving, id } = await growing(t, LAPTOP);
  await showTab(page, 'tree');
  // A move with a tree behind it, and one below it.
  await until(page, () => document.querySelector('#tree .row[aria-level="1"][aria-expanded="false"] ~ .row[aria-level="1"]'));
  await pause(page, serving, id);
  await page.locator('#tree .row[aria-level="1"]').last().locator('.name').click();
  await until(page, () => document.querySelector('#tree .row.selected'));
  const top = () => page.evaluate(() => document.querySelector('#tree .row.selected').getBoundingClientRect().top);
  const [before, rows] = [await top(), await page.locator('#tree .row').count()];
  // The moves after it are requested, and come like new ones.
  await page.locator('#tree .row[aria-level="1"][aria-expanded="false"] .twisty').first().dispatchEvent('click');
  await until(page, count => document.querySelectorAll('#tree .row').length > count, rows);
  assert.ok(Math.abs((await top()) - before) < 2, `${before} → ${await top()}`);
});

test('a window that is made wider with the drawer open is laid out as any other', async t => {
  const { page } = await growing(t, { ...DESKTOP, viewport: { width: 720, height: 450 } });
  await page.getByRole('button', { name: 'Analyses', exact: true }).click();
  await page.locator('.agenda.shown').waitFor();
  await page.setViewportSize({ width: 1280, height: 720 });
  const { main, agenda } = await page.evaluate(() => {
    const box = selector => document.querySelector(selector).getBoundingClientRect();
    return { main: box('main'), agenda: box('.agenda') };
  });
  assert.ok(main.left >= agenda.right - 1 && main.top === agenda.top && main.width > 900, JSON.stringify({ main, agenda }));
});

test('an address that names nothing says so, and the page goes on', async t => {
  const { page, id, again } = await growing(t);
  const visit = named => page.evaluate(named => (location.hash = named), named);
  await visit(`#${id}/zzzz`);
  await page.locator('.toast.bad', { hasText: '\u201czzzz\u201d, which cannot be played there' }).waitFor();
  await expectHash(page, `#${id}`);
  await visit(`#${id}/g1f3,e7e5`);
  await page.locator('.toast.bad', { hasText: '\u201ce7e5\u201d, which cannot be played there' }).waitFor();
  await expectHash(page, `#${id}/g1f3`);
  await visit('#99999');
  await page.locator('.toast.bad', { hasText: 'analysis 99999, which is not there' }).waitFor();
  assert.equal(await hash(page), `#${id}/g1f3`, 'what was shown is shown');
  await page.keyboard.press('ArrowLeft');
  await until(page, hash => location.hash === hash, `#${id}`);
  const fresh = await again('#99999');
  await fresh.locator('.toast.bad', { hasText: 'analysis 99999, which is not there' }).waitFor();
  await showMoves(fresh);
  assert.equal(await hash(fresh), `#${id}`);
});

test('the page itself is never scrolled, whatever is in its boxes', async t => {
  const { page } = await growing(t, LAPTOP);
  await until(page, () => document.querySelectorAll('#moves tr').length > 15);
  for (let steps = 0; steps < 3; steps++) {
    await until(page, () => document.documentElement.scrollHeight === innerHeight);
    await page.keyboard.press('ArrowRight');
  }
});
