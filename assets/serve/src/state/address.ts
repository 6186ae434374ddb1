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
    const [id, line] = location.hash.slice(1).split('/');
    if (id) app.show(Number(id), (line ?? '').split(',').filter(Boolean));
    else if (app.open) app.close();
    shown = address(app);
    root = app.open?.id;
  };
  addEventListener('hashchange', read);
  addEventListener('popstate', read);
  const stop = app.onChange(() => {
    if (!app.loaded) return;
    stop();
    if (location.hash.length > 1) read();
    else firstRoot(app);
    write();
    app.onChange(write);
  });
}

/** Without an address: what is growing, or what was changed last. */
function firstRoot(app: App): void {
  const { planned, others } = app.agenda();
  const root = planned.find(one => one.run.state === 'growing') ?? planned[0] ?? others[0];
  if (root) app.show(root.id);
}
