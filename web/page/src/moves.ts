// The moves of the position on the board, as a table.
import { Flag, type Move } from './data';
import { scoreCell } from '../../shared/cells';
import { percent } from '../../shared/words';
import { button, byId, h, redraw } from '../../shared/dom';
import { wdlBar } from '../../shared/wdl';
import { lineText, sanLine } from './line';
import type { View } from './view';

export class Moves {
  constructor(private readonly view: View) {
    const { games, people } = view.tree.data;
    for (const head of document.querySelectorAll<HTMLElement>('#moves-table thead .games')) head.hidden = games === null;
    byId('moves-people').hidden = people === null;
    if (people) byId('moves-people').title = `Points of ${people.side} in 100, expected against these players`;
    this.draw();
  }

  draw(): void {
    const { walk } = this.view;
    const moves = walk.moves();
    byId('moves-whose').textContent = moves.length ? `Scores ${this.view.whose(walk.at)}.` : '';
    const body = byId('moves');
    redraw(body, () => body.replaceChildren(...this.unlisted(), ...moves.map(move => this.row(move))), '.move');
    byId('here-moves').hidden = moves.length === 0;
    redraw(byId('elsewhere'), () => this.where(), '#to-printed');
  }

  private row(move: Move): HTMLElement {
    const { view } = this;
    const { walk } = view;
    const turn = view.sign(walk.at);
    const label = view.number(walk.at) + move.san;
    const play = button(label, () => walk.step(move.uci), { class: 'move' });
    const notes = view.notes(move);
    const candidate = move.flags & Flag.Candidate;
    if (candidate) play.append(h('span', { class: 'sr' }, ' candidate'));
    const marks = view.marks(move);
    const line = view.tree.after(walk.line(), move);
    return h(
      'tr',
      { class: candidate ? 'candidate' : '' },
      h(
        'th',
        { scope: 'row' },
        play,
        marks.length ? h('span', { class: 'mark' }, marks.join(', ')) : null,
        notes.length ? h('span', { class: 'note' }, notes.join(', ')) : null,
        move.note ? h('span', { class: 'users-note', title: move.note }, move.note) : null,
      ),
      h('td', {}, scoreCell('alpha', move.alpha, turn), wdlBar(move.wdl, turn, view.tree.data.wdl_computed)),
      ...this.games(move),
      h('td', { class: 'behind' }, lineText(view, line, walk.at + 1)),
      h('td', {}, scoreCell('idea', move.idea, turn)),
      h('td', {}, scoreCell('eval', move.eval, turn)),
      h('td', { class: 'rank' }, move.rank === null ? '' : String(move.rank + 1)),
    );
  }

  /** What games say of a move, in the columns that there are. */
  private games(move: Move): HTMLElement[] {
    const { data } = this.view.tree;
    const points = move.expected === null ? '' : (100 * move.expected).toFixed(1);
    const cells = data.people ? [h('td', { class: 'people' }, points)] : [];
    if (data.games === null) return cells;
    const games = move.games === null ? '' : String(move.games);
    return [...cells, h('td', { class: 'games' }, games), h('td', { class: 'games' }, move.share === null ? '' : percent(move.share))];
  }

  /** The closing search's move of the root, where the tree does not list it. */
  private unlisted(): HTMLElement[] {
    const { view } = this;
    const { walk, tree } = view;
    const chosen = walk.at === 0 ? tree.data.closing_moves[0] : undefined;
    if (!chosen || walk.moves().some(move => move.uci === chosen.uci)) return [];
    const moves = sanLine(tree.data.start, chosen.line).slice(1);
    const play = button(view.number(0) + chosen.san, () => walk.step(chosen.uci), { class: 'move' });
    const line = lineText(view, { moves, inTree: moves.length, end: '' }, 1);
    const none = [...(tree.data.people ? ['people'] : []), ...(tree.data.games === null ? [] : ['games', 'games'])];
    const cells = [h('td', {}), ...none.map(name => h('td', { class: name })), h('td', { class: 'behind' }, line), h('td', {}), h('td', {}), h('td', {})];
    return [h('tr', {}, h('th', { scope: 'row' }, play, h('span', { class: 'mark' }, view.closing(chosen.score))), ...cells)];
  }

  /** The line that led here, what is to be said of it, and the way to where the tree prints it. */
  private where(): void {
    const { view } = this;
    const { walk, tree } = view;
    byId('opening').textContent = walk.opening();
    const own = walk.own().length ? tree.behind(walk.line()) : undefined;
    const onwards = own ? ` The engine\u2019s own search goes on: ${view.numbered(own.moves, walk.at)}.` : '';
    byId('note').textContent = walk.note() + onwards;
    byId('users-note').textContent = walk.last() ? (walk.last()!.move?.note ?? '') : (tree.data.note ?? '');
    const elsewhere = byId('elsewhere');
    elsewhere.hidden = walk.isPrinted();
    if (elsewhere.hidden) return;
    const printed = tree.lineTo(walk.place());
    const name = printed.length ? view.numbered(printed) : 'the start';
    const link = button(name, () => walk.leap(printed.map(move => move.uci)), { class: 'link', id: 'to-printed' });
    elsewhere.replaceChildren('Transposition: these moves are printed under ', link, '; the scores are those of that line.');
  }
}
