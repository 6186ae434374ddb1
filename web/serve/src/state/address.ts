// Root and line in the page's address: a reload shows them again, and Back goes back.
import type { App } from './app';

const GAME = 'game';

/** The address of a line of an analysis. */
export const hashOf = (id: number, line: readonly string[] = []): string => `#${[id, line.join(',')].filter(Boolean).join('/')}`;

/** The address of a position of a whole game. */
export const hashOfGame = (id: number, ply = 0): string => `#${[GAME, id, ply || ''].filter(Boolean).join('/')}`;

/** The thing that an address names. */
export type Named = { kind: 'nothing' } | { kind: 'game'; id: number; ply: number } | { kind: 'analysis'; name: string; id: number; line: string[] };

/** Reads what stands behind an address's #. */
export function readHash(hash: string): Named {
  const [first = '', ...rest] = hash.replace(/^#/, '').split('/');
  if (!first) return { kind: 'nothing' };
  if (first === GAME) {
    const ply = Number(rest[1]);
    return { kind: 'game', id: Number(rest[0] || NaN), ply: Number.isInteger(ply) && ply > 0 ? ply : 0 };
  }
  return { kind: 'analysis', name: first, id: Number(first), line: (rest[0] ?? '').split(',').filter(Boolean) };
}

function address({ open, openGame }: App): string {
  if (openGame) return hashOfGame(openGame.id, openGame.walk.at);
  return open ? hashOf(open.id, open.line()) : '';
}

export function followAddress(app: App): void {
  let shown: string | null = null;
  let root: number | string | undefined;
  const what = (): number | string | undefined => (app.openGame ? `game ${app.openGame.id}` : app.open?.id);
  const write = (): void => {
    const next = address(app);
    if (!app.loaded || next === shown || (shown === null && !what())) return;
    const leapt = root !== what();
    shown = next;
    root = what();
    const where = next || location.pathname + location.search;
    if (leapt && location.hash !== next) history.pushState(null, '', where);
    else history.replaceState(null, '', where);
  };
  const read = (): void => {
    // Before the list has come nothing is known; then the address is read as it is by then.
    if (!app.loaded || location.hash === shown) return;
    visit(app, location.hash);
    shown = address(app);
    root = what();
    // Parts of the address that the page does not show leave it.
    if (location.hash !== shown) history.replaceState(null, '', shown || location.pathname + location.search);
  };
  addEventListener('hashchange', read);
  addEventListener('popstate', read);
  const stop = app.onChange(() => {
    if (!app.loaded) return;
    stop();
    if (location.hash.length > 1) read();
    else app.showFirst();
    write();
    app.onChange(write);
  });
}

/** Shows the thing that an address names, or says that it is unknown. */
function visit(app: App, hash: string): void {
  const named = readHash(hash);
  if (named.kind === 'nothing') {
    app.close();
    return;
  }
  if (named.kind === 'game') {
    if (app.games.get(named.id)) app.showGame(named.id, named.ply);
    else unknown(app, 'a game that');
    return;
  }
  if (!app.roots.has(named.id)) {
    unknown(app, `analysis ${named.name}, which`);
    return;
  }
  app.show(named.id, named.line);
  const wrong = named.line[app.open?.line().length ?? 0];
  if (wrong) app.say(`The address names the move \u201c${wrong}\u201d, which cannot be played there`, { bad: true });
}

function unknown(app: App, what: string): void {
  app.say(`The address names ${what} is not there`, { bad: true });
  if (!app.open && !app.openGame) app.showFirst();
}
