// The moves of the position on the board, with what can be said of them.
import { direct } from '../state/actions';
import type { App } from '../state/app';
import type { OpenRoot } from '../state/openroot';
import { directItems } from './directing';
import { countedBy, MovesTable, type Guide } from './movestable';

export function MovesPane({ app, open }: { app: App; open: OpenRoot }) {
  const counted = countedBy(open.place());
  const side = open.places.peopleFor();
  const guide: Guide = { items: (line, move) => directItems(app, open, line, move), undo: line => void direct(app, line, 'undo') };
  return (
    <section class="moves" aria-label="Moves">
      {counted && <PeopleChoice app={app} open={open} />}
      <MovesTable pov={app.pov} open={open} computed={app.root()?.computes_wdl ?? false} people={counted && side ? `of ${side === 'white' ? 'White' : 'Black'}` : ''} guide={guide} />
    </section>
  );
}

/** For whom points against people are shown. */
function PeopleChoice({ app, open }: { app: App; open: OpenRoot }) {
  const choose = (side: string) => {
    open.places.askPeople(side === 'white' || side === 'black' ? side : '');
    app.changed();
  };
  return (
    <label class="whose people">Points in 100 expected for <select id="people" value={open.places.peopleFor()} onChange={event => choose(event.currentTarget.value)}><option value="">neither side</option><option value="white">White</option><option value="black">Black</option></select></label>
  );
}
