// Questions about moves that the tree has not analysed: what is known at once, then what a search of two seconds says.
// Only the move on the board is searched; who moves on ends it.
import { ApiError, get, send } from '../api/client';
import type { WhyNot } from '../../../shared/contract';

export interface Question {
  told: WhyNot | null;
  /** True while the engines search. */
  searching: boolean;
  error: string | null;
  /** The tree has changed since it was asked. */
  stale: boolean;
  /** A search has come to its end, with an answer or without. */
  tried: boolean;
}

const inWords = (error: unknown): string => (error instanceof ApiError ? error.message : String(error));

export class Questions {
  /** By line, the move last. */
  private readonly asked = new Map<string, Question>();
  /** The move on the board. */
  private shown = '';
  private search: AbortController | null = null;

  constructor(private readonly id: number, private readonly changed: () => void) {}

  /** The question about the last move of the line on the board; asks it where it is new or old. */
  of(line: readonly string[]): Question {
    const key = line.join(' ');
    if (key !== this.shown) this.leave();
    this.shown = key;
    const known = this.asked.get(key);
    if (known && !known.stale) return known;
    const question: Question = known ?? { told: null, searching: false, error: null, stale: false, tried: false };
    question.stale = false;
    this.asked.set(key, question);
    void this.ask(question, key, line);
    return question;
  }

  /** The board shows another position: no search goes on. */
  leave(): void {
    this.shown = '';
    this.search?.abort();
    this.search = null;
  }

  /** The tree has changed: what is shown is asked again. */
  outdate(): void {
    for (const question of this.asked.values()) question.stale = true;
  }

  private async ask(question: Question, key: string, line: readonly string[]): Promise<void> {
    const before = line.slice(0, -1).join(' ');
    const move = line[line.length - 1]!;
    try {
      question.told = await get<WhyNot>(`analyses/${this.id}/why?line=${encodeURIComponent(before)}&move=${move}`);
      if (question.told.can_be_searched && !question.tried && !question.searching) await this.searchMove(question, key, { line: before, move });
    } catch (error) {
      question.error = inWords(error);
    }
    this.changed();
  }

  private async searchMove(question: Question, key: string, body: { line: string; move: string }): Promise<void> {
    if (this.shown !== key) {
      question.stale = true;
      return;
    }
    const search = new AbortController();
    this.search = search;
    question.searching = true;
    this.changed();
    try {
      question.told = await send<WhyNot>('POST', `analyses/${this.id}/why`, body, search.signal);
      question.tried = true;
    } finally {
      question.searching = false;
      if (search.signal.aborted) question.stale = true;
    }
  }
}
