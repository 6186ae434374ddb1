// Alpha and eval over ply, along the line on the board and its best continuation.
import { type Box, type Scale, clamp, inner, linear, mateLabels, path, range, tableBox, ticks, xAxis, yAxis } from '../../shared/chart';
import { svg } from '../../shared/dom';
import { format } from '../../shared/score';
import { valueOf } from '../../serve/src/api/words';
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

export function drawEvals(element: HTMLElement, open: OpenFile, points: Point[]): void {
  if (!element.clientWidth) return;
  const { at } = open.walk;
  const box: Box = { width: element.clientWidth, height: 220, left: 46, right: 14, top: 12, bottom: 28 };
  const values = points.flatMap(point => [point.alpha, point.eval]);
  const limits = range(values, 20);
  const x = linear([1, Math.max(points.length, 2)], [box.left + 10, box.width - box.right]);
  const y = linear(limits, [box.height - box.bottom, box.top]);
  const drawing = svg('svg', { viewBox: `0 0 ${box.width} ${box.height}`, width: box.width, height: box.height, role: 'img', 'aria-label': 'Score of each move of the line and the engine\u2019s, for White; the table below says the same' });
  const curve = (name: 'alpha' | 'eval') => points.map((point, i): [number, number] => [x(i + 1), y(clamp(point[name], limits))]);
  const every = Math.max(1, Math.ceil(points.length / ((box.width - box.left) / 42)));
  const labels = points.map((_, i): [number, string] => [i + 1, String(open.data.ply + i + 1)]).filter((_, i) => i % every === 0);
  drawing.append(...columns(open, points, x, box), yAxis(box, y, inner(ticks(limits[0], limits[1], 5), limits)), mateLabels(box, values), xAxis(box, x, labels, 'ply'));
  for (const name of ['eval', 'alpha'] as const) {
    drawing.append(svg('path', { class: `curve ${name}`, d: path(curve(name)) }));
    curve(name).forEach(([cx, cy], i) => drawing.append(dot(name, cx, cy, i + 1 === at)));
  }
  element.replaceChildren(drawing);
}

const dot = (name: 'alpha' | 'eval', cx: number, cy: number, here: boolean): SVGElement =>
  name === 'eval' ? svg('rect', { class: 'dot eval', x: cx - 2.5, y: cy - 2.5, width: 5, height: 5 }) : svg('circle', { class: 'dot alpha', cx, cy, r: here ? 5 : 3.2 });

/** One per ply, to point at and to click; below the curves. */
function columns({ walk }: OpenFile, points: Point[], x: Scale, box: Box): SVGElement[] {
  const width = points.length > 1 ? x(2) - x(1) : box.width - box.left;
  return points.map((point, i) => {
    const title = `${walk.number(i)}${point.move.san}: score ${format(point.alpha)}, engine ${format(point.eval)} for White`;
    const rect = { x: x(i + 1) - width / 2, y: box.top, width, height: box.height - box.top - box.bottom };
    const column = svg('g', { class: i + 1 === walk.at ? 'ply here' : 'ply', 'data-ply': i + 1 }, svg('title', {}, title), svg('rect', { class: 'column', ...rect }));
    column.addEventListener('click', () => (i < walk.steps.length ? walk.goTo(i + 1) : walk.go(points.slice(0, i + 1).map(one => one.move.uci))));
    return column;
  });
}

export const evalTable = ({ walk }: OpenFile, points: Point[]): HTMLElement =>
  tableBox('Scores along the line, for White', ['Move', 'Score', 'Engine'], points.map((point, i) => [walk.number(i) + point.move.san, format(point.alpha), format(point.eval)]));
