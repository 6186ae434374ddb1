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

/** Milliseconds between two requests for an old place that is not on the board: at least `REST`, and `REST_EACH` for each shown place. */
const REST = 2000;
const REST_EACH = 100;
/** For the root, which has the verdict. */
const REST_OF_ROOT = 500;
const ROOT = '';
/** The server has too much to do, or does not answer. */
const AFTER_REFUSAL = 1000;

export class Places {
  private kept = new Map<string, Kept>();
  /** The shown places, the most urgent first. */
  private shown: () => string[] = () => [];
  private asking = false;
  private again = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Side for which points against people are requested; '' for none. */
  private people: '' | 'white' | 'black' = '';

  constructor(readonly id: number, private readonly changed: () => void) {}

  get(line: readonly string[]): Kept | undefined {
    return this.kept.get(keyOf(line));
  }

  place(line: readonly string[]): Place | undefined {
    return this.get(line)?.place;
  }

  /** Sets the source of the shown places, which `ask` requests. */
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

  /** Sets a timer for the requests that were put off. */
  private askLater(): void {
    clearTimeout(this.timer);
    const due = Math.min(...this.wanted().map(one => one.due));
    if (Number.isFinite(due) && !document.hidden) this.timer = setTimeout(() => this.ask(), Math.max(20, due - Date.now()));
  }

  /** Shown places that are missing or old, and when they may be requested. The first is on the board. */
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
    // A change during the request makes it old again.
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
