// A plot, whose elements are made without preact, with what it shows as a table.
import { useLayoutEffect, useRef } from 'preact/hooks';

interface PlotProps {
  id: string;
  draw: (box: HTMLElement) => void;
  /** It is drawn anew where something of these is another one, or with another size. */
  of: unknown[];
}

export function Plot({ id, draw, of }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const drawing = useRef(draw);
  drawing.current = draw;
  useLayoutEffect(() => draw(box.current!), of);
  useLayoutEffect(() => {
    const sized = new ResizeObserver(() => drawing.current(box.current!));
    sized.observe(box.current!);
    return () => sized.disconnect();
  }, []);
  return <div id={id} class="plot" ref={box} />;
}

export interface TableData {
  caption: string;
  head: string[];
  rows: string[][];
}

/** The data of a plot as a table, for screen readers; it scrolls by keyboard, too. */
export const TableBox = ({ caption, head, rows }: TableData) => (
  <div class="wide" tabIndex={0} role="region" aria-label={caption}>
    <table>
      <caption>{caption}</caption>
      <thead><tr>{head.map(text => <th scope="col" key={text}>{text}</th>)}</tr></thead>
      <tbody>{rows.map(([first, ...rest], i) => <tr key={i}><th scope="row">{first}</th>{rest.map(text => <td>{text}</td>)}</tr>)}</tbody>
    </table>
  </div>
);

export const AsTable = ({ id, ...data }: TableData & { id: string }) => <details id={id}><summary>As a table</summary><TableBox {...data} /></details>;
