// The lines to the positions of the shown root that engines search; asked for one at a time, and only while they
// are shown. Those of other roots would have the server read their trees.
import { get } from '../api/client';
import type { EngineStates, FoundLine } from '../../../shared/contract';

type Searching = NonNullable<EngineStates['engines'][number]['searching']>;

/** A position that the tree did not have is asked for again so long after. */
const AGAIN = 2000;

const keyOf = ({ id, fen }: Searching): string => `${id} ${fen}`;

export class Searched {
  /** Positions being searched, and a line to each, if one was found. */
  private known = new Map<string, { line: FoundLine | null; at: number }>();
  private asking = false;

  constructor(private readonly changed: () => void) {}

  line(searching: Searching): FoundLine | null {
    return this.known.get(keyOf(searching))?.line ?? null;
  }

  /** Asks for the lines that are not known, and forgets those of searches that are over. */
  async ask(engines: EngineStates, root: number | undefined): Promise<void> {
    const shown = engines.engines.flatMap(({ searching }) => (searching && searching.id === root ? searching : []));
    const keys = new Set(shown.map(keyOf));
    for (const key of this.known.keys()) if (!keys.has(key)) this.known.delete(key);
    const next = shown.find(one => this.isWanted(keyOf(one)));
    if (!next || this.asking || document.hidden) return;
    this.asking = true;
    const line = await find(next);
    this.asking = false;
    this.known.set(keyOf(next), { line, at: Date.now() });
    this.changed();
  }

  private isWanted(key: string): boolean {
    const known = this.known.get(key);
    return !known || (!known.line && Date.now() - known.at > AGAIN);
  }
}

/** The tree may not have it yet, or no more. */
const find = ({ id, fen }: Searching): Promise<FoundLine | null> =>
  get<FoundLine>(`analyses/${id}/line?fen=${encodeURIComponent(fen)}`).catch(() => null);
