// Keys of the whole page, and the ways along a line.
import { wheelSteps } from '../../../shared/wheel';
import { undo } from '../state/actions';
import type { App } from '../state/app';
import type { OpenRoot } from '../state/openroot';

/** How the line goes on: what was walked before, or the best move, or the engine's own. */
function onwards(open: OpenRoot): string[] {
  const { walk } = open;
  if (walk.at < walk.steps.length) return walk.steps.slice(walk.at).map(step => step.uci);
  const best = open.place()?.best;
  if (best) return best.line.map(move => move.uci);
  return ownLine(open);
}

/** How the engine's own line goes on behind the end of the tree. */
function ownLine(open: OpenRoot): string[] {
  const line = open.line();
  for (const move of open.places.place([])?.moves ?? []) {
    const ucis = move.line.map(one => one.uci);
    if (line.every((uci, i) => ucis[i] === uci)) return ucis.slice(line.length);
  }
  return [];
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

/** The wheel on the board walks along the line. */
export const wheelWalks = (app: App, box: HTMLElement): (() => void) =>
  wheelSteps(box, by => {
    if (by < 0) app.open?.walk.back();
    else if (app.open) goForward(app.open);
  });

/** Plays the best move of the position on the board. */
function playBest(open: OpenRoot): void {
  const best = open.place()?.best;
  if (best) open.walk.step(best.uci);
  else goForward(open);
}

export function goForward(open: OpenRoot): void {
  const { walk } = open;
  if (walk.at < walk.steps.length) walk.goTo(walk.at + 1);
  else {
    const [next] = onwards(open);
    if (next) walk.step(next);
  }
}

export function goEnd(open: OpenRoot): void {
  const { walk } = open;
  if (walk.at < walk.steps.length) walk.goTo(walk.steps.length);
  else if (!walk.isBefore()) walk.go([...open.line(), ...onwards(open)]);
}

function sibling(open: OpenRoot, by: number): void {
  const line = open.line();
  const moves = open.places.place(line.slice(0, -1))?.moves ?? [];
  const at = moves.findIndex(move => move.uci === line[line.length - 1]);
  const other = at < 0 ? undefined : moves[at + by];
  if (other && line.length) open.walk.instead(other.uci);
}

/** The keys with which a panel that has the focus is scrolled. */
const SCROLLING = ['ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp', 'PageDown', ' '];

export function listenToKeys(app: App): void {
  document.addEventListener('keydown', event => {
    const target = event.target instanceof Element ? event.target : document.body;
    const scrolls = target.matches('[role=tabpanel], #moves-scroll, .users-note, .notice') && SCROLLING.includes(event.key);
    if (target.closest('input, select, textarea, dialog, [role=menu], .wide') || scrolls) return;
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'z') {
      event.preventDefault();
      void undo(app);
      return;
    }
    if (event.key === '?') {
      app.set({ dialog: { kind: 'help' } });
      return;
    }
    const { open } = app;
    if (!open || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const keys: Record<string, () => void> = {
      ArrowLeft: () => open.walk.back(),
      ArrowRight: () => goForward(open),
      ArrowUp: () => sibling(open, -1),
      ArrowDown: () => sibling(open, 1),
      Home: () => open.walk.home(),
      End: () => goEnd(open),
      f: () => app.flip(),
      m: () => document.getElementById('type-move')?.focus(),
      ' ': () => playBest(open),
      x: () => app.threats.toggle(),
    };
    const action = keys[event.key];
    const presses = event.key === ' ' && target.closest('button, summary');
    if (!action || presses || target.closest('[role=tablist]')) return;
    event.preventDefault();
    action();
  });
}
