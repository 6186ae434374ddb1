// Keys of a page.

/** Does what a key stands for, unless it is typed, goes with another one, or presses a button; gives what ends that. */
export function listen(keys: (event: KeyboardEvent, target: Element) => Record<string, () => void>): () => void {
  const hear = (event: KeyboardEvent): void => {
    const target = event.target instanceof Element ? event.target : document.body;
    if (target.closest('input, select, textarea, dialog, .wide, [role=menu]') || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const action = keys(event, target)[event.key];
    if (!action || (event.key === ' ' && target.closest('button, summary'))) return;
    event.preventDefault();
    action();
  };
  document.addEventListener('keydown', hear);
  return () => document.removeEventListener('keydown', hear);
}
