// The plot of the verdict over time, with its table.
import { useMemo } from 'preact/hooks';
import { CoursePlot, type CourseData } from '../../../shared/courseplot';
import { AsTable, Plot } from './plot';

/** Drawn again where `of` is another one, or the point of view. */
export function CourseFigure({ of, ...data }: CourseData & { of: unknown }) {
  const plot = useMemo(() => new CoursePlot(data), [of, data.pov]);
  const table = useMemo(() => plot.table(), [plot]);
  if (plot.isEmpty()) return null;
  return (
    <figure id="course-figure">
      <figcaption><h3>Verdict over time</h3> <span class="whose">{plot.whose()}</span></figcaption>
      <Plot id="course-plot" of={[plot]} draw={box => plot.draw(box)} />
      <AsTable id="course-table" {...table} />
    </figure>
  );
}
