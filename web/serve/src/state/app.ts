// State of the page. The server has the truth; this is its copy.
import { sign, type Color, type Pov } from '../../../shared/score';
import { withMinus } from '../../../shared/words';
import { get } from '../api/client';
import type { Analyses, EngineStates, GivenValue, Root, Server, WholeGame } from '../../../shared/contract';
import type { Message } from '../api/words';
import type { Undoable } from './actions';
import { OpenGame, WholeGames } from './games';
import { notify } from './notifying';
import { OpenRoot } from './openroot';
import { keepPov, keptPov } from './prefs';
import { Searched } from './searched';
import { Watched } from './store';
import { Threats } from './threats';

export type Connection = 'connecting' | 'live' | 'lost' | 'asleep' | 'locked';
export type Tab = 'tree' | 'moves' | 'course' | 'directives' | 'audit' | 'engines' | 'log';

export type Dialog =
  | { kind: 'new'; file?: File; number?: number }
  | { kind: 'merge'; file?: File }
  | { kind: 'help' }
  | { kind: 'settings'; id: number }
  | { kind: 'delete'; id: number }
  | { kind: 'delete-game'; id: number }
  | { kind: 'closing'; id: number }
  | { kind: 'recheck'; id: number }
  | { kind: 'repertoire'; id: number }
  | { kind: 'review'; id: number }
  | { kind: 'phone' }
  | { kind: 'note'; line: string[]; text: string }
  | { kind: 'value'; line: string[]; value: GivenValue | null }
  | { kind: 'draw'; id: number }
  | { kind: 'next'; id: number; line: string[] }
  | { kind: 'branch'; id: number; at: number; line: string[] };

export interface Toast {
  number: number;
  text: string;
  bad: boolean;
  /** The action that its button undoes. */
  undo: Undoable | null;
  /** How often the same has been said. */
  times: number;
}

const KEPT_MESSAGES = 200;
const KEPT_FAULTS = 50;

export class App extends Watched {
  server: Server | null = null;
  roots = new Map<number, Root>();
  /** All roots: the agenda's, then the others. */
  order: number[] = [];
  loaded = false;
  connection: Connection = 'connecting';
  engines: EngineStates | null = null;
  readonly searched = new Searched(this.changed);
  readonly threats = new Threats(this.changed);
  log: Message[] = [];
  toasts: Toast[] = [];
  open: OpenRoot | null = null;
  readonly games = new WholeGames(this);
  /** Shown in place of an analysis. */
  openGame: OpenGame | null = null;
  pov: Pov = keptPov();
  dialog: Dialog | null = null;
  /** Why what the dialog asked for was not done. */
  refusal: string | null = null;
  /** The agenda beside a narrow page. */
  drawer = false;
  tab: Tab = 'tree';
  /** News of analyses that are not shown, since they were shown, by their numbers. */
  readonly news = new Map<number, string>();
  /** Analyses that this page has asked to be deleted. */
  readonly deleting = new Set<number>();
  /** Turns the board. */
  flip: () => void = () => {};
  /** Color whose side of the board is below. */
  orientation: () => Color = () => 'white';
  private toastNumber = 0;

  /** Everything that is not of one root. */
  async load(): Promise<{ step: number; instance: string }> {
    this.server = await get<Server>('server');
    const { step, analyses } = await get<Analyses>('analyses');
    const before = this.roots;
    this.roots = new Map(analyses.map(root => [root.id, root]));
    this.caughtUp(before);
    this.order = analyses.map(root => root.id);
    this.engines = await get<EngineStates>('engines');
    await this.games.load();
    this.loaded = true;
    if (this.open && !this.roots.has(this.open.id)) this.leave(before.get(this.open.id));
    this.open?.outdate();
    this.openGame?.outdate();
    this.changed();
    return { step, instance: this.server.instance };
  }

  /** The agenda in its order, then the other roots, the last changed first. */
  agenda(): { planned: Root[]; others: Root[] } {
    const known = new Set(this.order);
    const ids = [...this.order, ...[...this.roots.keys()].filter(id => !known.has(id))];
    const roots = ids.flatMap(id => this.roots.get(id) ?? []);
    const others = roots.filter(root => root.run.place === null).sort((a, b) => b.changed_at - a.changed_at);
    return { planned: roots.filter(root => root.run.place !== null), others };
  }

  /** The roots that are planned and stand in the list by themselves, in their order. */
  listed(): Root[] {
    return this.agenda().planned.filter(root => !root.archived && root.whole_game === null);
  }

  root(id = this.open?.id): Root | undefined {
    return id === undefined ? undefined : this.roots.get(id);
  }

  /** Merges changed parts of a root, or adds a new one. */
  merge(part: Partial<Root> & { id: number }): void {
    const before = this.roots.get(part.id);
    if (!before && part.root === undefined) return;
    const now = { ...before, ...part } as Root;
    this.roots.set(part.id, now);
    if (part.id === this.open?.id) this.open.rootChanged(part);
    else if (before) this.isNews(before, now);
    if (now.whole_game !== null) this.ofGame(now, before);
    this.changed();
  }

  /** A position of a whole game has changed; the end of the last one is told. */
  private ofGame(now: Root, before: Root | undefined): void {
    void this.games.meet(now);
    if (this.openGame?.id === now.whole_game) this.openGame!.outdate();
    const game = this.games.get(now.whole_game!);
    if (!game || !before || before.run.state === now.run.state) return;
    const { done, failed, all } = this.games.progress(game);
    if (!all || done + failed !== all || before.run.state !== 'growing') return;
    const words = failed ? `${failed} of its positions have failed: ${now.run.message ?? ''}` : 'all its positions are analysed';
    this.say(`${game.title}: ${words}`, { bad: failed > 0 });
    notify(game.title, words, () => this.showGame(game.id));
  }

  /** Changes that the page missed are news, too. */
  private caughtUp(before: ReadonlyMap<number, Root>): void {
    for (const id of this.news.keys()) if (!this.roots.has(id)) this.news.delete(id);
    for (const [id, now] of this.roots) {
      const known = before.get(id);
      if (known && id !== this.open?.id) this.isNews(known, now);
    }
  }

  /** Another best move, an end or a failure: somebody who looks elsewhere wants to know. */
  private isNews(before: Root, now: Root): void {
    // A game has as many as it has positions: its own end is told.
    if (now.whole_game !== null) return;
    const { state } = now.run;
    const rests = state === 'paused' && before.run.pause_at !== null && now.run.pause_at === null;
    const ended = state !== before.run.state && { done: 'done', failed: 'failed', paused: rests ? 'paused: time limit reached' : '' }[state as string];
    const other = before.best.length && now.best.length && before.best[0]!.uci !== now.best[0]!.uci;
    const words = ended || (other && `now ${now.best[0]!.san}, not ${before.best[0]!.san}`);
    if (!words) return;
    this.news.set(now.id, words);
    notify(now.name ?? now.label, words, () => this.show(now.id));
  }

  remove(id: number): void {
    const root = this.roots.get(id);
    this.news.delete(id);
    this.roots.delete(id);
    this.order = this.order.filter(other => other !== id);
    if (this.open?.id === id) this.leave(root);
    this.changed();
  }

  /** The shown root is gone: another one is shown, and it is said where that was not done here. */
  private leave(root: Root | undefined): void {
    if (root && !this.deleting.has(root.id)) this.say(`${root.name ?? root.label} was deleted elsewhere`, { bad: true });
    this.showFirst();
  }

  show(id: number, line: string[] = []): void {
    const root = this.roots.get(id);
    if (!root) return;
    this.drawer = false;
    this.openGame = null;
    this.news.delete(id);
    if (this.open?.id === id) this.open.walk.leap(this.open.legal(line));
    else this.open = new OpenRoot(this, root, line);
    this.changed();
  }

  /** A whole game, with this position on the board. */
  showGame(id: number, ply = 0): void {
    this.drawer = false;
    this.open = null;
    if (this.openGame?.id === id) this.openGame.walk.go(ply);
    else this.openGame = new OpenGame(this, id, ply);
    this.openGame.ask();
    this.changed();
  }

  /** Somebody has deleted positions of games, or games. */
  async gamesChanged(): Promise<void> {
    const shown = this.openGame && this.games.get(this.openGame.id);
    await this.games.load().catch(() => {});
    if (this.openGame && !this.games.get(this.openGame.id)) {
      if (shown && !shown.analyses.some(({ id }) => this.deleting.has(id))) this.say(`${shown.title} was deleted elsewhere`, { bad: true });
      this.showFirst();
    }
    this.changed();
  }

  removeGame(game: WholeGame): void {
    this.games.forget(game.id);
    if (this.openGame?.id === game.id) this.showFirst();
    this.changed();
  }

  /** Shows the analysis that is growing, or else the one that was changed last. */
  showFirst(): void {
    const { planned, others } = this.agenda();
    const inSight = (root: Root) => !root.archived && root.whole_game === null;
    const all = [...planned.filter(inSight), ...others.filter(inSight)];
    const root = all.find(one => one.run.state === 'growing') ?? all[0];
    const [game] = this.games.all();
    if (root) this.show(root.id);
    else if (game) this.showGame(game.id);
    else this.close();
  }

  close(): void {
    this.open = null;
    this.openGame = null;
    this.changed();
  }

  setPov(pov: Pov): void {
    this.pov = pov;
    keepPov(pov);
    this.changed();
  }

  set(part: Partial<Pick<App, 'dialog' | 'drawer' | 'tab' | 'connection' | 'engines'>>): void {
    if ('dialog' in part) this.refusal = null;
    Object.assign(this, part);
    this.changed();
  }

  /** Turns the scores of who moves there. */
  sign(mover: Color): 1 | -1 {
    return sign(mover, this.pov);
  }

  refuse(words: string | null): void {
    this.refusal = words;
    this.changed();
  }

  say(text: string, { bad = false, undo = null }: { bad?: boolean; undo?: Undoable | null } = {}): void {
    this.toast(text, bad, undo);
    this.note({ id: this.open?.id ?? null, at: Date.now(), kind: 'page', text });
  }

  /** The same again is told in the same place. */
  toast(words: string, bad: boolean, undo: Undoable | null): void {
    const text = withMinus(words);
    const number = ++this.toastNumber;
    const same = this.toasts.find(toast => !undo && !toast.undo && toast.text === text);
    const others = this.toasts.filter(toast => toast !== same);
    this.toasts = [...others.slice(-2), { number, text, bad, undo, times: (same?.times ?? 0) + 1 }];
    setTimeout(() => this.dismiss(number), bad ? 12000 : 7000);
    this.changed();
  }

  /** Stops offering to undo a change that is undone. */
  retract(change: number | null): void {
    this.toasts = this.toasts.filter(toast => !toast.undo || toast.undo.change !== change);
    this.changed();
  }

  dismiss(number: number): void {
    this.toasts = this.toasts.filter(toast => toast.number !== number);
    this.changed();
  }

  /** Adds a fault of an engine to the count of faults as soon as it is known. */
  fault({ at, text }: Message): void {
    this.toast(text, true, null);
    const { engines } = this;
    if (engines) this.set({ engines: { ...engines, messages: [{ at, text }, ...(engines.messages ?? [])].slice(0, KEPT_FAULTS) } });
  }

  note(message: Message): void {
    this.log = [{ ...message, text: withMinus(message.text) }, ...this.log].slice(0, KEPT_MESSAGES);
    this.changed();
  }
}
