// The verdict with its line, and the line on the board; each move a button.
import { button, byId, h, redraw } from '../../shared/dom';
import { play, positionOf, sanOf } from '../../shared/rules';
import type { Value } from '../../shared/score';
import type { Line } from './data';
import type { View } from './view';

export class Lines {
  constructor(private readonly view: View) {
    this.draw();
    this.verdict();
  }

  draw(): void {
    const { walk } = this.view;
    const list = byId('line');
    const move = (at: number, text: string, kind: string) =>
      button(text, () => walk.goTo(at), { class: `move ${kind}`, 'aria-current': walk.at === at ? 'step' : undefined });
    const count = walk.before.length;
    const before = walk.before.slice(0, -1).map((step, i) => move(i + 1 - count, this.view.number(i - count, i === 0) + step.san, 'before'));
    const game = count ? [move(-count, 'Game', 'before'), ...before] : [];
    // The last move of the game leads to the start.
    const last = walk.before[count - 1];
    const start = move(0, last ? this.view.number(-1, count === 1) + last.san : 'Start', 'start');
    const steps = walk.steps.map((step, i) => {
      const text = this.view.number(i, i === 0) + step.san;
      return move(i + 1, text, [i >= walk.at ? 'ahead' : '', step.move ? '' : 'outside'].join(' '));
    });
    redraw(list, () => list.replaceChildren(...game, start, ...steps), '[aria-current]');
    keepInView(list, list.querySelector<HTMLElement>('[aria-current]'));
  }

  /** The score of the start, and its best line: what is told of it where a closing search has had its say, else the tree's. */
  verdict(): void {
    const { view } = this;
    const { tree } = view;
    const { told, start } = tree.data;
    byId('told-whose').hidden = !told;
    if (told) {
      const moves = sanLine(start, told.line);
      const to = (count: number) => view.walk.go(moves.slice(0, count).map(move => move.uci));
      byId('main-line').replaceChildren(...moves.map((move, i) => button(view.number(i, i === 0) + move.san, () => to(i + 1), { class: 'move' })));
      byId('told-whose').textContent = told.whose[view.pov === 'white' ? 0 : 1];
      this.score(told.score);
      return;
    }
    const best = tree.places[0]?.moves[0];
    const line = best && best.alpha !== null ? tree.after([], best) : undefined;
    byId('verdict').hidden = !line || !best;
    if (!line || !best) return;
    const moves = [best, ...line.moves];
    const inTree = line.inTree + 1;
    const to = (count: number) => view.walk.go(moves.slice(0, count).map(move => move.uci));
    const buttons: HTMLElement[] = moves.map((move, i) =>
      button(view.number(i, i === 0) + move.san, () => to(i + 1), { class: i < inTree ? 'move' : 'move own', title: i < inTree ? undefined : OWN }),
    );
    if (line.end) buttons.splice(inTree, 0, h('span', { class: 'whose' }, `(${line.end})`));
    this.score(best.alpha!);
    byId('main-line').replaceChildren(...buttons);
  }

  private score(value: Value): void {
    const { view } = this;
    byId('score').textContent = view.show(value, 0);
    byId('score').className = value * view.sign(0) < 0 ? 'minus' : '';
  }
}

/** Moves in UCI, with their names. */
export function sanLine(start: string, line: string): { uci: string; san: string }[] {
  let position = positionOf(start);
  return line.split(' ').filter(Boolean).map(uci => {
    const san = sanOf(position, uci);
    position = play(position, uci);
    return { uci, san };
  });
}

export const OWN = 'How the engine\u2019s own search goes on where the tree ends';

/** A line as text, what is not the tree's apart. */
export function lineText(view: View, line: Line, depth: number): HTMLElement {
  const numbered = view.numbered(line.moves.slice(0, line.inTree), depth);
  const own = line.moves.slice(line.inTree);
  const after = own.length ? view.numbered(own, depth + line.inTree) : '';
  return h(
    'span',
    { class: 'line' },
    [numbered, line.end && `(${line.end})`].filter(Boolean).join(' '),
    own.length ? h('span', { class: 'own', title: OWN }, ` [${after}]`) : null,
  );
}

/** Scrolls the box alone, never the page. */
function keepInView(box: HTMLElement, element: HTMLElement | null): void {
  if (!element) return;
  const top = element.offsetTop - box.offsetTop;
  if (top < box.scrollTop || top + element.offsetHeight > box.scrollTop + box.clientHeight) {
    box.scrollTop = top - box.clientHeight / 2;
  }
}
