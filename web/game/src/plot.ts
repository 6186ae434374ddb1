// How the game went: the score of each position, for White.
import { type Box, type Scale, clamp, inner, linear, mateLabels, path, range, ticks, xAxis, yAxis } from '../../shared/chart';
import { svg } from '../../shared/dom';
import { moveNumber } from '../../shared/rules';
import { format } from '../../shared/score';
import type { GameWalk } from './walk';

/** Beyond so many centipawns one win looks like another. */
const MOST = 600;

/** Corners about the middle: a triangle, a square, a diamond. */
const SHAPES: Record<string, [number, number][]> = {
  '?!': [[0, -1.2], [1.1, 0.9], [-1.1, 0.9]],
  '?': [[-1, -1], [1, -1], [1, 1], [-1, 1]],
  '??': [[0, -1.5], [1.3, 0], [0, 1.5], [-1.3, 0]],
};

export function drawGame(element: HTMLElement, walk: GameWalk): void {
  const { clientWidth: width, clientHeight: height } = element;
  if (!width || !height) return;
  const { places, at } = walk;
  const points = places.flatMap(({ value, position }, ply) => (value === undefined ? [] : [{ ply, value: position.turn === 'white' ? value : -value }]));
  const box: Box = { width, height, left: 46, right: 14, top: 12, bottom: 28 };
  const values = points.map(point => point.value);
  const [low, high] = range(values, 100);
  const limits: [number, number] = [Math.max(low, -MOST), Math.min(high, MOST)];
  const x = linear([0, Math.max(places.length - 1, 1)], [box.left + 6, box.width - box.right]);
  const y = linear(limits, [box.height - box.bottom, box.top]);
  const drawing = svg('svg', { viewBox: `0 0 ${width} ${box.height}`, width, height: box.height, role: 'img', 'aria-label': 'Score of each position of the game, for White; the table below the moves says the same' });
  // The numbers of some moves.
  const every = Math.max(1, Math.ceil(places.length / ((box.width - box.left) / 42)));
  const labels = places.flatMap(({ position }, ply): [number, string][] => (ply % every === 0 ? [[ply, String(position.fullmoves)]] : []));
  drawing.append(...columns(walk, x, box), yAxis(box, y, inner(ticks(limits[0], limits[1], 5), limits)), mateLabels(box, values), xAxis(box, x, labels, 'move'));
  const curve = points.map(({ ply, value }): [number, number] => [x(ply), y(clamp(value, limits))]);
  drawing.append(svg('path', { class: 'curve alpha', d: path(curve) }));
  curve.forEach(([cx, cy], i) => drawing.append(dot(cx, cy, points[i]!.ply === at, places[points[i]!.ply - 1]?.played?.glyph ?? '')));
  element.replaceChildren(drawing);
}

/** Of a bad move's position by its kind, a shape and a colour. */
function dot(cx: number, cy: number, here: boolean, glyph: string): SVGElement {
  const r = here ? 6 : 4.5;
  const corners = SHAPES[glyph]?.map(([dx, dy]) => `${cx + dx * r},${cy + dy * r}`).join(' ');
  if (corners) return svg('polygon', { class: 'glyph', 'data-glyph': glyph, points: corners });
  return svg('circle', { class: 'dot alpha', cx, cy, r: here ? 5 : 2.5 });
}

/** One per position, to point at and to click. */
function columns(walk: GameWalk, x: Scale, box: Box): SVGElement[] {
  const width = x(1) - x(0);
  return walk.places.map((place, ply) => {
    const before = walk.places[ply - 1];
    const move = before?.played ? moveNumber(before.position) + before.played.san : 'Start';
    const white = place.position.turn === 'white' ? 1 : -1;
    const title = place.value === undefined ? move : `${move}: ${format(place.value, white)} for White`;
    const rect = { x: x(ply) - width / 2, y: box.top, width, height: box.height - box.top - box.bottom };
    const column = svg('g', { class: ply === walk.at ? 'ply here' : 'ply', 'data-ply': ply }, svg('title', {}, title), svg('rect', { class: 'column', ...rect }));
    column.addEventListener('click', () => walk.go(ply));
    return column;
  });
}
