// The places of the shown root that the page has asked for. What has changed is asked again only where it is shown,
// one request at a time, and with the tag of what is here: nothing new costs nothing.
import { ApiError, getIfNew } from '../api/client';
import type { Place } from '../../../shared/contract';
import { keyOf } from './unfolded';

export interface Kept {
  place: Place | undefined;
  etag: string | null;
  /** The tree has changed since it was asked. */
  stale: boolean;
  error: string | null;
  /** When it was asked last. */
  at: number;
}

/** What is old and not on the board is asked again so long after it was asked, and the later the more is shown. */
const REST = 2000;
const REST_EACH = 100;
/** The root's, of which the verdict is told. */
const REST_OF_ROOT = 500;
const ROOT = '';
/** The server has too much to do, or does not answer. */
const AFTER_REFUSAL = 1000;

export class Places {
  private kept = new Map<string, Kept>();
  /** What is shown, the most urgent first. */
  private shown: () => string[] = () => [];
  private asking = false;
  private again = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** For whom points against people are asked; nobody by itself. */
  private people: '' | 'white' | 'black' = '';

  constructor(readonly id: number, private readonly changed: () => void) {}

  get(line: readonly string[]): Kept | undefined {
    return this.kept.get(keyOf(line));
  }

  place(line: readonly string[]): Place | undefined {
    return this.get(line)?.place;
  }

  /** Who knows what is shown; `ask` goes by it. */
  showing(shown: () => string[]): void {
    this.shown = shown;
    this.ask();
  }

  /** Asks for points against people, for a side or no more. */
  askPeople(side: '' | 'white' | 'black'): void {
    this.people = side;
    for (const kept of this.kept.values()) kept.etag = null;
    this.outdate();
  }

  peopleFor(): '' | 'white' | 'black' {
    return this.people;
  }

  /** The tree has changed: all is old. */
  outdate(): void {
    for (const kept of this.kept.values()) kept.stale = true;
    this.ask();
  }

  /** Asks for what is shown and not here, or old. */
  ask(): void {
    if (this.asking) {
      this.again = true;
      return;
    }
    void this.askAll();
  }

  private async askAll(): Promise<void> {
    this.asking = true;
    do {
      this.again = false;
      for (let key = this.next(); key !== undefined && !document.hidden; key = this.next()) await this.load(key);
    } while (this.again && !document.hidden);
    this.asking = false;
    this.askLater();
  }

  private next(): string | undefined {
    const now = Date.now();
    return this.wanted().find(({ due }) => due <= now)?.key;
  }

  /** What was put off. */
  private askLater(): void {
    clearTimeout(this.timer);
    const due = Math.min(...this.wanted().map(one => one.due));
    if (Number.isFinite(due) && !document.hidden) this.timer = setTimeout(() => this.ask(), Math.max(20, due - Date.now()));
  }

  /** What is not here, or old, and when it may be asked. The first that is shown is on the board. */
  private wanted(): { key: string; due: number }[] {
    const shown = this.shown();
    const rest = Math.max(REST, REST_EACH * shown.length);
    return shown.flatMap((key, i) => {
      const kept = this.kept.get(key);
      if (!kept) return { key, due: 0 };
      if (!kept.stale) return [];
      if (kept.error) return { key, due: kept.at + AFTER_REFUSAL };
      return { key, due: i === 0 ? 0 : kept.at + (key === ROOT ? REST_OF_ROOT : rest) };
    });
  }

  private async load(key: string): Promise<void> {
    const before = this.kept.get(key);
    const kept: Kept = { place: before?.place, etag: before?.etag ?? null, stale: false, error: null, at: Date.now() };
    const { people } = this;
    // What changes while it is asked makes it old again.
    this.kept.set(key, kept);
    try {
      const { body, etag } = await getIfNew<Place>(`analyses/${this.id}/moves?line=${encodeURIComponent(key)}${people ? `&people=${people}` : ''}`, kept.etag);
      // Another side may have been asked for meanwhile.
      kept.etag = people === this.people ? etag : null;
      if (!body) return;
      kept.place = body;
    } catch (error) {
      kept.error = error instanceof ApiError ? error.message : String(error);
      kept.stale = error instanceof ApiError && (error.status === 0 || error.status === 429);
    }
    this.changed();
  }
}
