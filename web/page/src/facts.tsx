// The facts of an analysis: root, engine, settings and results.
import { INITIAL, positionOf } from '../../shared/rules';
import { format, sign } from '../../shared/score';
import { counted } from '../../shared/words';
import { MoveLink } from '../../serve/src/view/links';
import { OWN } from '../../serve/src/view/pv';
import type { FilePage } from './openfile';

const settledOf = ({ open: { data } }: FilePage): string => (data.settled === null ? 'none' : String(data.settled));

/** For whom the root's scores are shown. */
const whoseOf = ({ open: { data }, pov }: FilePage): string => (pov === 'white' || positionOf(data.root).turn === 'white' ? 'White' : 'Black');

/** The score of the start and its best line: the closing search's if there is one, else the tree's. */
export function Verdict({ page }: { page: FilePage }) {
  const { open, pov } = page;
  const { data, walk } = open;
  const { moves: [first], best } = open.places.place([]);
  if (!best || !first) return null;
  const line = data.told ? best.line : first.line;
  const inTree = data.told ? line.length : first.in_tree;
  const value = data.told?.score ?? open.data.places[0]![0]![5]!;
  const turn = walk.sign(pov, 0);
  const link = (i: number) => (
    <MoveLink key={i} open={open} line={line.slice(0, i + 1).map(move => move.uci)} class={i < inTree ? '' : 'own'} title={i < inTree ? undefined : OWN}>{walk.number(i, i === 0) + line[i]!.san}</MoveLink>
  );
  const links = line.map((_, i) => link(i));
  return (
    <section id="verdict" aria-label="Verdict">
      <p><span id="score" class={value * turn < 0 ? 'minus' : ''}>{format(value, turn)}</span> <span class="whose">for {whoseOf(page)} · depth {settledOf(page)} of {data.target} · {data.engine}</span></p>
      <div id="main-line" class="moves-line" role="group" aria-label="Best line">{links.slice(0, inTree)}{!data.told && first.line_end && <span class="whose">({first.line_end})</span>}{links.slice(inTree)}</div>
      {data.told && <p id="told-whose" class="whose">{data.told.whose[pov === 'white' ? 0 : 1]}</p>}
    </section>
  );
}

export function Facts({ page }: { page: FilePage }) {
  const { data } = page.open;
  const root = positionOf(data.root).turn;
  const side = page.pov === 'white' ? 0 : 1;
  const worth = data.told?.score ?? data.value;
  const byTables = data.known && `${root === 'white' ? 'White' : 'Black'} to move: ${data.known}`;
  const list: [string, string | null | undefined][] = [
    [data.line ? 'Value of the root' : 'Value', worth === null ? byTables || 'not known yet' : `${format(worth, sign(root, page.pov))} for ${whoseOf(page)}`],
    ['Depth', `${settledOf(page)} of ${data.target} complete`],
    ['Distance', data.distance],
    ['Tree', [counted(data.positions, 'position'), counted(data.searches, 'search', 'searches'), counted(data.passes, 'pass', 'passes')].join(', ')],
    ['Engine', data.engine],
    ['Chance', data.stays],
    ['A draw', data.drawn?.[side]],
    ['Holds', data.holds?.[side]],
    ['Closing search', data.closing?.[side]],
    ['Against people', data.people && [data.people.advice, data.people.words].filter(Boolean).join('; ')],
    ['Games', data.games],
    ['Directed', data.directed],
    ['Root', data.root !== INITIAL && !document.title.includes(data.root) ? data.root : null],
    ['Shown below', data.line],
  ];
  return <dl id="facts">{list.map(([name, text]) => text && <div key={name} class={`fact-${name.toLowerCase().split(' ')[0]}`}><dt>{name}</dt><dd>{text}</dd></div>)}</dl>;
}
