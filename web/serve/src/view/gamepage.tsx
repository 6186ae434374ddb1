// A whole game: its page, in place of an analysis.
import { Game } from '../../../game/src/game';
import type { WholeGame } from '../../../shared/contract';
import { runGame } from '../state/actions';
import { hashOfGame } from '../state/address';
import type { App } from '../state/app';
import type { OpenGame } from '../state/games';
import { stageWords, withinWords } from './card';
import { gameItems, progressWords } from './gamecard';
import { Menu } from './menu';
import { Icon } from './parts';

/** How its positions are analysed: "moves within 0.10 \u00b7 Stockfish 17 \u00b7 engine depth 10". */
function mannerWords(app: App, game: WholeGame): string {
  const [root] = app.games.roots(game);
  return root ? [withinWords(root), root.engine.name, stageWords(root)].join(' \u00b7 ') : '';
}

export function GamePage({ app, open }: { app: App; open: OpenGame }) {
  const game = app.games.get(open.id);
  const { value: data, error } = open.page;
  const { done, failed, all, growing } = game ? app.games.progress(game) : { done: 0, failed: 0, all: 0, growing: 0 };
  const isDone = done + failed === all;
  const analysis = data?.game.positions[open.walk.at]?.analysis;
  return (
    <main tabIndex={-1} class="whole-game">
      <header class="game-head">
        <div class="game-names">
          <h1><bdi>{game?.title ?? 'A game'}</bdi></h1>
          <p class="whose">{[game?.event, game && progressWords(app, game), game && mannerWords(app, game)].filter(Boolean).join(' \u00b7 ')}</p>
        </div>
        {analysis != null && <button type="button" id="open-analysis" onClick={() => app.show([...app.roots.values()].find(root => root.stages.some(stage => stage.analysis === analysis))?.id ?? analysis)}>Analysis of this position</button>}
        {game && !isDone && <button type="button" class={growing ? 'with-icon' : 'with-icon primary'} onClick={() => void runGame(app, game.id, growing ? 'pause' : 'start')}><Icon name={growing ? 'pause' : 'play'} /> {growing ? 'Pause' : 'Resume'}</button>}
        {game && <Menu label={`More about ${game.title}`} icon="more" items={() => gameItems(app, game)} />}
      </header>
      {error && <p class="wrong" role="alert">{error}</p>}
      {!data && !error && <p class="empty" role="status">The game is being read …</p>}
      {data && <div class="game-page"><Game walk={open.walk} data={data} pov={app.pov} href={ply => hashOfGame(open.id, ply)} /></div>}
    </main>
  );
}
