// Fields for games of people in a new tree, and the shares that it follows.
import type { KnownGames } from '../../../shared/contract';
import type { NewRoot } from '../state/actions';

/** Values of the form: shares of games in per cent; an empty share follows none. */
export interface GamesChosen {
  known: boolean;
  white: string;
  black: string;
}

/** "club, 1,234 games, White’s moves played in 5%/10". */
export function gamesWords({ words, played: { white, black } }: KnownGames): string {
  const followed = white === black ? (white ? [`what is played in ${white}`] : []) : [white && `White’s moves played in ${white}`, black && `Black’s moves played in ${black}`];
  return [words, ...followed.filter(Boolean)].join(', ');
}

/** As the server was started. */
export const usualGames = (games: KnownGames | null): GamesChosen => ({ known: games !== null, white: games?.played.white ?? '', black: games?.played.black ?? '' });

/** The part of a request that the form sets. */
export function gamesAsked({ known, white, black }: GamesChosen, games: KnownGames | null): Partial<NewRoot> {
  if (!games) return {};
  if (!known) return { games: false };
  const share = (text: string) => text.trim() || null;
  return { games: true, played: { white: share(white), black: share(black) } };
}

const FOLLOWED = 'Follow each move that is played in this share of a position’s games, whatever it is worth: 5%, or 5%/20 for at least 20 games';

export function GamesFields({ games, value, onValue }: { games: KnownGames; value: GamesChosen; onValue: (value: GamesChosen) => void }) {
  const share = (side: 'white' | 'black', label: string) => (
    <label>{label} <input value={value[side]} size={7} placeholder="none" pattern="\s*\d{1,3}\s*%?(\s*/\s*\d+)?\s*" title={FOLLOWED} onInput={event => onValue({ ...value, [side]: event.currentTarget.value })} /></label>
  );
  return (
    <div class="form-row games-fields">
      <label class="choice"><input type="checkbox" checked={value.known} onChange={event => onValue({ ...value, known: event.currentTarget.checked })} /> Know what people play: {games.words}</label>
      {value.known && (
        <>
          {share('white', 'Follow White’s moves played in')}
          {share('black', 'Black’s in')}
        </>
      )}
    </div>
  );
}
