// Questions about moves that the tree has not analysed: what is known at once, then what a search of two seconds says.
import { ApiError, get, send } from '../api/client';
import type { WhyNot } from '../../../shared/contract';

export interface Question {
  told: WhyNot | null;
  /** True while the engines search. */
  searching: boolean;
  error: string | null;
}

const inWords = (error: unknown): string => (error instanceof ApiError ? error.message : String(error));

export class Questions {
  /** By line, the move last. */
  private asked = new Map<string, Question>();

  constructor(private readonly id: number, private readonly changed: () => void) {}

  /** The question about the last move of a line; asks it where it is new. */
  of(line: readonly string[]): Question {
    const key = line.join(' ');
    const known = this.asked.get(key);
    if (known) return known;
    const question: Question = { told: null, searching: false, error: null };
    this.asked.set(key, question);
    void this.ask(question, line);
    return question;
  }

  /** The tree has changed: what is shown is asked again. */
  outdate(): void {
    for (const [key, question] of this.asked) if (!question.searching) this.asked.delete(key);
  }

  private async ask(question: Question, line: readonly string[]): Promise<void> {
    const before = line.slice(0, -1).join(' ');
    const move = line[line.length - 1]!;
    try {
      question.told = await get<WhyNot>(`analyses/${this.id}/why?line=${encodeURIComponent(before)}&move=${move}`);
      if (question.told.can_be_searched) {
        question.searching = true;
        this.changed();
        question.told = await send<WhyNot>('POST', `analyses/${this.id}/why`, { line: before, move });
      }
    } catch (error) {
      question.error = inWords(error);
    }
    question.searching = false;
    this.changed();
  }
}
