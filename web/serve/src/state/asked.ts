// A thing that is asked for again when it is old and shown.
import { ApiError } from '../api/client';

export class Asked<T> {
  value: T | null = null;
  error: string | null = null;
  old = true;
  private asking = false;
  private load: (() => Promise<T>) | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** When it may be asked for again. */
  private due = 0;

  /** `rest` is the time between two requests, in milliseconds, after one that took `taken`. */
  constructor(private readonly isShown: () => boolean, private readonly changed: () => void, private readonly rest: (taken: number) => number) {}

  async ask(load: () => Promise<T>): Promise<void> {
    this.load = load;
    if (!this.old || this.asking || document.hidden || !this.isShown()) return;
    clearTimeout(this.timer);
    const began = Date.now();
    if (began < this.due) {
      this.timer = setTimeout(() => void this.ask(load), this.due - began);
      return;
    }
    this.asking = true;
    this.old = false;
    try {
      this.value = await load();
      this.error = null;
    } catch (error) {
      this.error = error instanceof ApiError ? error.message : String(error);
    }
    this.asking = false;
    this.due = Date.now() + this.rest(Date.now() - began);
    this.changed();
    // Requests made during this one.
    void this.ask(this.load);
  }
}
