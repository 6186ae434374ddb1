// The page of a tree in a file.
import { useState } from 'preact/hooks';
import { button, h } from '../../shared/dom';
import { positionOf } from '../../shared/rules';
import { BoardPane } from '../../serve/src/view/boardpane';
import { CourseFigure } from '../../serve/src/view/coursefigure';
import { Line } from '../../serve/src/view/line';
import { plainly } from '../../serve/src/view/links';
import { MovesTable, whoseScores } from '../../serve/src/view/movestable';
import { AsTable, Plot } from '../../serve/src/view/plot';
import { Announced, endOf, said } from '../../serve/src/view/saying';
import { TreePane, type FileRows } from '../../serve/src/view/treepane';
import type { Row } from '../../serve/src/state/unfolded';
import { Direct } from './direct';
import { drawEvals, evalTable, pointsOf } from './evalplot';
import { Facts } from './facts';
import type { FilePage, OpenFile } from './openfile';
import type { FileMove } from './places';
import { VerdictPlot } from './verdictplot';

export function Page({ page }: { page: FilePage }) {
  const { open, pov } = page;
  const { data, walk } = open;
  const place = open.place();
  return (
    <>
      <div class="left">
        <BoardPane app={page} open={open} play={uci => walk.step(uci)} branches={false} />
        <p id="opening">{open.opening()}</p>
        <Line open={open} game />
        <Where open={open} />
        <Announced pov={pov} open={open} id="live" />
      </div>
      <section class="here" aria-labelledby="here-title">
        <h2 id="here-title">Moves here</h2> <span id="moves-whose" class="whose">{place?.moves.length ? `Scores ${whoseScores(page)}.` : place?.table_moves.length ? 'From the tablebases.' : ''}</span>
        <div class="moves"><MovesTable pov={pov} open={open} computed={data.wdl_computed} people={data.people ? `of ${data.people.side}` : ''} /></div>
        <GoTo open={open} />
        <Direct open={open} />
        <details id="details">
          <summary>Details</summary>
          <Facts page={page} />
          <label class="fen">FEN <input id="fen" readonly value={walk.fen()} /></label>
        </details>
      </section>
      {data.places.length > 0 && (
        <section class="tree" aria-labelledby="tree-title">
          <div class="tree-head"><h2 id="tree-title">Tree</h2> <button type="button" id="to-board" onClick={() => document.getElementById('board')!.scrollIntoView({ block: 'center' })}>To the board</button></div>
          <TreePane pov={pov} open={open} file={rowsOf(open)} />
        </section>
      )}
      <Plots page={page} />
    </>
  );
}

/** Words about the position on the board, and a link to the place where the tree prints its moves. */
function Where({ open }: { open: OpenFile }) {
  const { data, walk } = open;
  const own = open.place()?.analysed ? null : open.ownLine();
  const onwards = own?.length && !walk.isBefore() ? ` The engine\u2019s own search goes on: ${walk.numbered(own, walk.at)}.` : '';
  const printed = walk.isBefore() ? null : open.places.printedElsewhere(open.line());
  const note = walk.at === 0 && data.ending ? `The game is over: ${data.ending}. There is nothing to analyse.` : said(open) + onwards;
  const users = walk.last() ? open.lastMove()?.note : data.note;
  const goal = printed && (walk.numbered(printed) || 'the start');
  return (
    <>
      <p id="note">{note}</p>
      <p id="users-note">{users}</p>
      {printed && <p id="elsewhere">Transposition: these moves are printed under <a class="link" id="to-printed" href={open.href(printed.map(move => move.uci))} onClick={plainly(() => walk.leap(printed.map(move => move.uci)))}>{goal}</a>; the scores are those of that line.</p>}
    </>
  );
}

function GoTo({ open }: { open: OpenFile }) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const go = (event: Event) => {
    event.preventDefault();
    const read = open.walk.read(text);
    setError(read.error);
    if (!read.error) open.walk.go(read.line);
  };
  return (
    <form id="type" onSubmit={go}>
      <label for="typed">Go to a line</label>
      <span class="typed"><input id="typed" value={text} autocomplete="off" autocapitalize="off" spellcheck={false} placeholder="e4 e5 Nf3" aria-invalid={error !== undefined} aria-describedby="typed-error" onInput={event => setText(event.currentTarget.value)} /><button>Go</button></span>
      <span id="typed-error" role="alert">{error}</span>
    </form>
  );
}

/** How many plies of the best continuation stand beside a folded move. */
const PREVIEW = 8;

/** Each position's moves are printed once: other ways lead there. */
function rowsOf(open: OpenFile): FileRows {
  const { walk } = open;
  const jump = ({ printed }: FileMove) => {
    if (!printed) return;
    walk.leap(printed.map(move => move.uci));
    document.getElementById('tree')!.focus({ preventScroll: true });
  };
  const remarks = (row: Row, isOpen: boolean | undefined): Node[] => {
    const move = row.move as FileMove;
    const end = endOf(move);
    if (move.printed) {
      const where = walk.numbered(move.printed) || 'the start';
      return [button(`${end || 'transposition'} \u2192 ${where}`, () => jump(move), { class: 'link jump', tabindex: -1, title: `Go to ${where}` })];
    }
    return [
      ...(end ? [h('span', { class: 'note' }, end)] : []),
      ...(move.opening ? [h('span', { class: 'opening' }, move.opening)] : []),
      ...(isOpen === false ? [h('span', { class: 'preview', 'aria-hidden': 'true' }, walk.numbered(move.line.slice(1, Math.min(PREVIEW + 1, move.in_tree)), row.line.length))] : []),
    ];
  };
  return { remarks, entered: row => jump(row.move as FileMove) };
}

function Plots({ page }: { page: FilePage }) {
  const { open, pov } = page;
  const { data } = open;
  const points = pointsOf(open);
  const verdicts = new VerdictPlot(page);
  return (
    <section class="plots">
      <CourseFigure pov={pov} root={positionOf(data.root)} stages={data.stages} of={data} />
      {points.length > 0 && (
        <figure id="eval-figure">
          <figcaption><h2>Scores along the line</h2> <span class="whose">Scores for White.</span> <span class="key"><i class="alpha" />score <i class="eval" />engine</span></figcaption>
          <Plot id="eval-plot" of={[open.walk.steps, open.walk.at]} draw={box => drawEvals(box, open, points)} />
          <AsTable id="eval-table" {...evalTable(open, points)} />
        </figure>
      )}
      <figure id="verdict-figure">
        <figcaption><h2>Verdict by complete depth</h2> <span class="whose">{verdicts.whose()}</span></figcaption>
        {data.verdicts.length === 0 ? <p>No depth is complete yet.</p> : (
          <>
            <Plot id="verdict-plot" of={[pov]} draw={box => verdicts.draw(box)} />
            <AsTable id="verdict-table" {...verdicts.table()} />
          </>
        )}
      </figure>
    </section>
  );
}
