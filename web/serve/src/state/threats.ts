// Threats of the other side in the position on the board, requested while they are shown.
import { get } from '../api/client';
import type { Threat, ThreatFound } from '../../../shared/contract';

export class Threats {
  shown = false;
  /** By FEN; null where there is none. */
  private readonly known = new Map<string, ThreatFound | null>();
  private asking = false;

  constructor(private readonly changed: () => void) {}

  toggle(): void {
    this.shown = !this.shown;
    this.changed();
  }

  /** Nothing where none is to be shown, or it is not known yet: then it is asked for. */
  of(fen: string): ThreatFound | null {
    if (!this.shown) return null;
    if (!this.known.has(fen)) void this.ask(fen);
    return this.known.get(fen) ?? null;
  }

  private async ask(fen: string): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    try {
      const { threat } = await get<Threat>(`threat?fen=${encodeURIComponent(fen)}`);
      this.known.set(fen, threat);
    } catch {
      // Not again until the board has moved on and come back.
      this.shown = false;
    }
    this.asking = false;
    this.changed();
  }
}
