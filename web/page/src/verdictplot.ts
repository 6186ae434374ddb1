// How the root moves' alpha changed as the analysis deepened.
import { axes, type Box, clamp, drawingIn, linear, path } from '../../shared/chart';
import type { PageVerdict } from '../../shared/contract';
import { svg } from '../../shared/dom';
import { format, isMate, sign, type Value } from '../../shared/score';
import { positionOf } from '../../shared/rules';
import { grouped } from '../../shared/words';
import type { TableData } from '../../serve/src/view/plot';
import type { FilePage } from './openfile';

/** More lines than that cannot be told apart. */
const MOST = 7;
/** How far below the best a line is still drawn, in centipawns. */
const REACH = 120;

interface Series {
  san: string;
  /** By verdict; none where the move was not listed yet. */
  values: (Value | null)[];
}

export class VerdictPlot {
  private readonly verdicts: PageVerdict[];
  private readonly turn: 1 | -1;
  private readonly side: string;

  constructor({ open: { data }, pov }: FilePage) {
    const { turn } = positionOf(data.root);
    this.verdicts = data.verdicts;
    this.turn = sign(turn, pov);
    this.side = pov === 'white' || turn === 'white' ? 'White' : 'Black';
  }

  whose(): string {
    return `Moves of the root. Scores for ${this.side}.`;
  }

  draw(element: HTMLElement): void {
    const made = drawingIn(element, 'Alpha of the root moves by complete depth; the table below says the same', 64);
    if (!made) return;
    const { box, drawing } = made;
    const series = this.series();
    const limits = this.limits(series);
    const depths = this.verdicts.map(verdict => verdict.depth);
    const x = linear([depths[0]!, depths[depths.length - 1]!], [box.left + 10, box.width - box.right]);
    const y = linear(limits, [box.height - box.bottom, box.top]);
    const values = series.flatMap(one => one.values).filter((v): v is number => v !== null);
    drawing.append(...axes(box, y, limits, values, x, depths.map(depth => [depth, String(depth)]), 'depth'));
    const labels = spread(series.map(one => y(clamp(lastOf(one), limits))), 14, box.top, box.height - box.bottom);
    series.forEach((one, i) => drawing.append(this.curve(one, i, x, v => y(clamp(v, limits)), labels[i]!, box)));
  }

  /** The moves that were best at some depth, then the best of the last. */
  private series(): Series[] {
    const { turn } = this;
    const last = this.verdicts[this.verdicts.length - 1]!;
    const everBest = this.verdicts.map(verdict => verdict.moves[0]?.uci);
    const order = [...last.moves].sort((a, b) => Number(everBest.includes(b.uci)) - Number(everBest.includes(a.uci)));
    if (!last.moves.length) return [{ san: 'value', values: this.verdicts.map(v => v.value === null ? null : v.value * turn) }];
    const shown = new Set(order.slice(0, MOST).map(move => move.uci));
    return last.moves.filter(move => shown.has(move.uci)).map(move => ({
      san: move.san,
      values: this.verdicts.map(verdict => {
        const found = verdict.moves.find(other => other.uci === move.uci);
        return found ? found.alpha * turn : null;
      }),
    }));
  }

  private limits(series: Series[]): [number, number] {
    const values = series.flatMap(one => one.values).filter((v): v is number => v !== null && !isMate(v));
    const best = this.verdicts.map(verdict => verdict.value).filter((v): v is number => v !== null && !isMate(v));
    const bests = best.length ? best.map(v => v * this.turn) : [0];
    const near = values.filter(v => v >= Math.min(...bests) - REACH && v <= Math.max(...bests) + REACH);
    const low = Math.min(...bests, ...near);
    const high = Math.max(...bests, ...near);
    const room = Math.max((high - low) * 0.08, 8);
    return [low - room, high + room];
  }

  private curve(one: Series, index: number, x: (v: number) => number, y: (v: number) => number, labelY: number, box: Box): SVGElement {
    const points = one.values.flatMap((value, i): [number, number][] => (value === null ? [] : [[x(this.verdicts[i]!.depth), y(value)]]));
    const title = `${one.san}: ${one.values.map((v, i) => (v === null ? '' : `depth ${this.verdicts[i]!.depth} ${format(v)}`)).filter(Boolean).join(', ')}`;
    const group = svg('g', { class: `series s${index}` }, svg('title', {}, title), svg('path', { class: 'curve', d: path(points) }));
    for (const [px, py] of points) group.append(svg('circle', { class: 'dot', cx: px, cy: py, r: 3 }));
    group.append(svg('text', { x: box.width - box.right + 8, y: labelY + 4 }, one.san));
    return group;
  }

  table(): TableData {
    const { turn } = this;
    const rows = this.verdicts.map(verdict => [
      String(verdict.depth),
      verdict.value === null ? '' : format(verdict.value, turn),
      verdict.moves.slice(0, 3).map(move => `${move.san} ${format(move.alpha, turn)}`).join(', '),
      verdict.moves[0]?.line ?? '',
      grouped(verdict.positions),
      grouped(verdict.searches),
      verdict.time === null ? '' : new Date(verdict.time).toISOString().slice(0, 16).replace('T', ' '),
    ]);
    const head = ['Depth', 'Value', 'Best moves', 'Best line', 'Positions', 'Searches', 'Settled (UTC)'];
    return { caption: `Verdict at each complete depth, for ${this.side}`, head, rows };
  }
}

const lastOf = (one: Series): number => [...one.values].reverse().find((v): v is number => v !== null) ?? 0;

/** Moves labels apart that would lie on each other. */
function spread(wanted: number[], gap: number, top: number, bottom: number): number[] {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a]! - wanted[b]!);
  const at = [...wanted];
  let free = top;
  for (const i of order) {
    at[i] = Math.max(wanted[i]!, free);
    free = at[i]! + gap;
  }
  let limit = bottom + 4;
  for (const i of order.reverse()) {
    at[i] = Math.min(at[i]!, limit);
    limit = at[i]! - gap;
  }
  return at;
}
