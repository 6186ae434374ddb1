// Scales, axes and hover shared by the two plots.
import { h, svg } from './dom';
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

/** Round steps: 1, 2 or 5 times a power of ten, about so many of them. */
export function ticks(low: number, high: number, about: number): number[] {
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

export function yAxis(box: Box, scale: Scale, values: number[]): SVGElement {
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
export function mateLabels(box: Box, values: number[]): SVGElement {
  const group = svg('g', { class: 'axis' });
  const at = (y: number) => group.append(svg('text', { x: box.left - 6, y: y + 4, 'text-anchor': 'end', class: 'mate' }, 'mate'));
  if (values.some(value => isMate(value) && value > 0)) at(box.top);
  if (values.some(value => isMate(value) && value < 0)) at(box.height - box.bottom - 4);
  return group;
}

/** The ticks that leave the edges to mates. */
export const inner = (found: number[], [low, high]: [number, number]): number[] =>
  found.filter(tick => tick > low + (high - low) * 0.07 && tick < high - (high - low) * 0.07);

export function xAxis(box: Box, scale: Scale, labels: [number, string][], name: string): SVGElement {
  const group = svg('g', { class: 'axis' });
  for (const [value, text] of labels) {
    group.append(svg('text', { x: scale(value), y: box.height - box.bottom + 16, 'text-anchor': 'middle' }, text));
  }
  group.append(svg('text', { x: box.left - 6, y: box.height - box.bottom + 16, 'text-anchor': 'end' }, name));
  return group;
}

export const path = (points: [number, number][]): string =>
  points.map(([x, y], i) => `${i ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');

/** The same data as a table, for who cannot see the plot; it scrolls by keyboard, too. */
export const tableBox = (caption: string, head: string[], rows: string[][]): HTMLElement =>
  h('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': caption }, table(caption, head, rows));

function table(caption: string, head: string[], rows: string[][]): HTMLTableElement {
  const element = document.createElement('table');
  element.createCaption().textContent = caption;
  const cells = (row: HTMLTableRowElement, texts: string[], tag: 'th' | 'td') => {
    texts.forEach((text, i) => {
      const cell = document.createElement(i === 0 ? 'th' : tag);
      cell.scope = tag === 'th' ? 'col' : 'row';
      if (i > 0 && tag === 'td') cell.removeAttribute('scope');
      cell.textContent = text;
      row.append(cell);
    });
  };
  cells(element.createTHead().insertRow(), head, 'th');
  const body = element.createTBody();
  for (const row of rows) cells(body.insertRow(), row, 'td');
  return element;
}
