// Scales, axes and hover of the plots.
import { svg } from './dom';
import { format, isMate } from './score';

export interface Box {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export type Scale = (value: number) => number;

export function linear(from: [number, number], to: [number, number]): Scale {
  const span = from[1] - from[0] || 1;
  return value => to[0] + ((value - from[0]) / span) * (to[1] - to[0]);
}

/** Round steps: 1, 2 or 5 times a power of ten, about `about` of them. */
function ticks(low: number, high: number, about: number): number[] {
  const rough = Math.max((high - low) / about, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(n => n * power).find(n => n >= rough)!;
  const found: number[] = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) found.push(tick);
  return found;
}

/** Lowest and highest of centipawn scores, with room, at least so far apart; mates do not stretch the scale. */
export function range(values: number[], least: number): [number, number] {
  const plain = values.filter(value => !isMate(value));
  const low = plain.length ? plain.reduce((a, b) => Math.min(a, b)) : 0;
  const high = plain.length ? plain.reduce((a, b) => Math.max(a, b)) : 0;
  const room = Math.max((high - low) * 0.08, (least - (high - low)) / 2, 4);
  return [low - room, high + room];
}

export const clamp = (value: number, [low, high]: [number, number]): number => Math.max(low, Math.min(high, value));

function yAxis(box: Box, scale: Scale, values: number[]): SVGElement {
  const group = svg('g', { class: 'axis' });
  for (const value of values) {
    const y = scale(value);
    group.append(
      svg('line', { x1: box.left, x2: box.width - box.right, y1: y, y2: y, class: value === 0 ? 'zero' : 'grid' }),
      svg('text', { x: box.left - 6, y: y + 4, 'text-anchor': 'end' }, format(value)),
    );
  }
  return group;
}

/** Names the edges on which mates lie: no scale of centipawns has room for them. */
function mateLabels(box: Box, values: number[]): SVGElement {
  const group = svg('g', { class: 'axis' });
  const at = (y: number) => group.append(svg('text', { x: box.left - 6, y: y + 4, 'text-anchor': 'end', class: 'mate' }, 'mate'));
  if (values.some(value => isMate(value) && value > 0)) at(box.top);
  if (values.some(value => isMate(value) && value < 0)) at(box.height - box.bottom - 4);
  return group;
}

/** The ticks that leave the edges to mates. */
const inner = (found: number[], [low, high]: [number, number]): number[] =>
  found.filter(tick => tick > low + (high - low) * 0.07 && tick < high - (high - low) * 0.07);

function xAxis(box: Box, scale: Scale, labels: [number, string][], name: string): SVGElement {
  const group = svg('g', { class: 'axis' });
  for (const [value, text] of labels) {
    group.append(svg('text', { x: scale(value), y: box.height - box.bottom + 16, 'text-anchor': 'middle' }, text));
  }
  group.append(svg('text', { x: box.left - 6, y: box.height - box.bottom + 16, 'text-anchor': 'end' }, name));
  return group;
}

export const path = (points: [number, number][]): string =>
  points.map(([x, y], i) => `${i ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');

/** A drawing that fills a box, whose words say what it shows; nothing where the box has no size. */
export function drawingIn(element: HTMLElement, label: string, right = 14): { box: Box; drawing: SVGElement } | undefined {
  const { clientWidth: width, clientHeight: height } = element;
  if (!width || !height) return undefined;
  const drawing = svg('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': label });
  element.replaceChildren(drawing);
  return { box: { width, height, left: 46, right, top: 12, bottom: 28 }, drawing };
}

/** As many of the labels as there is room for. */
export function roomyLabels(texts: string[], first: number, box: Box): [number, string][] {
  const every = Math.max(1, Math.ceil(texts.length / ((box.width - box.left) / 42)));
  return texts.map((text, i): [number, string] => [first + i, text]).filter((_, i) => i % every === 0);
}

/** One column per ply, to point at and to click; below the curves. */
export function plyColumns(titles: string[], first: number, here: number, x: Scale, box: Box, go: (ply: number) => void): SVGElement[] {
  const width = titles.length > 1 ? x(first + 1) - x(first) : box.width - box.left;
  return titles.map((title, i) => {
    const ply = first + i;
    const rect = { x: x(ply) - width / 2, y: box.top, width, height: box.height - box.top - box.bottom };
    const column = svg('g', { class: ply === here ? 'ply here' : 'ply', 'data-ply': ply }, svg('title', {}, title), svg('rect', { class: 'column', ...rect }));
    column.addEventListener('click', () => go(ply));
    return column;
  });
}

/** The axes of a chart of scores: `about` lines, and the labels of `x`. */
export const axes = (box: Box, y: Scale, limits: [number, number], values: number[], x: Scale, labels: [number, string][], name: string, about = 5): SVGElement[] =>
  [yAxis(box, y, inner(ticks(limits[0], limits[1], about), limits)), mateLabels(box, values), xAxis(box, x, labels, name)];
