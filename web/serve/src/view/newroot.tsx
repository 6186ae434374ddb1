// A new root: from moves, a FEN, games, or a board that is set up.
import { useState } from 'preact/hooks';
import { INITIAL } from '../../../shared/rules';
import { format } from '../../../shared/score';
import type { Server } from '../../../shared/contract';
import { limitWords } from '../api/words';
import { add as addRoot, addGame, type NewRoot } from '../state/actions';
import type { App } from '../state/app';
import { pawns, readWidths } from '../state/widths';
import { DrawField, Modal, NumberField, Refused, centipawns } from './parts';
import { FromMoves } from './frommoves';
import { GamesFields, gamesAsked, usualGames } from './knowngames';
import { SetUp } from './setup';
import { UntilFields, untilAsked, untilOf } from './until';
import { WHOLE, WholeGameFields, partOf, type WholeChosen } from './wholegame';

type Way = 'paste' | 'board';
const WAYS: [Way, string][] = [['paste', 'Moves, FEN, games'], ['board', 'Set up a board']];

/** The chosen root; `words` say what is missing. */
export interface Chosen {
  root: NewRoot | null;
  words: string;
  /** Of a game: the position in which it began. */
  start?: string;
}

/** As the server was started; both sides' where they differ. */
const usualDistance = (server: Server | null): string =>
  !server ? '' : server.distance_white === server.distance_black ? pawns(server.distance) : '';

const scheduleWords = (server: Server | null): string => {
  const first = server ? limitWords(server.limit) : 'the usual limit';
  return !server || server.stages ? `Deeper and deeper: ${first}, then more` : `As the server was started: ${first}`;
};

export function NewRootDialog({ app, dropped }: { app: App; dropped: File | null }) {
  const [way, setWay] = useState<Way>('paste');
  const [chosen, setChosen] = useState<Chosen>({ root: {}, words: '' });
  // The text and the position set up stay while the other way is looked at.
  const [text, setText] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [fen, setFen] = useState(INITIAL);
  const [name, setName] = useState('');
  const { server } = app;
  const [schedule, setSchedule] = useState('default');
  const [engineDepth, setEngineDepth] = useState(18);
  const [depth, setDepth] = useState(server?.depth ?? 10);
  const usual = usualDistance(server);
  const [distance, setDistance] = useState(usual);
  const [white, setWhite] = useState('');
  const [black, setBlack] = useState('');
  const [least, setLeast] = useState(1);
  const [worth, setWorth] = useState(format(server?.draw_value ?? 0));
  const [whole, setWhole] = useState<WholeChosen>(WHOLE);
  const [people, setPeople] = useState(usualGames(server?.games ?? null));
  const [until, setUntil] = useState(untilOf(undefined));
  const isGame = chosen.root?.pgn !== undefined;
  const isWhole = isGame && whole.is;
  const [busy, setBusy] = useState(false);
  /** How likely the best move is to stay is known of trees in stages. */
  const inStages = !isWhole && schedule === 'default' && !!server?.stages;
  const close = () => app.set({ dialog: null });
  const start = async (event: Event) => {
    event.preventDefault();
    const asked = untilAsked({ ...until, stable: until.stable && inStages });
    if (!chosen.root || !asked || busy) return;
    const widths = [distance === usual ? '' : distance, white, black].map(readWidths);
    const wrong = widths.find(one => 'wrong' in one);
    if (wrong && 'wrong' in wrong) {
      app.refuse(wrong.wrong);
      return;
    }
    const [both, ofWhite, ofBlack] = widths.map(one => ('centipawns' in one ? one.centipawns : ''));
    const more: NewRoot = { ...gamesAsked(people, server?.games ?? null), start: true, depth: isWhole ? whole.depth : depth };
    if (asked.pause_at !== null) more.pause_at = asked.pause_at!;
    if (asked.until_stable !== null) more.until_stable = asked.until_stable!;
    if (both) more.distance = both;
    if (ofWhite) more.distance_white = ofWhite;
    if (ofBlack) more.distance_black = ofBlack;
    if (least > 1) more.root_moves = least;
    const draw = centipawns(worth);
    if (draw !== null && draw !== server?.draw_value) more.draw_value = draw;
    if (name.trim() && !isWhole) more.name = name.trim();
    if (schedule === 'one') more.engine_depth = engineDepth;
    setBusy(true);
    const add = isWhole ? addGame(app, { pgn: chosen.root.pgn!, ...partOf(whole, chosen.start ?? INITIAL), each: more }) : addRoot(app, { ...chosen.root, ...more });
    if (await add) close();
    else setBusy(false);
  };
  const turnTo = (next: Way) => {
    setWay(next);
    setChosen({ root: next === 'paste' ? {} : null, words: '' });
  };
  return (
    <Modal title="New analysis" onClose={close} wide>
      <form class="form new-root" onSubmit={event => void start(event)} onInput={() => app.refusal !== null && app.refuse(null)}>
        <div class="segments" role="group" aria-label="From">
          {WAYS.map(([one, label]) => <button type="button" key={one} aria-pressed={way === one} onClick={() => turnTo(one)}>{label}</button>)}
        </div>
        {way === 'paste' && <FromMoves choose={setChosen} dropped={dropped} text={text} setText={setText} file={file} setFile={setFile} />}
        {way === 'board' && <SetUp choose={setChosen} fen={fen} setFen={setFen} />}
        <p class="form-words" role="status">{chosen.words}</p>
        {isGame && <WholeGameFields value={whole} onValue={setWhole} />}
        <div class="form-row">
          {!isWhole && <label class="grow">Name <input value={name} maxLength={200} placeholder="as the position is called" onInput={event => setName(event.currentTarget.value)} /></label>}
          {isWhole ? <NumberField label="Tree depth of each" max={200} value={whole.depth} onValue={depth => setWhole({ ...whole, depth })} /> : <NumberField label="Tree depth" max={200} value={depth} onValue={setDepth} />}
          <label>Moves within (pawns) <input value={distance} size={8} placeholder="as started" title="How much worse than the best a move may be to be followed, in pawns: 0.20, or by ply 0.30,0.20,0.10" onInput={event => setDistance(event.currentTarget.value)} /></label>
          <DrawField value={worth} onValue={setWorth} />
        </div>
        <div class="form-row">
          <label class="choice"><input type="radio" name="schedule" checked={schedule === 'default'} onChange={() => setSchedule('default')} /> {isWhole ? `As the server was started: ${server ? limitWords(server.limit) : ''}` : scheduleWords(server)}</label>
          <label class="choice"><input type="radio" name="schedule" checked={schedule === 'one'} onChange={() => setSchedule('one')} /> One engine depth</label>
          {schedule === 'one' && <NumberField label="Engine depth" max={100} value={engineDepth} onValue={setEngineDepth} />}
        </div>
        {server?.games && <GamesFields games={server.games} value={people} onValue={setPeople} />}
        <UntilFields value={until} stages={inStages} onValue={setUntil} />
        <details class="more">
          <summary>Sides and first moves</summary>
          <div class="form-row">
            <label>White’s within (pawns) <input value={white} size={8} placeholder="as above" title="White’s moves alone: a repertoire follows few own moves and many replies" onInput={event => setWhite(event.currentTarget.value)} /></label>
            <label>Black’s within (pawns) <input value={black} size={8} placeholder="as above" title="Black’s moves alone" onInput={event => setBlack(event.currentTarget.value)} /></label>
            <NumberField label="First moves, at least" max={218} value={least} onValue={setLeast} />
          </div>
        </details>
        <Refused app={app} />
        <p class="form-end">
          <button type="button" onClick={close}>Cancel</button>
          <button type="submit" class="primary" aria-disabled={chosen.root && !busy ? undefined : 'true'}>{isWhole ? (busy ? 'The positions are being added …' : 'Analyse the game') : 'Analyse'}</button>
        </p>
      </form>
    </Modal>
  );
}
