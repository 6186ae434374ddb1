// What the page knows and shows. The server has the truth; this is its copy.
import { sign, type Color, type Pov } from '../../../shared/score';
import { get } from '../api/client';
import type { Engines, Message, Root, Server } from '../api/types';
import { OpenRoot } from './openroot';
import { keepPov, keptPov } from './prefs';
import { Searched } from './searched';
import { Watched } from './store';

export type Connection = 'connecting' | 'live' | 'lost' | 'asleep' | 'locked';
export type Tab = 'tree' | 'course' | 'directives' | 'audit' | 'engines' | 'log';

export type Dialog =
  | { kind: 'new' }
  | { kind: 'help' }
  | { kind: 'settings'; id: number }
  | { kind: 'delete'; id: number }
  | { kind: 'note'; line: string[]; text: string }
  | { kind: 'value'; line: string[]; value: number | null }
  | { kind: 'next'; id: number; line: string[] };

export interface Toast {
  number: number;
  text: string;
  bad: boolean;
  undo: boolean;
}

const KEPT_MESSAGES = 200;

export class App extends Watched {
  server: Server | null = null;
  roots = new Map<number, Root>();
  /** All roots: the agenda's, then the others. */
  order: number[] = [];
  loaded = false;
  connection: Connection = 'connecting';
  engines: Engines | null = null;
  readonly searched = new Searched(this.changed);
  log: Message[] = [];
  toasts: Toast[] = [];
  open: OpenRoot | null = null;
  pov: Pov = keptPov();
  dialog: Dialog | null = null;
  /** The agenda beside a narrow page. */
  drawer = false;
  tab: Tab = 'tree';
  /** Turns the board. */
  flip: () => void = () => {};
  private toastNumber = 0;

  /** Everything that is not of one root. */
  async load(): Promise<{ step: number; instance: string }> {
    this.server = await get<Server>('server');
    const { step, analyses } = await get<{ step: number; analyses: Root[] }>('analyses');
    this.roots = new Map(analyses.map(root => [root.id, root]));
    this.order = analyses.map(root => root.id);
    this.engines = await get<Engines>('engines');
    this.loaded = true;
    if (this.open && !this.roots.has(this.open.id)) this.close();
    this.open?.outdate();
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

  root(id = this.open?.id): Root | undefined {
    return id === undefined ? undefined : this.roots.get(id);
  }

  /** Takes over what has changed of a root, or a new one. */
  merge(part: Partial<Root> & { id: number }): void {
    const before = this.roots.get(part.id);
    if (!before && part.root === undefined) return;
    this.roots.set(part.id, { ...before, ...part } as Root);
    if (part.id === this.open?.id) this.open.rootChanged(part);
    this.changed();
  }

  remove(id: number): void {
    this.roots.delete(id);
    this.order = this.order.filter(other => other !== id);
    if (this.open?.id === id) this.close();
    this.changed();
  }

  show(id: number, line: string[] = []): void {
    const root = this.roots.get(id);
    if (!root) return;
    this.drawer = false;
    if (this.open?.id === id) this.open.walk.leap(line);
    else this.open = new OpenRoot(this, root, line);
    this.changed();
  }

  close(): void {
    this.open = null;
    this.changed();
  }

  setPov(pov: Pov): void {
    this.pov = pov;
    keepPov(pov);
    this.changed();
  }

  set(part: Partial<Pick<App, 'dialog' | 'drawer' | 'tab' | 'connection' | 'engines'>>): void {
    Object.assign(this, part);
    this.changed();
  }

  /** Turns the scores of who moves there. */
  sign(mover: Color): 1 | -1 {
    return sign(mover, this.pov);
  }

  say(text: string, { bad = false, undo = false } = {}): void {
    const number = ++this.toastNumber;
    this.toasts = [...this.toasts.slice(-2), { number, text, bad, undo }];
    this.note({ id: this.open?.id ?? null, at: Date.now(), kind: 'page', text });
    setTimeout(() => this.dismiss(number), bad ? 12000 : 7000);
  }

  dismiss(number: number): void {
    this.toasts = this.toasts.filter(toast => toast.number !== number);
    this.changed();
  }

  note(message: Message): void {
    this.log = [message, ...this.log].slice(0, KEPT_MESSAGES);
    this.changed();
  }
}
