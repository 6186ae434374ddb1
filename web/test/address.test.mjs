// The page's address, read and written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashOf, hashOfGame, readHash } from '../serve/src/state/address';

test('an address is read as it was written', () => {
  assert.equal(hashOf(5), '#5');
  assert.equal(hashOf(5, ['e2e4', 'e7e5']), '#5/e2e4,e7e5');
  assert.equal(hashOfGame(2), '#game/2');
  assert.equal(hashOfGame(2, 7), '#game/2/7');
  assert.deepEqual(readHash(hashOf(5, ['e2e4', 'e7e5'])), { kind: 'analysis', name: '5', id: 5, line: ['e2e4', 'e7e5'] });
  assert.deepEqual(readHash(hashOf(5)), { kind: 'analysis', name: '5', id: 5, line: [] });
  assert.deepEqual(readHash(hashOfGame(2, 7)), { kind: 'game', id: 2, ply: 7 });
});

test('what makes no sense names nothing that is there', () => {
  for (const hash of ['', '#']) assert.deepEqual(readHash(hash), { kind: 'nothing' });
  for (const hash of ['#x', '#5x/e2e4', '#-']) assert.ok(Number.isNaN(readHash(hash).id), hash);
  for (const hash of ['#game', '#game/', '#game/x']) assert.ok(Number.isNaN(readHash(hash).id), hash);
  for (const ply of ['-1', 'x', '1.5', '']) assert.equal(readHash(`#game/2/${ply}`).ply, 0, ply);
});
