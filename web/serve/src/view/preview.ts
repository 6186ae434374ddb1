// A small board beside the mouse: the position behind a move that it points at.
import { Chessground } from '@lichess-org/chessground';
import type { Api } from '@lichess-org/chessground/api';
import type { Key } from '@lichess-org/chessground/types';
import { h } from '../../../shared/dom';
import { fenOf, play, squares } from '../../../shared/rules';
import type { App } from '../state/app';
import { plainly } from './links';

const SIZE = 232;
const GAP = 12;

const pointedAt = (event: Event): HTMLElement | null => (event.target instanceof Element ? event.target.closest<HTMLElement>('[data-line]') : null);

/** Shows the positions of the lines on the page, and goes there. */
export function followLines(app: App): void {
  const board = h('div', {});
  const box = h('div', { id: 'preview', 'aria-hidden': 'true' }, board);
  box.hidden = true;
  document.body.append(box);
  let ground: Api | undefined;
  const show = (element: HTMLElement, line: string[]): void => {
    const { open } = app;
    if (!open || !line.length) return;
    const position = line.reduce(play, open.walk.position(0));
    ground ??= Chessground(board, { viewOnly: true, coordinates: false, animation: { enabled: false }, drawable: { enabled: false, visible: false } });
    ground.set({ fen: fenOf(position), orientation: app.orientation(), check: position.isCheck() ? position.turn : false, lastMove: squares(line[line.length - 1]!) as Key[] });
    box.hidden = false;
    const { left, top, bottom } = element.getBoundingClientRect();
    const under = bottom + GAP + SIZE <= innerHeight;
    box.style.left = `${Math.max(4, Math.min(left, innerWidth - SIZE - 4))}px`;
    box.style.top = `${under ? bottom + GAP : Math.max(4, top - GAP - SIZE)}px`;
    ground.redrawAll();
  };
  const hide = (): void => {
    box.hidden = true;
  };
  document.addEventListener('mouseover', event => {
    const element = pointedAt(event);
    if (element) show(element, element.dataset['line']!.split(' '));
    else hide();
  });
  document.addEventListener('mouseleave', hide);
  document.addEventListener('scroll', hide, true);
  document.addEventListener('click', event => {
    const element = pointedAt(event);
    if (!element) return;
    plainly(() => {
      hide();
      app.open?.walk.leap(element.dataset['line']!.split(' '));
    })(event);
  });
}
