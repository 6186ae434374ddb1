// Below the board: the ways along the line, and a move by keys.
import { useRef, useState } from 'preact/hooks';
import { readLine } from '../../../shared/gameline';
import type { App } from '../state/app';
import type { OpenRoot } from '../state/openroot';
import { goEnd, goForward, playHere } from './keys';
import { IconButton } from './parts';

export function BoardTools({ app, open }: { app: App; open: OpenRoot }) {
  const { walk } = open;
  const atStart = walk.at === -walk.before.length;
  const atEnd = walk.at === walk.steps.length && !walk.isBefore() && !open.place()?.best;
  return (
    <div class="board-tools">
      <div class="controls" role="group" aria-label="Walk along the line">
        <IconButton icon="first" label="To the start" title="Start (Home)" off={atStart} onClick={() => walk.home()} />
        <IconButton icon="back" label="Back" title="Back (←, wheel)" off={atStart} onClick={() => walk.back()} />
        <IconButton icon="forward" label="Forward" title="Forward (→, wheel)" off={atEnd} onClick={() => goForward(open)} />
        <IconButton icon="last" label="To the end of the line" title="End of the line (End)" off={atEnd} onClick={() => goEnd(open)} />
        <IconButton icon="flip" label="Turn the board" title="Turn the board (f)" onClick={() => app.flip()} />
      </div>
      <TypeMove app={app} open={open} />
    </div>
  );
}

/** A move, or several, by the keyboard: "Nf3", "g1f3", "Nf3 Nc6 Bb5". */
function TypeMove({ app, open }: { app: App; open: OpenRoot }) {
  const [text, setText] = useState('');
  /** What cannot be played, and where it could not. */
  const [wrong, setWrong] = useState({ words: '', where: '' });
  const field = useRef<HTMLInputElement>(null);
  const where = `${text} ${open.walk.fen()}`;
  const error = wrong.where === where ? wrong.words : '';
  const play = (event: Event) => {
    event.preventDefault();
    const { line, error: words } = readLine(open.walk.position(), text);
    setWrong({ words: words?.replace(/ at the start$/, ' here') ?? '', where });
    if (words || !line.length) return;
    setText('');
    playHere(app, line);
  };
  const leave = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    setText('');
    field.current?.blur();
  };
  return (
    <form class="type-move" onSubmit={play}>
      <input ref={field} id="type-move" value={text} size={9} placeholder="Move" aria-label="Play a move" title="Type a move, then Enter (m comes here)" autocomplete="off" autocapitalize="off" spellcheck={false} aria-invalid={error ? 'true' : undefined} aria-describedby="type-move-error" onInput={event => setText(event.currentTarget.value)} onKeyDown={leave} />
      <span id="type-move-error" role="status" class={error ? 'wrong' : 'sr'}>{error}</span>
    </form>
  );
}
