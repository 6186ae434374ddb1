// Changes as they happen: the server's event stream. A hidden page without notifications closes it; when it is seen
// again, it goes on from there.
import { ApiError, get } from '../api/client';
import type { EngineStates, Merges, Root, Server } from '../../../shared/contract';
import type { Message } from '../api/words';
import type { App } from './app';
import { notifies } from './notifying';

interface RootsEvent {
  changed: (Partial<Root> & { id: number })[];
  removed: number[];
  order?: number[];
}

const isLocked = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;

export class Live {
  private source: EventSource | null = null;
  private last: string | null = null;
  private instance: string | null = null;
  private wait = FIRST_WAIT;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly app: App) {}

  async start(): Promise<void> {
    document.addEventListener('visibilitychange', () => this.seen());
    addEventListener('online', () => void this.retry());
    await this.catchUp();
  }

  private seen(): void {
    if (document.hidden && notifies()) return;
    if (document.hidden) {
      this.stop();
      if (this.app.connection === 'live') this.app.connection = 'asleep';
    } else if (this.source) {
      // A hidden page asks for nothing.
      this.ask();
    } else {
      if (this.last) this.listen();
      else void this.catchUp();
    }
  }

  /** Everything anew, then what changes from there on. */
  private async catchUp(): Promise<void> {
    this.stop();
    try {
      const { step, instance } = await this.app.load();
      this.instance = instance;
      this.last = `${instance}-${step}`;
      this.listen();
    } catch (error) {
      this.lost(isLocked(error));
    }
  }

  private listen(): void {
    this.stop();
    if (document.hidden && !notifies()) return;
    const source = new EventSource(`/api/events?after=${encodeURIComponent(this.last ?? '')}`);
    this.source = source;
    source.onerror = () => {
      // The browser's own second try would ask for what the address names, not for the last step.
      if (source === this.source) this.lost(false);
    };
    const on = <T>(type: string, take: (data: T) => void) =>
      source.addEventListener(type, event => {
        if (event.lastEventId) this.last = event.lastEventId;
        take(JSON.parse(event.data as string) as T);
      });
    on<{ instance: string }>('hello', hello => this.hello(hello.instance));
    on('reset', () => void this.catchUp());
    on<RootsEvent>('roots', change => this.roots(change));
    on<{ id: number; revision: number }>('tree', ({ id, revision }) => id === this.app.open?.id && this.app.open.treeChanged(revision));
    on<EngineStates>('engines', engines => this.engines(engines));
    on<Message>('message', message => this.message(message));
  }

  private hello(instance: string): void {
    this.wait = FIRST_WAIT;
    const restarted = this.instance !== null && instance !== this.instance;
    this.instance = instance;
    if (restarted) {
      void this.catchUp();
      return;
    }
    if (this.app.connection === 'lost') this.app.say('Connected again');
    this.app.set({ connection: 'live' });
    // Changes during the interruption are requested now.
    this.ask();
  }

  private ask(): void {
    this.app.open?.ask();
    this.app.openGame?.outdate();
  }

  private roots({ changed, removed, order }: RootsEvent): void {
    const unknown = changed.some(part => !this.app.roots.has(part.id) && part.root === undefined);
    for (const part of changed) this.app.merge(part);
    const ofGame = (removed ?? []).some(id => this.app.roots.get(id)?.whole_game != null);
    for (const id of removed ?? []) this.app.remove(id);
    // The game itself may be gone, too.
    if (ofGame) void this.app.gamesChanged();
    if (order) this.app.order = order;
    this.app.changed();
    if (unknown) void this.catchUp();
  }

  /** The event has no messages: those are told one by one. */
  private engines(engines: EngineStates): void {
    this.app.set({ engines: { ...engines, messages: this.app.engines?.messages ?? [] } });
  }

  private message(message: Message): void {
    this.app.note(message);
    if (message.kind === 'fault') this.app.fault(message);
    // An open dialog of the merge shows it itself.
    if (message.kind === 'merge' && this.app.dialog?.kind !== 'merge') void this.merged(message);
  }

  /** A merge has ended, well or not. */
  private async merged({ text }: Message): Promise<void> {
    const { merges: [last] } = await get<Merges>('merges').catch(() => ({ merges: [] } as Merges));
    this.app.toast(text, last?.state === 'failed', null);
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }

  private lost(locked: boolean): void {
    this.stop();
    this.app.set({ connection: locked ? 'locked' : 'lost' });
    this.timer = setTimeout(() => void this.retry(), this.wait);
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
  }

  /** Goes on where it was, if this is still the same server; a stream does not say why it is refused. */
  private async retry(): Promise<void> {
    if (this.source || (document.hidden && !notifies())) return;
    try {
      const { instance } = await get<Server>('server');
      if (instance === this.instance) this.listen();
      else await this.catchUp();
    } catch (error) {
      this.lost(isLocked(error));
    }
  }
}
