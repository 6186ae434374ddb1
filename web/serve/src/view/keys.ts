// Keys of the whole page, and the ways along a line.
import { listen } from '../../../shared/keys';
import { undo } from '../state/actions';
import type { App } from '../state/app';
import type { OpenTree } from '../state/opentree';

/** How the line goes on: what was walked before, or the best move, or the engine's own. */
function onwards(open: OpenTree): string[] {
  const { walk } = open;
  if (walk.at < walk.steps.length) return walk.steps.slice(walk.at).map(step => step.uci);
  return (open.place()?.best?.line ?? open.ownLine() ?? []).map(move => move.uci);
}

/** Plays moves from the position on the board. Others than the game's before the root would be another game: that is asked. */
export function playHere(app: App, line: readonly string[]): void {
  const { open } = app;
  if (!open) return;
  const { walk } = open;
  for (const [played, uci] of line.entries()) {
    if (!walk.isBefore()) walk.step(uci);
    else if (walk.before[walk.before.length + walk.at]?.uci === uci) walk.goTo(walk.at + 1);
    else {
      app.set({ dialog: { kind: 'branch', id: open.id, at: walk.at, line: line.slice(played) } });
      return;
    }
  }
}

/** Plays the best move of the position on the board. */
function playBest(open: OpenTree): void {
  const best = open.place()?.best;
  if (best) open.walk.step(best.uci);
  else goForward(open);
}

export function goForward(open: OpenTree): void {
  const { walk } = open;
  if (walk.at < walk.steps.length) walk.goTo(walk.at + 1);
  else {
    const [next] = onwards(open);
    if (next) walk.step(next);
  }
}

export function goEnd(open: OpenTree): void {
  const { walk } = open;
  if (walk.at < walk.steps.length) walk.goTo(walk.steps.length);
  else if (!walk.isBefore()) walk.go([...open.line(), ...onwards(open)]);
}

/** True if nothing follows the position on the board. */
export const isAtEnd = (open: OpenTree): boolean => !open.walk.isBefore() && onwards(open).length === 0;

function sibling(open: OpenTree, by: number): void {
  const line = open.line();
  const moves = open.places.place(line.slice(0, -1))?.moves ?? [];
  const at = moves.findIndex(move => move.uci === line[line.length - 1]);
  const other = at < 0 ? undefined : moves[at + by];
  if (other && line.length) open.walk.instead(other.uci);
}

/** The keys that walk. */
export const lineKeys = (open: OpenTree): Record<string, () => void> => ({
  ArrowLeft: () => open.walk.back(),
  ArrowRight: () => goForward(open),
  ArrowUp: () => sibling(open, -1),
  ArrowDown: () => sibling(open, 1),
  Home: () => open.walk.home(),
  End: () => goEnd(open),
});

/** The keys with which a panel that has the focus is scrolled. */
const SCROLLING = ['ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp', 'PageDown', ' '];

export function listenToKeys(app: App): void {
  document.addEventListener('keydown', event => {
    if (event.target instanceof Element && event.target.closest('input, select, textarea, dialog, [role=menu], .wide')) return;
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'z') {
      event.preventDefault();
      void undo(app);
    } else if (event.key === '?') app.set({ dialog: { kind: 'help' } });
  });
  listen((event, target) => {
    const { open } = app;
    const scrolls = target.matches('[role=tabpanel], #moves-scroll, .users-note, .notice') && SCROLLING.includes(event.key);
    if (!open || scrolls || target.closest('[role=tablist]')) return {};
    return { ...lineKeys(open), f: () => app.flip(), m: () => document.getElementById('type-move')?.focus(), ' ': () => playBest(open), x: () => app.threats.toggle() };
  });
}
