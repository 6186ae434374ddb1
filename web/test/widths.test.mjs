// Widths: pawns for the user, centipawns for the server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pawns, readWidths } from '../serve/src/state/widths';

for (const [text, centipawns] of [['', ''], ['0.20', '20'], ['.2', '20'], ['1', '100'], ['1.', '100'], ['0', '0'], ['0.30, 0.20,0.10', '30,20,10'], ['0.30,0.10+', '30,10+'], [' 0.05 ', '5'], ['0+', '0+'], ['10', '1000']]) {
  test(`"${text}" is ${centipawns || 'nothing'}`, () => assert.deepEqual(readWidths(text), { centipawns }));
}

for (const [text, words] of [['abc', /\u201cabc\u201d is no width/], ['20', /would be 20 pawns/], ['0,30', /30 pawns/], ['0.10,0.20', /never grows .* 0\.20 follows 0\.10/], ['0.123', /no width/], ['-0.1', /no width/], ['0.1+,0.1', /no width/], ['0.1,', /no width/], ['1e1', /no width/], [Array(101).fill('0').join(','), /101 widths/]]) {
  test(`"${text.slice(0, 20)}" is refused, in pawns`, () => {
    const { wrong } = readWidths(text);
    assert.match(wrong, words);
    assert.match(wrong, /in pawns, like 0\.20/);
    assert.doesNotMatch(wrong, /centipawn/);
  });
}

test('what the server has is shown so that it is read as the same', () => {
  for (const text of ['20', '30,20,10', '30,10+', '0+', '100']) assert.deepEqual(readWidths(pawns(text)), { centipawns: text });
});
