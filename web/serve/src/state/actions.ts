// Actions of the user: requests to the server, and words about them.
import { counted } from '../../../shared/words';
import { ApiError, send, sendFile } from '../api/client';
import type { Directed, KnownGames, Root, Said, WholeGame } from '../../../shared/contract';
import type { App } from './app';

type Done = Promise<boolean>;

const PGN = 'application/x-chess-pgn';

/** Returns true if it was done; refusals are shown, in the open dialog if there is one. */
async function attempt(app: App, action: () => Promise<void>): Done {
  const { dialog } = app;
  if (dialog) app.refuse(null);
  try {
    await action();
    return true;
  } catch (error) {
    const words = refusalWords(error);
    if (dialog && app.dialog === dialog) app.refuse(words);
    else app.say(words, { bad: true });
    return false;
  }
}

export function refusalWords(error: unknown): string {
  const hint = error instanceof ApiError && error.hint ? ` (${error.hint})` : '';
  return (error instanceof Error ? sentence(error.message) : String(error)) + hint;
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const path = (id: number, rest = ''): string => `analyses/${id}${rest}`;

export const run = (app: App, id: number, action: 'start' | 'pause'): Done =>
  attempt(app, async () => app.merge(await send<Root>('POST', path(id, '/run'), { action })));

/** Makes a closing search at once, for `time` milliseconds. */
export const close = (app: App, id: number, time: number): Done =>
  attempt(app, async () => app.merge(await send<Root>('POST', path(id, '/run'), { action: 'close', time_ms: time })));

/** Asks scores of its tree again, for `time` milliseconds at most, by searches to this engine depth. */
export const recheck = (app: App, id: number, time: number, depth: number): Done =>
  attempt(app, async () => app.merge(await send<Root>('POST', path(id, '/run'), { action: 'recheck', time_ms: time, engine_depth: depth })));

/** Until when an analysis is to grow. */
export interface Until {
  pause_at?: number | null;
  until_stable?: number | null;
}

export interface Changed extends Until {
  name?: string | null;
  weight?: number;
  depth?: number;
  before?: number | null;
  archived?: boolean;
}

/** Puts an analysis away; one that grows is paused. */
export const archive = (app: App, root: Root, archived: boolean): Done =>
  attempt(app, async () => {
    if (archived && root.run.state === 'growing') await send<Root>('POST', path(root.id, '/run'), { action: 'pause' });
    app.merge(await send<Root>('PATCH', path(root.id), { archived }));
  });

export const change = (app: App, id: number, part: Changed): Done =>
  attempt(app, async () => app.merge(await send<Root>('PATCH', path(id), part)));

/** Moves a root before another one of the agenda, or to its end. */
export async function moveBefore(app: App, id: number, before: number | null): Done {
  const { planned, others } = app.agenda();
  const order = planned.map(root => root.id).filter(other => other !== id);
  order.splice(before === null ? order.length : order.indexOf(before), 0, id);
  app.order = [...order, ...others.map(root => root.id)];
  app.changed();
  return change(app, id, { before });
}

export const moveBy = (app: App, id: number, by: -1 | 1): void => {
  const order = app.listed().map(root => root.id);
  const at = order.indexOf(id);
  const to = at + by;
  if (at < 0 || to < 0 || to >= order.length) return;
  const before = by < 0 ? order[to]! : (order[to + 1] ?? null);
  void moveBefore(app, id, before);
};

export const remove = (app: App, id: number): Done =>
  attempt(app, async () => {
    app.deleting.add(id);
    await send('DELETE', path(id)).catch(error => {
      app.deleting.delete(id);
      throw error;
    });
    app.remove(id);
    app.say('Deleted. The engines\u2019 answers are kept.');
  });

/** How each position of a game is analysed. */
export interface NewGame {
  pgn: string;
  from_ply?: number;
  to_ply?: number;
  side?: 'white' | 'black';
  each: NewRoot;
}

export const addGame = (app: App, game: NewGame): Done =>
  attempt(app, async () => {
    const added = await send<WholeGame>('POST', 'games', game);
    app.games.put(added);
    app.showGame(added.id);
  });

export const runGame = (app: App, id: number, action: 'start' | 'pause'): Done =>
  attempt(app, async () => app.games.put(await send<WholeGame>('POST', `games/${id}/run`, { action })));

export const removeGame = (app: App, game: WholeGame): Done =>
  attempt(app, async () => {
    game.analyses.forEach(({ id }) => app.deleting.add(id));
    await send('DELETE', `games/${game.id}`).catch(error => {
      game.analyses.forEach(({ id }) => app.deleting.delete(id));
      throw error;
    });
    app.removeGame(game);
    app.say('Deleted. The engines\u2019 answers are kept.');
  });

/** Includes every game and variation of a file in the repertoire. */
export const includeFile = (app: App, id: number, file: File, { notes, all, skip }: { notes: boolean; all: boolean; skip: boolean }): Done =>
  attempt(app, async () => {
    const query = new URLSearchParams({ name: file.name, notes: String(notes), all: String(all), skip: String(skip) });
    const { words, change } = await sendFile<Directed>(path(id, `/repertoire?${query}`), file, PGN);
    said(app, id, words, change === null ? null : { root: id, change });
  });

export interface NewRoot extends Until {
  fen?: string;
  moves?: string;
  pgn?: string;
  ply?: number;
  name?: string;
  distance?: string;
  distance_white?: string;
  distance_black?: string;
  root_moves?: number;
  draw_value?: number;
  games?: boolean;
  played?: KnownGames['played'];
  depth?: number;
  engine_depth?: number;
  weight?: number;
  start?: boolean;
}

type Added = Root & { copied?: { count: number; plies: number } | null };

export const add = (app: App, root: NewRoot): Done => attempt(app, async () => added(app, await send<Added>('POST', 'analyses', root)));

export const next = (app: App, id: number, moves: string[], pauseThis: boolean): Done =>
  attempt(app, async () => added(app, await send<Added>('POST', path(id, '/next'), { moves: moves.join(' '), pause_this: pauseThis })));

export const otherDraw = (app: App, id: number, drawValue: number, pauseThis: boolean): Done =>
  attempt(app, async () => added(app, await send<Added>('POST', path(id, '/draw'), { draw_value: drawValue, pause_this: pauseThis })));

function added(app: App, { copied, ...root }: Added): void {
  app.merge(root);
  if (copied) app.say(`Guidance of ${counted(copied.count, 'move or position', 'moves and positions')} copied from ${counted(copied.plies, 'ply', 'plies')} earlier in the game`);
  app.show(root.id);
}

/** A change of directives, by which its message takes it back. */
export interface Undoable {
  root: number;
  change: number;
}

export const direct = (app: App, line: readonly string[], action: Said['action'], more: Pick<Said, 'score' | 'text'> = {}): Done => {
  const { open } = app;
  if (!open) return Promise.resolve(false);
  return attempt(app, async () => {
    const { words, change } = await send<Directed>('POST', path(open.id, '/directives'), { line: line.join(' '), action, ...more });
    said(app, open.id, words, change === null ? null : { root: open.id, change });
  });
};

/** Takes back one change, or the newest of the shown root. */
export async function undo(app: App, which?: Undoable): Done {
  const root = which?.root ?? app.open?.id;
  if (root === undefined) return false;
  const done = await attempt(app, async () => {
    const { words, change } = await send<Directed>('POST', path(root, '/directives/undo'), which ? { change: which.change } : {});
    app.retract(change);
    said(app, root, words, null);
  });
  // An action that cannot be undone is not offered any more.
  if (!done) outdate(app, root);
  return done;
}

function said(app: App, root: number, words: string, undo: Undoable | null): void {
  app.say(sentence(words), { undo });
  outdate(app, root);
}

/** Requests again all that depends on the directives of a root. */
function outdate(app: App, root: number): void {
  const { open } = app;
  if (open?.id !== root) return;
  open.directives.old = true;
  open.places.outdate();
  open.ask();
}
