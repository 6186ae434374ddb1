// The moves of a root that tablebases know, as a table.
import type { TableMove } from '../../shared/contract';
import { button, byId, h, redraw } from '../../shared/dom';
import type { View } from './view';

export class KnownMoves {
  constructor(private readonly view: View) {
    this.draw();
  }

  draw(): void {
    const { walk, tree } = this.view;
    const moves = walk.at === 0 ? tree.data.table_moves : [];
    byId('known-moves').hidden = moves.length === 0;
    const body = byId('known');
    redraw(body, () => body.replaceChildren(...moves.map(move => this.row(move))), '.move');
  }

  private row(move: TableMove): HTMLElement {
    const { view } = this;
    const play = button(view.number(0) + move.san, () => view.walk.step(move.uci), { class: 'move' });
    return h('tr', {}, h('th', { scope: 'row' }, play), h('td', {}, move.known), h('td', { class: 'dtz' }, move.dtz === null ? '?' : String(move.dtz)));
  }
}
