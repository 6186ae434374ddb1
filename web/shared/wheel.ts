// The wheel on a board walks along the line.

/** Pixels of a wheel for a step; mice turn in clicks of a hundred and more, touchpads in many small ones. */
const STEP = 60;

/** Tells of each step, 1 forward and -1 back; gives what ends that. */
export function wheelSteps(box: HTMLElement, step: (by: 1 | -1) => void): () => void {
  let turned = 0;
  const wheel = (event: WheelEvent): void => {
    if (event.ctrlKey) return;
    event.preventDefault();
    const by = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * STEP;
    turned = Math.sign(by) === Math.sign(turned) ? turned + by : by;
    if (Math.abs(turned) < STEP) return;
    step(turned > 0 ? 1 : -1);
    turned = 0;
  };
  box.addEventListener('wheel', wheel, { passive: false });
  return () => box.removeEventListener('wheel', wheel);
}
