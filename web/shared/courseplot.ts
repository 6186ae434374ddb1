// How the verdict went over time, through the stages of the root.
import type { PageStage } from './contract';
import { axes, type Box, clamp, drawingIn, linear, range, type Scale } from './chart';
import { svg } from './dom';
import { sanOf, type Position } from './rules';
import { format, sign, type Pov } from './score';

export interface CourseData {
  root: Position;
  stages: PageStage[];
  pov: Pov;
}

/** A change of the verdict, for the side that scores are shown for. */
interface Point {
  time: number;
  uci: string;
  value: number;
}

interface Course {
  stage: PageStage;
  points: Point[];
  /** When the stage is not seen any more. */
  end: number;
  /** From when to when it speaks; none where it does not. */
  speaks: [number, number] | undefined;
}

const SECOND = 1000;
const NAMES: [number, string][] = [
  [0.1, '0.1 s'], [1, '1 s'], [5, '5 s'], [20, '20 s'], [60, '1 min'], [300, '5 min'], [1200, '20 min'], [3600, '1 h'],
  [4 * 3600, '4 h'], [12 * 3600, '12 h'], [48 * 3600, '2 days'], [7 * 86400, '1 week'], [30 * 86400, '1 month'],
];
/** Room between labels. */
const LABEL = 46;
const MOST_ROWS = 200;
/** Plots lower than that have less around them. */
const LOW = 180;

export class CoursePlot {
  private readonly begin: number;
  private readonly end: number;
  private readonly courses: Course[];
  private readonly side: string;
  /** Up to where names of stages stand. */
  private named = 0;

  constructor(private readonly data: CourseData) {
    const { stages, pov, root } = data;
    const times = stages.flatMap(stage => [...stage.points, ...stage.settled.map(([, time]) => [time])].map(point => point[0]));
    this.begin = times.reduce((a, b) => Math.min(a, b), Infinity);
    this.end = times.reduce((a, b) => Math.max(a, b), -Infinity);
    this.side = pov === 'white' || root.turn === 'white' ? 'White' : 'Black';
    this.courses = this.coursesOf(stages.filter(stage => stage.points.length));
  }

  isEmpty(): boolean {
    return !this.courses.length;
  }

  draw(element: HTMLElement): void {
    const { courses } = this;
    const made = drawingIn(element, 'The verdict over time; the table below says the same');
    if (!made) return;
    const { drawing } = made;
    const isLow = made.box.height < LOW;
    const box: Box = { ...made.box, left: 50, right: 16, top: isLow ? 24 : 30, bottom: isLow ? 22 : 28 };
    const values = courses.flatMap(course => spoken(course).map(point => point.value));
    const limits = range(values, 10);
    const x = this.timeScale(box);
    const scale = linear(limits, [box.height - box.bottom, box.top]);
    const y: Scale = value => scale(clamp(value, limits));
    drawing.append(...axes(box, scale, limits, values, x, this.times(x), '', isLow ? 3 : 5));
    this.named = 0;
    courses.forEach((course, i) => drawing.append(this.course(course, i, x, y, box)));
    drawing.append(this.changes(courses, x, y, box));
  }

  private coursesOf(stages: PageStage[]): Course[] {
    const turn = sign(this.data.root.turn, this.data.pov);
    return stages.map((stage, i) => {
      const next = stages.slice(i + 1).find(other => other.speaks !== null)?.speaks ?? this.end;
      const points = stage.points.map(([time, uci, value]) => ({ time, uci, value: value * turn }));
      const end = Math.max(points[points.length - 1]!.time, stage.settled[stage.settled.length - 1]?.[1] ?? 0);
      return { stage, points, end, speaks: stage.speaks === null ? undefined : [stage.speaks, Math.max(next, stage.speaks)] };
    });
  }

  /** The first seconds have as much room as the hours behind them: shallow stages are quick. */
  private timeScale(box: Box): Scale {
    const span = Math.max(this.end - this.begin, 1);
    const unit = Math.min(SECOND, span / 20);
    const scale = linear([0, Math.log1p(span / unit)], [box.left + 10, box.width - box.right]);
    return time => scale(Math.log1p(Math.max(0, time - this.begin) / unit));
  }

  private times(x: Scale): [number, string][] {
    const found: [number, string][] = [];
    let last = -Infinity;
    for (const [seconds, name] of NAMES) {
      const time = this.begin + seconds * SECOND;
      if (time > this.end || x(time) - last < 52) continue;
      found.push([time, name]);
      last = x(time);
    }
    return found;
  }

  /** The steps of one stage: thin where another one speaks. */
  private course(course: Course, index: number, x: Scale, y: Scale, box: Box): SVGElement {
    const group = svg('g', { class: `series s${index % 7}` }, svg('title', {}, `${course.stage.limit}, analysis ${course.stage.analysis}`));
    const silent = course.points.filter(point => !course.speaks || point.time < course.speaks[0]);
    group.append(svg('path', { class: 'curve silent', d: steps(silent, course.speaks?.[0] ?? course.end, x, y) }));
    if (!course.speaks) return group;
    group.append(svg('path', { class: 'curve', d: steps(spoken(course), course.speaks[1], x, y) }));
    const left = x(course.speaks[0]);
    const right = x(course.speaks[1]);
    if (index > 0) group.append(svg('line', { class: 'takes-over', x1: left, x2: left, y1: 16, y2: box.height - box.bottom }));
    const name = course.stage.limit;
    const width = 7 * name.length;
    const fits = right - left > width;
    if (!fits && left - width < this.named) return group;
    group.append(svg('text', { x: left + (fits ? 4 : -4), y: 18, 'text-anchor': fits ? 'start' : 'end' }, name));
    this.named = left + (fits ? width : 0);
    return group;
  }

  /** Where the best move changed, by name as far as there is room. */
  private changes(courses: Course[], x: Scale, y: Scale, box: Box): SVGElement {
    const group = svg('g', { class: 'changes' });
    const { root } = this.data;
    let best = '';
    let [label, dot] = [-Infinity, -Infinity];
    for (const point of courses.flatMap(spoken)) {
      const changed = point.uci !== best;
      best = point.uci;
      const [left, top] = [x(point.time), y(point.value)];
      if (!changed || left - dot < 5) continue;
      dot = left;
      const san = sanOf(root, point.uci);
      group.append(svg('circle', { class: 'dot', cx: left, cy: top, r: 3.5 }, svg('title', {}, `${this.after(point.time)}: ${san} ${format(point.value)}`)));
      if (left - label < LABEL) continue;
      label = left;
      const atEdge = left > box.width - box.right - LABEL;
      group.append(svg('text', { x: left, y: top > box.top + 22 ? top - 8 : top + 18, 'text-anchor': atEdge ? 'end' : 'start' }, san));
    }
    return group;
  }

  private after(time: number): string {
    const seconds = (time - this.begin) / SECOND;
    if (seconds < 100) return `${seconds.toFixed(1)} s`;
    return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
  }

  whose(): string {
    return `Scores for ${this.side}. A dot: another best move. A line across: a deeper stage takes over.`;
  }

  /** The caption, head and rows of its table. */
  table(): { caption: string; head: string[]; rows: string[][] } {
    const { root } = this.data;
    const rows = this.courses.flatMap(course => {
      let best = '';
      const changes = spoken(course).filter((point, i, all) => {
        const shown = point.uci !== best || i === all.length - 1;
        best = point.uci;
        return shown;
      });
      return changes.map(point => [this.after(point.time), course.stage.limit, sanOf(root, point.uci), format(point.value)]);
    });
    const head = ['After', 'Stage', 'Best move', 'Value'];
    return { caption: `The verdict over time, for ${this.side}`, head, rows: rows.slice(-MOST_ROWS) };
  }
}

/** The points of a stage during the time of its verdict, from the last one before on. */
function spoken(course: Course): Point[] {
  if (!course.speaks) return [];
  const [from, to] = course.speaks;
  const before = [...course.points].reverse().find(point => point.time <= from);
  const during = course.points.filter(point => point.time > from && point.time <= to);
  return before ? [{ ...before, time: from }, ...during] : during;
}

/** A value stays until the next one comes. */
function steps(points: Point[], end: number, x: Scale, y: Scale): string {
  if (!points.length) return '';
  const after = points.slice(1).map(point => `H${x(point.time).toFixed(1)}V${y(point.value).toFixed(1)}`);
  const first = points[0]!;
  return `M${x(first.time).toFixed(1)} ${y(first.value).toFixed(1)}${after.join('')}H${x(end).toFixed(1)}`;
}
