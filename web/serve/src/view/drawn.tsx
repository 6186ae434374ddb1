// Elements that are made without preact, plots and their tables, in a box of it.
import { useLayoutEffect, useRef } from 'preact/hooks';

/** A box whose elements are drawn anew whenever the page is, or it has another size. */
export function Drawn({ id, class: kind, draw }: { id: string; class?: string; draw: (box: HTMLElement) => void }) {
  const box = useRef<HTMLDivElement>(null);
  const drawing = useRef(draw);
  drawing.current = draw;
  useLayoutEffect(() => draw(box.current!));
  useLayoutEffect(() => {
    const sized = new ResizeObserver(() => kind && drawing.current(box.current!));
    sized.observe(box.current!);
    return () => sized.disconnect();
  }, []);
  return <div id={id} class={kind} ref={box} />;
}
