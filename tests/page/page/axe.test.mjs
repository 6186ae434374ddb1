// Objections of axe to the pages, in Chromium.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import axe from 'axe-core';
import { open } from './opening.mjs';

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
