// Alpha and eval over ply, along the line on the board and its best continuation.
import { type Box, type Scale, clamp, inner, linear, mateLabels, path, range, tableBox, ticks, xAxis, yAxis } from '../../shared/chart';
import type { Move } from './data';
import { byId, svg } from '../../shared/dom';
import { format } from '../../shared/score';
import type { View } from './view';

interface Point {
  move: Move;
  alpha: number;
  eval: number;
}

export class EvalPlot {
  private readonly box = byId('eval-plot');

  constructor(private readonly view: View) {
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  draw(): void {
    const points = this.points();
    byId('eval-figure').hidden = points.length === 0;
    if (!points.length || !this.box.clientWidth) return;
    const box: Box = { width: this.box.clientWidth, height: 220, left: 46, right: 14, top: 12, bottom: 28 };
    const values = points.flatMap(point => [point.alpha, point.eval]);
    const limits = range(values, 20);
    const x = linear([1, Math.max(points.length, 2)], [box.left + 10, box.width - box.right]);
    const y = linear(limits, [box.height - box.bottom, box.top]);
    const drawing = svg('svg', { viewBox: `0 0 ${box.width} ${box.height}`, width: box.width, height: box.height, role: 'img', 'aria-label': 'Score of each move of the line and the engine\u2019s, for White; the table below says the same' });
    const curve = (name: 'alpha' | 'eval') => points.map((point, i): [number, number] => [x(i + 1), y(clamp(point[name], limits))]);
    this.columns(drawing, points, x, box);
    drawing.append(yAxis(box, y, inner(ticks(limits[0], limits[1], 5), limits)), mateLabels(box, values), xAxis(box, x, this.labels(points, box), 'ply'));
    for (const name of ['eval', 'alpha'] as const) {
      drawing.append(svg('path', { class: `curve ${name}`, d: path(curve(name)) }));
      curve(name).forEach(([cx, cy], i) => drawing.append(this.dot(name, cx, cy, i + 1)));
    }
    this.box.replaceChildren(drawing);
    this.words(points);
  }

  /** Scores for White, whatever the rest of the page shows: a plot cannot change sides. */
  private points(): Point[] {
    const { view } = this;
    const { walk, tree } = view;
    const walked = walk.steps.map(step => step.move);
    // A move that does not count has no score to show.
    const end = walked.findIndex(move => !move || move.alpha === null);
    const inTree = walked.slice(0, end < 0 ? walked.length : end) as Move[];
    const whole = inTree.length === walked.length;
    const onwards = whole ? tree.bestLine(walk.place(walked.length), 80) : [];
    return [...inTree, ...onwards].map((move, depth) => {
      const turn = view.mover(depth) === 'white' ? 1 : -1;
      const alpha = move.alpha ?? 0;
      return { move, alpha: alpha * turn, eval: (move.eval ?? alpha) * turn };
    });
  }

  private labels(points: Point[], box: Box): [number, string][] {
    const every = Math.max(1, Math.ceil(points.length / ((box.width - box.left) / 42)));
    return points.map((_, i): [number, string] => [i + 1, String(this.view.tree.data.ply + i + 1)]).filter((_, i) => i % every === 0);
  }

  private dot(name: 'alpha' | 'eval', cx: number, cy: number, ply: number): SVGElement {
    if (name === 'eval') return svg('rect', { class: 'dot eval', x: cx - 2.5, y: cy - 2.5, width: 5, height: 5 });
    return svg('circle', { class: 'dot alpha', cx, cy, r: ply === this.view.walk.at ? 5 : 3.2 });
  }

  /** One per ply, to point at and to click; below the curves. */
  private columns(drawing: SVGElement, points: Point[], x: Scale, box: Box): void {
    const width = points.length > 1 ? x(2) - x(1) : box.width - box.left;
    points.forEach((point, i) => {
      const title = `${this.view.number(i)}${point.move.san}: score ${format(point.alpha)}, engine ${format(point.eval)} for White`;
      const rect = { x: x(i + 1) - width / 2, y: box.top, width, height: box.height - box.top - box.bottom };
      const column = svg('g', { class: i + 1 === this.view.walk.at ? 'ply here' : 'ply', 'data-ply': i + 1 }, svg('title', {}, title), svg('rect', { class: 'column', ...rect }));
      column.addEventListener('click', () => this.jump(points, i + 1));
      drawing.append(column);
    });
  }

  private jump(points: Point[], ply: number): void {
    const { walk } = this.view;
    if (ply <= walk.steps.length) walk.goTo(ply);
    else walk.go(points.slice(0, ply).map(point => point.move.uci));
  }

  private words(points: Point[]): void {
    const rows = points.map((point, i) => [this.view.number(i) + point.move.san, format(point.alpha), format(point.eval)]);
    byId('eval-table').replaceChildren(tableBox('Scores along the line, for White', ['Move', 'Score', 'Engine'], rows));
  }
}
