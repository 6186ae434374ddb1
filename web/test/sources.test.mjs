// Checks of the sources that no compiler makes.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

test('no text of an element has an escape, which would be shown as it stands', () => {
  const folder = 'serve/src/view';
  const shown = readdirSync(folder).filter(file => file.endsWith('.tsx')).flatMap(file => {
    // Between the end of a tag and the next tag or expression.
    const texts = readFileSync(`${folder}/${file}`, 'utf8').matchAll(/[\w"'}/]>([^<>{}='`]*\\u[0-9a-f]{4}[^<>{}]*)[<{]/g);
    return [...texts].map(found => `${file}: ${found[1]}`);
  });
  assert.deepEqual(shown, []);
});
