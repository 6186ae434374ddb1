// Descriptions of a position and its moves, for the eye and for screen readers.
import { useMemo } from 'preact/hooks';
import { speak, type Pov } from '../../../shared/score';
import { valueOf, worthWords } from '../api/words';
import type { OpenTree, ShownMove } from '../state/opentree';
import { overWords } from './verdict';

/** The directives of a move, in a few words; `included` is the word for one that is followed. */
export function marksOf(move: ShownMove, included = 'followed'): string[] {
  const marks: string[] = [];
  if (move.excluded) marks.push('excluded');
  if (move.included) marks.push(move.alpha === null && !move.stopped ? `${included}, not analysed yet` : included);
  if (move.stopped) marks.push('stopped here');
  return marks;
}

/** Why nothing follows a move, or ''. */
export function endOf(move: ShownMove): string {
  if (move.end && move.end !== 'value') return move.known ?? move.end;
  return move.repetition ? 'repetition' : move.cut ? 'cut off here' : '';
}

export function said(open: OpenTree): string {
  const { walk } = open;
  if (walk.isBefore()) return 'In the game, before the analysed position.';
  const error = open.error();
  if (error) return error;
  const place = open.place();
  if (!place) return '';
  if (place.known) return `The tablebases know the result: ${place.known}. Nothing is searched here.`;
  const move = open.lastMove();
  if (place.end === 'repetition' || move?.repetition) return 'Repetition: the position was there before. It counts as a draw.';
  const over = overWords(open);
  if (over) return `${over}.`;
  if (move?.cut) return 'Analysed, but cut off this page.';
  const value = move?.value ?? place.value;
  if (value !== null) return `You say what this position is worth: ${worthWords(value)}. Nothing is searched behind it.`;
  if (move?.stopped || place.stopped) return 'You have stopped the tree here.';
  if (move?.excluded) return 'You have excluded this move: it does not count.';
  if (walk.at > 0 && !move && open.ownLine()) return 'The tree has ended: this is the engine\u2019s own line.';
  if (walk.at > 0 && !move && open.places.place(open.line().slice(0, -1))) return `${walk.last()!.san} is not in the tree here. ${place.analysed ? 'The position is, by another line.' : 'This position was not analysed.'}`;
  if (move?.included && !move.alpha) return 'You follow this move; it is not analysed yet.';
  if (!place.analysed && walk.at > 0) return 'The tree ends here.';
  return place.analysed || place.table_moves.length ? '' : 'Not analysed yet.';
}

/** For screen readers: where the board is, when it has moved; what changes while it stands there is not read out. */
export function Announced({ pov, open, id }: { pov: Pov; open: OpenTree; id: string }) {
  const words = useMemo(() => announcement(pov, open), [open, open.line().join(' '), open.walk.at, open.place() !== undefined]);
  return <p class="sr" id={id} role="status">{words}</p>;
}

function announcement(pov: Pov, open: OpenTree): string {
  const { walk } = open;
  const last = walk.lastMove();
  const move = open.lastMove();
  const name = last && walk.at !== 0 ? walk.number(walk.at - 1) + last.san : 'Start';
  const scores = (['alpha', 'idea', 'eval'] as const).flatMap((kind, i) => (move?.[kind] ? `${['score', 'tree', 'engine'][i]} ${speak(valueOf(move[kind]), walk.sign(pov, walk.at - 1))}` : []));
  const more = move ? [move.candidate ? 'candidate' : '', ...marksOf(move), move.trap, move.note && `note: ${move.note}`].filter(Boolean) : [];
  const best = open.place()?.best;
  const next = best ? ` Best: ${best.san}, ${speak(valueOf(best.score), walk.sign(pov))}.` : '';
  return `${[name, ...scores, ...more].join(', ')}. ${said(open)}${next}`;
}
