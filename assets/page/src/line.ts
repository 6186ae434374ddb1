// The line on the board and the main line, each move a button.
import { button, byId, redraw } from './dom';
import type { Move } from './data';
import type { View } from './view';

export class Lines {
  constructor(private readonly view: View) {
    this.draw();
    this.mainLine();
  }

  draw(): void {
    const { walk } = this.view;
    const list = byId('line');
    const steps = walk.steps.map((step, i) => {
      const text = this.view.number(i, i === 0) + step.san;
      const here = i + 1 === walk.at;
      const classes = ['move', i >= walk.at ? 'ahead' : '', step.move ? '' : 'outside'].join(' ');
      return button(text, () => walk.goTo(i + 1), { class: classes, 'aria-current': here ? 'step' : undefined });
    });
    const start = button('Start', () => walk.goTo(0), { class: 'move', 'aria-current': walk.at === 0 ? 'step' : undefined });
    redraw(list, () => list.replaceChildren(start, ...steps), '[aria-current]');
    keepInView(list, list.querySelector<HTMLElement>('[aria-current]'));
  }

  private mainLine(): void {
    const { view } = this;
    const line = view.tree.places.length ? view.tree.bestLine(0) : [];
    const to = (count: number) => view.walk.go(line.slice(0, count).map(move => move.uci));
    const buttons = line.map((move: Move, i) => button(view.number(i, i === 0) + move.san, () => to(i + 1), { class: 'move' }));
    byId('main-line').replaceChildren(...buttons);
    byId('main-line-box').hidden = line.length === 0;
  }
}

/** Scrolls the box alone, never the page. */
function keepInView(box: HTMLElement, element: HTMLElement | null): void {
  if (!element) return;
  const top = element.offsetTop - box.offsetTop;
  if (top < box.scrollTop || top + element.offsetHeight > box.scrollTop + box.clientHeight) {
    box.scrollTop = top - box.clientHeight / 2;
  }
}
