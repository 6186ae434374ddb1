// Refusals and errors, and where the page says so, in Chromium.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DESKTOP, growing, keepMessages, pause, PHONE, sans, say, showTab } from './visiting.mjs';

/** True if an element is the one that is seen and touched at its place. */
const isOnTop = locator => locator.evaluate(one => {
  const { left, top, width, height } = one.getBoundingClientRect();
  const there = document.elementFromPoint(left + width / 2, top + height / 2);
  return there !== null && (one === there || one.contains(there));
});

for (const [device, options] of [['a desktop', DESKTOP], ['a phone', PHONE]]) {
  test(`what is refused is said in the dialog that asked for it, on ${device}`, async t => {
    const { page } = await growing(t, options);
    const refusal = page.locator('.modal .refused');
    const press = name => page.getByRole('button', { name, exact: true }).click();
    const isRefused = async words => {
      await refusal.filter({ hasText: words }).waitFor();
      assert.ok(await isOnTop(refusal), `${words}: it is in sight`);
      assert.equal(await page.locator('.toast.bad').count(), 0);
    };
    if (options === PHONE) await press('Analyses');
    await page.locator('#new-root').click();
    const within = page.getByLabel('Moves within (pawns)', { exact: true });
    await within.fill('abc');
    await press('Analyse');
    await isRefused(/\u201cabc\u201d is no width; in pawns, like 0\.20/);
    await within.fill('20');
    await refusal.waitFor({ state: 'detached' });
    await press('Analyse');
    await isRefused(/\u201c20\u201d would be 20 pawns/);
    await within.fill('0.20');
    await press('Set up a board');
    await page.getByLabel('FEN', { exact: true }).fill('4k3/8/8/8/8/8/8/4K3 w - - 0 1');
    await press('Analyse');
    await isRefused(/insufficient material/);
    await press('Cancel');
    if (options === PHONE) await press('Close the analyses');
    const [best] = await sans(page);
    await say(page, best, 'Give it a value');
    await page.getByLabel('Pawns, for White').fill('999');
    await press('Save');
    await isRefused(/beyond a decided game|300/);
    await page.getByLabel('Pawns, for White').fill('0.30');
    await press('Save');
    await page.locator('.modal').waitFor({ state: 'detached' });
  });
}

test('an emptied number and a depth of 0 are not taken for another depth', async t => {
  const { page, serving, id } = await growing(t);
  const { run } = await serving.api('GET', `analyses/${id}`);
  await page.getByRole('button', { name: 'More about this analysis' }).click();
  await page.getByRole('menuitem', { name: 'Name, depth, share' }).click();
  const depth = page.getByLabel('Tree depth', { exact: true });
  for (const wrong of ['', '0']) {
    await depth.fill(wrong);
    await page.getByRole('button', { name: 'Save' }).click();
    assert.ok(await depth.evaluate(one => !one.validity.valid), `"${wrong}"`);
    assert.equal(await page.locator('.modal').count(), 1, 'the form is there still');
  }
  assert.equal((await serving.api('GET', `analyses/${id}`)).run.target, run.target);
  await assert.rejects(serving.api('POST', 'analyses', { moves: 'd4', depth: 0 }), /from 1 to/);
  await assert.rejects(serving.api('PATCH', `analyses/${id}`, { depth: 0 }), /from 1 to/);
});

test('an analysis that was grown to depth 0 is named as any other', async t => {
  const { page, serving } = await growing(t);
  await serving.run('grow', '--moves', 'd4', '--depth', '0', '--distance', '3', '--engine', serving.engine);
  const card = page.getByRole('list', { name: 'Others' }).locator('.card');
  await card.getByRole('button', { name: 'More about' }).click();
  await page.getByRole('menuitem', { name: 'Name, depth, share' }).click();
  assert.equal(await page.getByLabel('Tree depth', { exact: true }).inputValue(), '0');
  await page.getByLabel('Name').fill('Only the root');
  await page.getByRole('button', { name: 'Save' }).click();
  await card.filter({ hasText: 'Only the root' }).waitFor();
});

test('what happens is listed alike, whatever kind it is of', async t => {
  const { page, serving, id } = await growing(t);
  await keepMessages(page);
  const [best] = await sans(page);
  await say(page, best, 'Exclude this move');
  await page.locator('.toast').first().waitFor();
  await showTab(page, 'log');
  await page.locator('#log li[data-kind="verdict"]').first().waitFor();
  await page.locator('#log li[data-kind="page"]').first().waitFor();
  await pause(page, serving, id);
  const looks = await page.evaluate(() => [...document.querySelectorAll('#log li')].map(one => {
    const { display, fontStyle, marginLeft } = getComputedStyle(one);
    return `${display} ${fontStyle} ${marginLeft}`;
  }));
  assert.deepEqual([...new Set(looks)], ['list-item normal 0px']);
});

test('a fault of an engine has its cause at once, and the same again is told in one place', async t => {
  const { page, serving } = await growing(t, DESKTOP, { moves: 'e4 e5' }, ['--fault', 'die:every=12']);
  await keepMessages(page);
  await showTab(page, 'engines');
  await page.locator('.engines-pane .log li').nth(1).waitFor();
  const told = await page.locator('.engines-pane .log li').allInnerTexts();
  const { messages } = await serving.api('GET', 'engines');
  assert.ok(told.every(one => messages.some(({ text }) => one.endsWith(text))), `${told}`);
  await page.locator('.toast.bad', { hasText: /\(\d+ times\)/ }).waitFor();
  const toasts = (await page.locator('.toast.bad span').allInnerTexts()).map(one => one.replace(/ \(\d+ times\)$/, ''));
  assert.equal(new Set(toasts).size, toasts.length, `${toasts}`);
});

test('where a page may not copy, it says so and shows what was to be copied', async t => {
  const { page } = await growing(t);
  await keepMessages(page);
  // As over plain HTTP from another computer.
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Copy FEN' }).click();
  await page.locator('.toast.bad', { hasText: 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq' }).waitFor();
});
