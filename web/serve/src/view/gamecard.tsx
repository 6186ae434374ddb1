// A game that is analysed as a whole, among the analyses: its positions fold out of it.
import { useState } from 'preact/hooks';
import { INITIAL, numbered, play, positionOf } from '../../../shared/rules';
import { format } from '../../../shared/score';
import { counted } from '../../../shared/words';
import type { Root, WholeGame } from '../../../shared/contract';
import { valueOf } from '../api/words';
import { runGame } from '../state/actions';
import { hashOf, hashOfGame } from '../state/address';
import type { App } from '../state/app';
import { bestWords, goToCard, turnOf } from './card';
import { plainly } from './links';
import { Menu, type Item } from './menu';
import { IconButton } from './parts';

export function progressWords(app: App, game: WholeGame): string {
  const { done, failed, all } = app.games.progress(game);
  const words = done === all ? `all ${counted(all, 'position')} analysed` : `${done} of ${counted(all, 'position')} analysed`;
  return failed ? `${words}, ${failed} failed` : words;
}

export function gameItems(app: App, game: WholeGame): (Item | null)[] {
  const { growing, done, failed, all } = app.games.progress(game);
  const file = (format: string) => `/api/games/${game.id}/export?format=${format}`;
  return [
    done + failed === all ? null : growing ? { label: 'Pause all positions', action: () => void runGame(app, game.id, 'pause') } : { label: 'Resume all positions', action: () => void runGame(app, game.id, 'start') },
    { label: 'Annotated game (PGN)', href: file('pgn') },
    { label: 'Page of the game (HTML)', href: file('html') },
    { label: 'For programs (JSON)', href: file('json') },
    { label: 'Delete \u2026', bad: true, action: () => app.set({ dialog: { kind: 'delete-game', id: game.id } }) },
  ];
}

/** "12. Nf3", the move that led to a position. */
function afterWords(root: Root): string {
  const last = root.history[root.history.length - 1];
  if (!last) return 'Start';
  const before = root.history.slice(0, -1).reduce(play, positionOf(root.start ?? INITIAL));
  return numbered(before, [last]).join();
}

export function GameCard({ app, game }: { app: App; game: WholeGame }) {
  const [unfolded, setUnfolded] = useState(false);
  const shown = app.openGame?.id === game.id;
  const { done, failed, all, growing } = app.games.progress(game);
  const state = growing ? 'growing' : failed ? 'failed' : done === all ? 'done' : 'paused';
  const keys = (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key] as -1 | 1 | undefined;
    if (!by || event.altKey || (event.target as Element).closest('[role=menu]')) return;
    event.preventDefault();
    event.stopPropagation();
    goToCard(event.currentTarget as HTMLElement, by);
  };
  const roots = unfolded ? app.games.roots(game) : [];
  return (
    <li class={`card whole ${state}${shown ? ' shown' : ''}`} onKeyDown={keys}>
      <a class="card-main" href={hashOfGame(game.id)} draggable={false} aria-current={shown ? 'true' : undefined} onClick={plainly(() => app.showGame(game.id, shown ? app.openGame!.walk.at : 0))}>
        <span class="card-top"><bdi class="card-name">{game.title}</bdi><span class="whose">{game.result}</span></span>
        {game.event && <span class="card-label">{game.event}</span>}
        <span class="card-progress"><span class={`state ${state}`}><i class="dot" />{progressWords(app, game)}</span></span>
        <span class="meter" aria-hidden="true"><i style={{ width: `${(done / Math.max(1, all)) * 100}%` }} /></span>
      </a>
      <span class="card-tools">
        <IconButton icon={unfolded ? 'up' : 'down'} label={`${unfolded ? 'Hide' : 'List'} the positions of ${game.title}`} onClick={() => setUnfolded(!unfolded)} />
        <Menu label={`More about ${game.title}`} icon="more" items={() => gameItems(app, game)} />
      </span>
      {unfolded && (
        <ol class="game-positions" aria-label={`Positions of ${game.title}`}>
          {roots.map(root => (
            <li key={root.id}>
              <a class="link" href={hashOf(root.id)} aria-current={app.open?.id === root.id ? 'true' : undefined} onClick={plainly(() => app.show(root.id))}>{afterWords(root)}</a>
              <span class="whose">{root.value ? `${format(valueOf(root.value), app.sign(turnOf(root)))} ${bestWords(root, root.best[0])}` : 'not analysed yet'}</span>
            </li>
          ))}
        </ol>
      )}
    </li>
  );
}
