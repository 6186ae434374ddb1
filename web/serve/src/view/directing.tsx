// Directives for a move and for the position after it, where they make sense.
import type { GivenValue, Said } from '../../../shared/contract';
import { direct } from '../state/actions';
import type { App } from '../state/app';
import type { OpenRoot } from '../state/openroot';
import type { ShownMove } from '../state/opentree';
import type { Item } from './menu';

/** `line` leads to the position; `move` is its last one, as the tree has it. */
export function directItems(app: App, open: OpenRoot, line: string[], move: ShownMove | undefined): (Item | null)[] {
  const say = (action: Said['action']) => () => void direct(app, line, action);
  const ofMove = line.length > 0;
  const ended = move?.end === 'checkmate' || move?.end === 'stalemate' || move?.end === 'insufficient material' || move?.end === 'tables';
  const note = move ? move.note : line.length === 0 ? (open.places.place([])?.note ?? null) : null;
  const directed = move ? move.included || move.excluded || move.value !== null || move.stopped || move.note !== null : note !== null;
  return [
    ofMove && !move?.included && !move?.excluded ? { label: 'Follow this move', action: say('include') } : null,
    ofMove && !move?.excluded && !move?.included ? { label: 'Exclude this move', action: say('exclude') } : null,
    ofMove && !ended && !move?.stopped ? { label: 'Give it a value …', action: () => app.set({ dialog: { kind: 'value', line, value: (move?.value ?? null) as GivenValue | null } }) } : null,
    ofMove && !ended && !move?.stopped && (move?.value ?? null) === null ? { label: 'Stop here', action: say('stop') } : null,
    { label: note ? 'Change the note …' : 'Write a note …', action: () => app.set({ dialog: { kind: 'note', line, text: note ?? '' } }) },
    directed || (ofMove && !move) ? { label: 'Take back what was said here', action: say('undo') } : null,
  ];
}
