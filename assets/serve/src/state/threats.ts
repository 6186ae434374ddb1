// What the other side threatens in the position on the board, asked for while somebody wants to see it.
import { get } from '../api/client';
import type { San, Score } from '../api/types';

export interface Threat extends San {
  /** For the side that threatens. */
  score: Score;
  line: San[];
}

export class Threats {
  shown = false;
  /** By FEN; null where there is none. */
  private readonly known = new Map<string, Threat | null>();
  private asking = false;

  constructor(private readonly changed: () => void) {}

  toggle(): void {
    this.shown = !this.shown;
    this.changed();
  }

  /** Nothing where none is to be shown, or it is not known yet: then it is asked for. */
  of(fen: string): Threat | null {
    if (!this.shown) return null;
    if (!this.known.has(fen)) void this.ask(fen);
    return this.known.get(fen) ?? null;
  }

  private async ask(fen: string): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    try {
      const { threat } = await get<{ threat: Threat | null }>(`threat?fen=${encodeURIComponent(fen)}`);
      this.known.set(fen, threat);
    } catch {
      // Not again until the board has moved on and come back.
      this.shown = false;
    }
    this.asking = false;
    this.changed();
  }
}
