// Alpha and eval over ply, along the line on the board and its best continuation.
import { axes, clamp, drawingIn, linear, path, plyColumns, range, roomyLabels } from '../../shared/chart';
import { svg } from '../../shared/dom';
import { format } from '../../shared/score';
import { valueOf } from '../../serve/src/api/words';
import type { TableData } from '../../serve/src/view/plot';
import type { OpenFile } from './openfile';
import type { FileMove } from './places';

interface Point {
  move: FileMove;
  alpha: number;
  eval: number;
}

/** Scores for White, whatever the rest of the page shows: a plot cannot change sides. */
export function pointsOf(open: OpenFile): Point[] {
  const { walk } = open;
  const walked = walk.steps.map(step => step.uci);
  const told = walked.map((_, i) => open.moveOf(walked.slice(0, i + 1)));
  // A move that does not count has no score to show.
  const end = told.findIndex(move => !move?.alpha);
  const line = end < 0 ? [...walked, ...open.places.bestLine(walked).map(move => move.uci)] : walked.slice(0, end);
  return line.map((_, depth) => {
    const move = open.moveOf(line.slice(0, depth + 1))!;
    const turn = walk.sign('white', depth);
    return { move, alpha: valueOf(move.alpha!) * turn, eval: valueOf(move.eval ?? move.alpha!) * turn };
  });
}

export function drawEvals(element: HTMLElement, { data, walk }: OpenFile, points: Point[]): void {
  const made = drawingIn(element, 'Score of each move of the line and the engine\u2019s, for White; the table below says the same');
  if (!made) return;
  const { box, drawing } = made;
  const values = points.flatMap(point => [point.alpha, point.eval]);
  const limits = range(values, 20);
  const x = linear([1, Math.max(points.length, 2)], [box.left + 10, box.width - box.right]);
  const y = linear(limits, [box.height - box.bottom, box.top]);
  const titles = points.map((point, i) => `${walk.number(i)}${point.move.san}: score ${format(point.alpha)}, engine ${format(point.eval)} for White`);
  const go = (ply: number) => (ply <= walk.steps.length ? walk.goTo(ply) : walk.go(points.slice(0, ply).map(one => one.move.uci)));
  drawing.append(...plyColumns(titles, 1, walk.at, x, box, go), ...axes(box, y, limits, values, x, roomyLabels(points.map((_, i) => String(data.ply + i + 1)), 1, box), 'ply'));
  for (const name of ['eval', 'alpha'] as const) {
    const curve = points.map((point, i): [number, number] => [x(i + 1), y(clamp(point[name], limits))]);
    drawing.append(svg('path', { class: `curve ${name}`, d: path(curve) }), ...curve.map(([cx, cy], i) => dot(name, cx, cy, i + 1 === walk.at)));
  }
}

const dot = (name: 'alpha' | 'eval', cx: number, cy: number, here: boolean): SVGElement =>
  name === 'eval' ? svg('rect', { class: 'dot eval', x: cx - 2.5, y: cy - 2.5, width: 5, height: 5 }) : svg('circle', { class: 'dot alpha', cx, cy, r: here ? 5 : 3.2 });

export const evalTable = ({ walk }: OpenFile, points: Point[]): TableData => ({
  caption: 'Scores along the line, for White',
  head: ['Move', 'Score', 'Engine'],
  rows: points.map((point, i) => [walk.number(i) + point.move.san, format(point.alpha), format(point.eval)]),
});
