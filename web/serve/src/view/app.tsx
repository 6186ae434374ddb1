// The whole page.
import type { Root } from '../../../shared/contract';
import type { App } from '../state/app';
import type { OpenRoot } from '../state/openroot';
import { undo } from '../state/actions';
import { useEffect, useRef } from 'preact/hooks';
import type { Arrow } from '../../../shared/board';
import { format } from '../../../shared/score';
import { valueOf } from '../api/words';
import { Agenda } from './agenda';
import { BoardPane } from './boardpane';
import { Dialogs } from './dialogs';
import { GamePage } from './gamepage';
import { Headline } from './headline';
import { nameOf, turnOf } from './card';
import { playHere } from './keys';
import { MoveList } from './movelist';
import { IconButton } from './parts';
import { Tabs } from './tabs';
import { TopBar } from './topbar';
import { TypeMove } from './typemove';
import { verdictOf } from './verdict';

export function Page({ app }: { app: App }) {
  if (app.connection === 'locked') return <Locked />;
  const { open } = app;
  const root = app.root();
  useEffect(() => {
    document.title = titleOf(app, root);
  });
  useFocusInMain(app.openGame?.id);
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('type-move')?.focus()}>Skip to the board</button>
      <TopBar app={app} />
      <div class="page">
        <Agenda app={app} />
        {app.drawer && <div class="veil" onClick={() => app.set({ drawer: false })} />}
        {app.openGame ? <GamePage key={app.openGame.id} app={app} open={app.openGame} /> : <main tabIndex={-1} class={open && root ? 'root' : 'root none'}>
          {open && root ? (
            <>
              <div class="left">
                <BoardPane app={app} open={open} play={uci => playHere(app, [uci])} branches threat={threatOf(app, open)}>
                  <TypeMove app={app} open={open} />
                </BoardPane>
                <MoveList app={app} open={open} />
              </div>
              <Headline app={app} open={open} root={root} />
            </>
          ) : (
            <Welcome app={app} />
          )}
          <Tabs app={app} />
        </main>}
      </div>
      <Toasts app={app} />
      <Dialogs app={app} />
    </>
  );
}

function threatOf(app: App, { walk }: OpenRoot): Arrow | undefined {
  const threat = app.threats.of(walk.fen());
  return threat ? { uci: threat.uci, alpha: valueOf(threat.score) } : undefined;
}

/** Moves a focus that was lost when a game's page came or went into the main part. */
function useFocusInMain(game: number | undefined): void {
  const before = useRef(game);
  useEffect(() => {
    if (before.current !== game && document.activeElement === document.body) document.querySelector('main')?.focus({ preventScroll: true });
    before.current = game;
  }, [game]);
}

/** "(2) +0.13 Bc5 - Italian Game": how many others have news, and the verdict of the shown one. */
function titleOf(app: App, root: Root | undefined): string {
  const news = app.news.size ? `(${app.news.size}) ` : '';
  const game = app.openGame && app.games.get(app.openGame.id);
  if (game) return `${news}${game.title}`;
  if (!root) return `${news}deepanalyze`;
  const { value, best } = verdictOf(app, root);
  // A page that is hidden hears nothing: what it had would be old.
  const verdict = value === null || app.connection !== 'live' ? '' : `${format(value, app.sign(turnOf(root)))} ${best?.san ?? ''} - `;
  return `${news}${verdict}${nameOf(root)}`;
}

const Welcome = ({ app }: { app: App }) => (
  <section class="welcome">
    <h1>{app.loaded ? 'An analysis that stays' : 'deepanalyze'}</h1>
    {app.loaded ? (
      <>
        <p>Give it a position. It grows a tree of lines with your engine, deeper and deeper, goes on when this page is closed, and tells you why its verdict changes.</p>
        <p><button type="button" class="primary" onClick={() => app.set({ dialog: { kind: 'new' } })}>Start an analysis</button></p>
      </>
    ) : (
      <p role="status">{app.connection === 'lost' ? 'The server does not answer. The page keeps trying.' : 'Loading …'}</p>
    )}
  </section>
);

const Locked = () => (
  <main class="welcome">
    <h1>This page needs its address again</h1>
    <p>The server knows this browser by the address that <code>deepanalyze serve</code> has printed, with <code>?token=</code> in it. Open that one.</p>
  </main>
);

/** Messages about actions and errors; screen readers read them, too. */
const Toasts = ({ app }: { app: App }) => (
  <div class="toasts" role="status" aria-live="polite">
    {app.toasts.map(toast => (
      <div key={toast.number} class={toast.bad ? 'toast bad' : 'toast'}>
        <span>{toast.text}{toast.times > 1 && ` (${toast.times} times)`}</span>
        {toast.undo && <button type="button" onClick={() => (app.dismiss(toast.number), void undo(app, toast.undo!))}>Undo</button>}
        <IconButton icon="close" label="Dismiss" class="small" onClick={() => app.dismiss(toast.number)} />
      </div>
    ))}
  </div>
);
