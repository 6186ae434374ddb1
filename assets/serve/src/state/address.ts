// Root and line in the page's address: a reload shows them again, and Back goes back.
import type { App } from './app';

const address = (app: App): string => (app.open ? `#${[app.open.id, app.open.line().join(',')].filter(Boolean).join('/')}` : '');

export function followAddress(app: App): void {
  let shown: string | null = null;
  let root: number | undefined;
  const write = (): void => {
    const next = address(app);
    if (!app.loaded || next === shown || (shown === null && !app.open)) return;
    const leapt = root !== app.open?.id;
    shown = next;
    root = app.open?.id;
    const where = next || location.pathname + location.search;
    if (leapt && location.hash !== next) history.pushState(null, '', where);
    else history.replaceState(null, '', where);
  };
  const read = (): void => {
    if (location.hash === shown) return;
    visit(app, location.hash.slice(1));
    shown = address(app);
    root = app.open?.id;
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
