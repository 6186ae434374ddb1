// Why a move that the tree has not analysed is not the best one.
import type { App } from '../state/app';
import type { OpenRoot } from '../state/openroot';

/** True where the position on the board is behind the root, and the tree ends before it, though the game does not. */
function isBeyond(open: OpenRoot): boolean {
  const place = open.place();
  return Boolean(place && open.line().length && !place.analysed && !place.end && !place.stopped);
}

export function WhyPane({ app, open }: { app: App; open: OpenRoot }) {
  if (!isBeyond(open)) {
    open.questions.leave();
    return null;
  }
  const { told, searching, error } = open.questions.of(open.line());
  const pov = app.pov;
  return (
    <div id="why" class="why" role="status">
      {told && <h3>{told.headline[pov]}</h3>}
      {told && [...told.known, ...told.searched].map(sentence => <p key={sentence.white}>{sentence[pov]}</p>)}
      {(searching || (!told && !error)) && <p class="empty">{told ? 'The engines search the position behind it …' : '…'}</p>}
      {error && <p class="wrong">{error}</p>}
    </div>
  );
}
