// How the game went: the score of each position, for White.
import { axes, clamp, drawingIn, linear, path, plyColumns, range, roomyLabels } from '../../shared/chart';
import { svg } from '../../shared/dom';
import { moveNumber } from '../../shared/rules';
import { format } from '../../shared/score';
import type { GameWalk } from './walk';

/** Limit in centipawns beyond which one win looks like another. */
const MOST = 600;

/** Corners about the middle: a triangle, a square, a diamond. */
const SHAPES: Record<string, [number, number][]> = {
  '?!': [[0, -1.2], [1.1, 0.9], [-1.1, 0.9]],
  '?': [[-1, -1], [1, -1], [1, 1], [-1, 1]],
  '??': [[0, -1.5], [1.3, 0], [0, 1.5], [-1.3, 0]],
};

export function drawGame(element: HTMLElement, walk: GameWalk): void {
  const made = drawingIn(element, 'Score of each position of the game, for White; the table below the moves says the same');
  if (!made) return;
  const { box, drawing } = made;
  const { places, at } = walk;
  const points = places.flatMap(({ value, position }, ply) => (value === undefined ? [] : [{ ply, value: position.turn === 'white' ? value : -value }]));
  const values = points.map(point => point.value);
  const [low, high] = range(values, 100);
  const limits: [number, number] = [Math.max(low, -MOST), Math.min(high, MOST)];
  const x = linear([0, Math.max(places.length - 1, 1)], [box.left + 6, box.width - box.right]);
  const y = linear(limits, [box.height - box.bottom, box.top]);
  const titles = places.map(({ value, position }, ply) => {
    const before = places[ply - 1];
    const move = before?.played ? moveNumber(before.position) + before.played.san : 'Start';
    return value === undefined ? move : `${move}: ${format(value, position.turn === 'white' ? 1 : -1)} for White`;
  });
  const labels = roomyLabels(places.map(({ position }) => String(position.fullmoves)), 0, box);
  drawing.append(...plyColumns(titles, 0, at, x, box, ply => walk.go(ply)), ...axes(box, y, limits, values, x, labels, 'move'));
  const curve = points.map(({ ply, value }): [number, number] => [x(ply), y(clamp(value, limits))]);
  drawing.append(svg('path', { class: 'curve alpha', d: path(curve) }));
  curve.forEach(([cx, cy], i) => drawing.append(dot(cx, cy, points[i]!.ply === at, places[points[i]!.ply - 1]?.played?.glyph ?? '')));
}

/** Of a bad move's position by its kind, a shape and a colour. */
function dot(cx: number, cy: number, here: boolean, glyph: string): SVGElement {
  const r = here ? 6 : 4.5;
  const corners = SHAPES[glyph]?.map(([dx, dy]) => `${cx + dx * r},${cy + dy * r}`).join(' ');
  if (corners) return svg('polygon', { class: 'glyph', 'data-glyph': glyph, points: corners });
  return svg('circle', { class: 'dot alpha', cx, cy, r: here ? 5 : 2.5 });
}
