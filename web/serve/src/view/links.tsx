// Moves, positions and analyses as links: their address can be copied, and opened in another tab or window.
import type { ComponentChildren } from 'preact';
import type { OpenTree } from '../state/opentree';

/** Runs an action for a plain click. One with another button or with a key is the browser's. */
export const plainly = (action: () => void) => (event: MouseEvent): void => {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  action();
};

interface MoveLinkProps {
  open: OpenTree;
  /** From the root to the position behind the move. */
  line: string[];
  /** In place of going there. */
  go?: () => void;
  class?: string;
  title?: string;
  label?: string;
  current?: boolean;
  children: ComponentChildren;
}

export const MoveLink = ({ open, line, go, class: kind = '', title, label, current, children }: MoveLinkProps) => (
  <a class={`move ${kind}`.trim()} href={open.href(line)} title={title} aria-label={label} aria-current={current ? 'step' : undefined} onClick={plainly(go ?? (() => open.walk.go(line)))}>{children}</a>
);
