// The tree in the file, and the page around it.
import { byId } from '../../shared/dom';
import { GameLine } from '../../shared/gameline';
import type { Color, Pov } from '../../shared/score';
import { OpenTree } from '../../serve/src/state/opentree';
import { Unfolded } from '../../serve/src/state/unfolded';
import type { Reader } from '../../serve/src/view/boardpane';
import { FilePlaces, words, type Data, type FilePlace } from './places';

/** How many plies of the main line are unfolded at first. */
const UNFOLDED = 3;

export class OpenFile extends OpenTree<FilePlace> {
  readonly places: FilePlaces;
  readonly unfolded: Unfolded;

  constructor(readonly data: Data) {
    super(new GameLine(data.start, data.game, words(data.before)));
    this.places = new FilePlaces(data);
    this.unfolded = new Unfolded(this.places);
    this.unfolded.reveal((this.places.place([]).moves[0]?.line ?? []).slice(0, UNFOLDED + 1).map(move => move.uci));
  }

  href(line: readonly string[]): string {
    return `#${line.join(',')}`;
  }

  /** The last opening named along the line. */
  opening(): string {
    const { data, walk } = this;
    if (walk.isBefore()) return '';
    const line = this.line();
    const named = line.map((_, i) => this.moveOf(line.slice(0, i + 1))?.opening).filter(Boolean);
    return named[named.length - 1] ?? data.openings[data.opening ?? -1]?.join(' ') ?? '';
  }
}

export class FilePage implements Reader {
  readonly open = new OpenFile(JSON.parse(byId('tree-data').textContent ?? '') as Data);
  pov: Pov = this.open.data.pov;
  flip = (): void => {};
  orientation = (): Color => 'white';
}
