// Root and line in the page's address: a reload shows them again, and Back goes back.
import type { App } from './app';

const GAME = 'game';

function address({ open, openGame }: App): string {
  if (openGame) return `#${[GAME, openGame.id, openGame.ply || ''].filter(Boolean).join('/')}`;
  return open ? `#${[open.id, open.line().join(',')].filter(Boolean).join('/')}` : '';
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
    if (location.hash === shown) return;
    visit(app, location.hash.slice(1));
    shown = address(app);
    root = what();
    // What the address had and the page does not show leaves it.
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

/** Shows what an address names; of what it names and nobody knows, it says so. */
function visit(app: App, named: string): void {
  if (!named) {
    app.close();
    return;
  }
  const [id, moves] = named.split('/');
  if (id === GAME) {
    visitGame(app, named.split('/').slice(1).map(Number));
    return;
  }
  const line = (moves ?? '').split(',').filter(Boolean);
  if (!app.roots.has(Number(id))) {
    app.say(`The address names analysis ${id}, which is not there`, { bad: true });
    if (!app.open) app.showFirst();
    return;
  }
  app.show(Number(id), line);
  const wrong = line[app.open?.line().length ?? 0];
  if (wrong) app.say(`The address names the move \u201c${wrong}\u201d, which cannot be played there`, { bad: true });
}

function visitGame(app: App, [id, ply]: number[]): void {
  if (id !== undefined && app.games.get(id)) app.showGame(id, Number.isInteger(ply) && ply! > 0 ? ply : 0);
  else {
    app.say('The address names a game that is not there', { bad: true });
    if (!app.open && !app.openGame) app.showFirst();
  }
}
