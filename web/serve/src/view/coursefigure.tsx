// The plot of the verdict over time, with its table.
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { PageStage } from '../../../shared/contract';
import { CoursePlot, type CourseData } from '../../../shared/courseplot';
import type { Position } from '../../../shared/rules';
import type { Pov } from '../../../shared/score';

/** The plot's elements are its own; it is drawn again where `of` is another one. */
export function CourseFigure({ pov, root, stages, of }: { pov: Pov; root: Position; stages: PageStage[]; of: unknown }) {
  const figure = useRef<HTMLElement>(null);
  const plot = useRef<HTMLDivElement>(null);
  const whose = useRef<HTMLSpanElement>(null);
  const table = useRef<HTMLDivElement>(null);
  const drawing = useRef<CoursePlot | null>(null);
  const data = useRef<CourseData>(null!);
  data.current = { root, stages, pov };
  useLayoutEffect(() => {
    drawing.current ??= new CoursePlot({ figure: figure.current!, plot: plot.current!, whose: whose.current!, table: table.current! }, () => data.current);
    drawing.current.draw();
  }, [of, pov]);
  return (
    <figure ref={figure} id="course-figure">
      <figcaption>
        <h3>Verdict over time</h3> <span class="whose" ref={whose} />
      </figcaption>
      <div class="plot" id="course-plot" ref={plot} />
      <details><summary>As a table</summary><div id="course-table" ref={table} /></details>
    </figure>
  );
}
