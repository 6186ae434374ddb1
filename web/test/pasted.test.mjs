// Kinds of pasted text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pasted } from '../serve/src/state/pasted';
import { readFen } from '../serve/src/view/fen';

const PAWN = '8/8/4k3/8/8/4K3/4P3/8 w - - 0 1';

for (const [text, line] of [
  ['', []],
  ['e4 e5 Nf3', ['e2e4', 'e7e5', 'g1f3']],
  ['1. e4 e5 2. Nf3', ['e2e4', 'e7e5', 'g1f3']],
  ['1.e4 e5 2.Nf3 Nc6 3.O-O', null],
  ['e2e4 e7e5', ['e2e4', 'e7e5']],
  ['position startpos moves e2e4', ['e2e4']],
  ['startpos moves e2e4', ['e2e4']],
  ['1. \u2658f3\u00b1 d5', ['g1f3', 'd7d5']],
]) {
  test(`moves: ${JSON.stringify(text)}`, () => {
    const found = pasted(text);
    assert.equal(found.kind, 'moves');
    assert.equal(found.error === null, line !== null, `${found.error}`);
    if (line) assert.deepEqual([found.fen, found.line], [null, line]);
  });
}

for (const [text, line] of [[PAWN, []], ['8/8/4k3/8/8/4K3/4P3/8 w', []], [`fen ${PAWN} moves e3d3`, ['e3d3']], ['8/8/4k3/8/8/4K3/4P3/8 w - - bm Kd4; id "one";', []]]) {
  test(`a FEN: ${text}`, () => assert.deepEqual(pasted(text), { kind: 'moves', fen: PAWN, line, error: null }));
}

for (const text of ['[Event "A"]\n\n1. e4 *', '1. e4 {best} e5', '1. e4 (1. d4) e5', '1. e4 e5 1/2-1/2', '1. e4 e5 \u00bd-\u00bd']) {
  test(`games: ${JSON.stringify(text)}`, () => assert.deepEqual(pasted(text), { kind: 'games' }));
}

test('what is wrong with a position is told', () => {
  assert.match(pasted('8/8/8/8/8/8/8/8 w - -').error, /empty/);
  assert.match(readFen('4k3/8/8/8/8/8/8/4K3 w XY - 0 1').error, /castling rights/);
  assert.match(readFen('4k3/8/8/8/8/8/8/4K3 w - - 0 x').error, /move number/);
  assert.match(readFen('nonsense').error, /not a FEN/);
});
