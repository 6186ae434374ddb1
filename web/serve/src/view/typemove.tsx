// A move by keys.
import { useRef, useState } from 'preact/hooks';
import { readLine } from '../../../shared/gameline';
import type { App } from '../state/app';
import type { OpenRoot } from '../state/openroot';
import { playHere } from './keys';

/** A move, or several, by the keyboard: "Nf3", "g1f3", "Nf3 Nc6 Bb5". */
export function TypeMove({ app, open }: { app: App; open: OpenRoot }) {
  const [text, setText] = useState('');
  /** The error for a text, and the text and position that it is for. */
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
