// Games that are analysed as a whole, and the one that is shown.
import { get } from '../api/client';
import { placesOf } from '../../../game/src/data';
import { GameWalk } from '../../../game/src/walk';
import type { GamePage, GamePageData, Root, WholeGame } from '../../../shared/contract';
import type { App } from './app';
import { Asked } from './asked';

/** How many of the positions of a game are done. */
export interface Progress {
  done: number;
  failed: number;
  all: number;
  growing: number;
}

/** True if a root has its depth, even if it has changed since. */
const isDone = ({ run, depth }: Root): boolean => run.state === 'done' || (depth.settled ?? 0) >= Math.max(1, run.target);

export class WholeGames {
  private known = new Map<number, WholeGame>();
  private asking = false;

  constructor(private readonly app: App) {}

  /** The newest first. */
  all(): WholeGame[] {
    return [...this.known.values()].sort((a, b) => b.id - a.id);
  }

  get(id: number): WholeGame | undefined {
    return this.known.get(id);
  }

  put(game: WholeGame): void {
    this.known.set(game.id, game);
    this.app.changed();
  }

  forget(id: number): void {
    this.known.delete(id);
    this.app.changed();
  }

  async load(): Promise<void> {
    const { games } = await get<{ games: WholeGame[] }>('games');
    this.known = new Map(games.map(game => [game.id, game]));
  }

  /** A position of a game that was begun elsewhere. */
  async meet(root: Root): Promise<void> {
    const id = root.whole_game;
    if (id === null || this.asking || this.known.get(id)?.analyses.some(one => one.id === root.id)) return;
    this.asking = true;
    try {
      await this.load();
    } catch {
      // The next change asks again.
    }
    this.asking = false;
    this.app.changed();
  }

  /** Its positions that are there, in the order of the game. */
  roots(game: WholeGame): Root[] {
    return game.analyses.flatMap(({ id }) => this.app.roots.get(id) ?? []);
  }

  progress(game: WholeGame): Progress {
    const made = new Set(game.analyses.filter(one => one.made).map(one => one.id));
    const roots = this.roots(game).filter(root => made.has(root.id));
    const open = roots.filter(root => !isDone(root));
    const are = (state: string) => open.filter(root => root.run.state === state).length;
    return { done: roots.length - open.length, failed: are('failed'), all: roots.length, growing: are('growing') };
  }
}

/** Time between two looks at a game that grows: at least `REST` milliseconds, and `TIMES` the time of the last look. */
const REST = 2000;
const TIMES = 6;

/** The game that is shown. */
export class OpenGame {
  readonly page: Asked<GamePageData>;
  readonly walk: GameWalk;

  constructor(private readonly app: App, readonly id: number, ply: number) {
    this.walk = new GameWalk([], ply, app.changed);
    this.page = new Asked<GamePageData>(() => app.openGame === this, app.changed, taken => Math.max(REST, TIMES * taken));
  }

  /** More is known of it. */
  outdate(): void {
    this.page.old = true;
    this.ask();
  }

  ask(): void {
    void this.page.ask(() => this.load());
  }

  private async load(): Promise<GamePageData> {
    const { walk, app } = this;
    const { page, ...game } = await get<GamePage>(`games/${this.id}`);
    const isFirst = !walk.places.length;
    app.games.put(game);
    walk.places = placesOf(page);
    const { done, failed, all } = app.games.progress(game);
    // A game that still grows begins at its start: its mistakes may change.
    if (isFirst) walk.go(walk.at || (done + failed === all ? walk.opening() : 0));
    return page;
  }
}
