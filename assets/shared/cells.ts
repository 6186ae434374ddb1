// A score with its bar: to the right where it is good for whom it is given.
import { h } from './dom';
import { format, isMate } from './score';

/** From -1 to 1, steep where moves are compared: a pawn is more than half of a bar. */
export const barLength = (value: number): number => (isMate(value) ? Math.sign(value) : Math.tanh(value / 150));

/** `spoken` is said before the number, where no column's head says what it is. */
export function scoreCell(kind: string, value: number | null, turn: 1 | -1, spoken = ''): HTMLElement {
  if (value === null) return h('span', { class: `score none ${kind}` });
  const shown = barLength(value) * turn;
  const bar = h('span', { class: shown < 0 ? 'bar minus' : 'bar' });
  bar.style.width = `${Math.abs(shown) * 50}%`;
  return h('span', { class: `score ${kind}` }, spoken ? h('span', { class: 'sr' }, spoken) : null, h('span', { class: 'number' }, format(value, turn)), bar);
}
