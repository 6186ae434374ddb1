// How the game went: the score of each position, for White.
import { type Box, clamp, inner, linear, mateLabels, path, range, ticks, xAxis, yAxis } from '../../shared/chart';
import { svg } from '../../shared/dom';
import { moveNumber } from '../../shared/rules';
import { format } from '../../shared/score';
import type { Place } from './data';

/** Beyond so many centipawns one win looks like another. */
const MOST = 600;

/** Corners about the middle: a triangle, a square, a diamond. */
const SHAPES: Record<string, [number, number][]> = {
  '?!': [[0, -1.2], [1.1, 0.9], [-1.1, 0.9]],
  '?': [[-1, -1], [1, -1], [1, 1], [-1, 1]],
  '??': [[0, -1.5], [1.3, 0], [0, 1.5], [-1.3, 0]],
};

export class GamePlot {
  private at = 0;
  /** Plies and their scores, for White. */
  private readonly sized = new ResizeObserver(() => this.draw(this.at));
  private points: { ply: number; value: number }[] = [];

  constructor(private readonly box: HTMLElement, private places: Place[], private readonly go: (ply: number) => void) {
    this.of(places);
    this.sized.observe(box);
  }

  end(): void {
    this.sized.disconnect();
  }

  /** What is known of the game by now. */
  of(places: Place[]): void {
    this.places = places;
    this.points = places.flatMap(({ value, position }, ply) => (value === undefined ? [] : [{ ply, value: position.turn === 'white' ? value : -value }]));
  }

  draw(at: number): void {
    this.at = at;
    const { clientWidth: width, clientHeight: height } = this.box;
    if (!width || !height) return;
    const box: Box = { width, height, left: 46, right: 14, top: 12, bottom: 28 };
    const values = this.points.map(point => point.value);
    const [low, high] = range(values, 100);
    const limits: [number, number] = [Math.max(low, -MOST), Math.min(high, MOST)];
    const x = linear([0, Math.max(this.places.length - 1, 1)], [box.left + 6, box.width - box.right]);
    const y = linear(limits, [box.height - box.bottom, box.top]);
    const drawing = svg('svg', { viewBox: `0 0 ${width} ${box.height}`, width, height: box.height, role: 'img', 'aria-label': 'Score of each position of the game, for White; the table below the moves says the same' });
    drawing.append(...this.columns(x, box));
    drawing.append(yAxis(box, y, inner(ticks(limits[0], limits[1], 5), limits)), mateLabels(box, values), xAxis(box, x, this.labels(box), 'move'));
    const curve = this.points.map(({ ply, value }): [number, number] => [x(ply), y(clamp(value, limits))]);
    drawing.append(svg('path', { class: 'curve alpha', d: path(curve) }));
    curve.forEach(([cx, cy], i) => drawing.append(this.dot(cx, cy, this.points[i]!.ply)));
    this.box.replaceChildren(drawing);
  }

  /** Of a bad move's position by its kind, a shape and a colour. */
  private dot(cx: number, cy: number, ply: number): SVGElement {
    const glyph = this.places[ply - 1]?.played?.glyph ?? '';
    const r = ply === this.at ? 6 : 4.5;
    const corners = SHAPES[glyph]?.map(([dx, dy]) => `${cx + dx * r},${cy + dy * r}`).join(' ');
    if (corners) return svg('polygon', { class: 'glyph', 'data-glyph': glyph, points: corners });
    return svg('circle', { class: 'dot alpha', cx, cy, r: ply === this.at ? 5 : 2.5 });
  }

  /** One per position, to point at and to click. */
  private columns(x: (ply: number) => number, box: Box): SVGElement[] {
    const width = x(1) - x(0);
    return this.places.map((place, ply) => {
      const before = this.places[ply - 1];
      const move = before?.played ? moveNumber(before.position) + before.played.san : 'Start';
      const white = place.position.turn === 'white' ? 1 : -1;
      const title = place.value === undefined ? move : `${move}: ${format(place.value, white)} for White`;
      const rect = { x: x(ply) - width / 2, y: box.top, width, height: box.height - box.top - box.bottom };
      const column = svg('g', { class: ply === this.at ? 'ply here' : 'ply', 'data-ply': ply }, svg('title', {}, title), svg('rect', { class: 'column', ...rect }));
      column.addEventListener('click', () => this.go(ply));
      return column;
    });
  }

  /** The numbers of some moves. */
  private labels(box: Box): [number, string][] {
    const every = Math.max(1, Math.ceil(this.places.length / ((box.width - box.left) / 42)));
    return this.places.flatMap(({ position }, ply): [number, string][] => (ply % every === 0 ? [[ply, String(position.fullmoves)]] : []));
  }
}
