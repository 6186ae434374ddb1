// A score in a table or a tree.
import { h } from './dom';
import { format } from './score';

/** `spoken` is said before the number, where no column's head says what it is. */
export function scoreCell(kind: string, value: number | null, turn: 1 | -1, spoken = ''): HTMLElement {
  if (value === null) return h('span', { class: `score none ${kind}` });
  return h('span', { class: `score ${kind}` }, spoken ? h('span', { class: 'sr' }, spoken) : null, h('span', { class: 'number' }, format(value, turn)));
}
