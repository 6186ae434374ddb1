// What was analysed, how, and what came of it.
import type { View } from './view';
import { byId, h } from '../../shared/dom';
import { format, sign } from '../../shared/score';
import { INITIAL, positionOf } from '../../shared/rules';
import { counted } from '../../shared/words';

export function facts(view: View): void {
  const { data } = view.tree;
  const root = positionOf(data.root).turn;
  const whose = view.pov === 'white' || root === 'white' ? 'White' : 'Black';
  const byTables = data.known && `${root === 'white' ? 'White' : 'Black'} to move: ${data.known}`;
  const worth = data.told?.score ?? data.value;
  const value = worth === null ? byTables || 'not known yet' : `${format(worth, sign(root, view.pov))} for ${whose}`;
  const settled = data.settled === null ? 'none' : String(data.settled);
  byId('depth').textContent = `for ${view.pov === 'white' ? 'White' : whose} \u00b7 depth ${settled} of ${data.target} \u00b7 ${data.engine}`;
  const list: [string, string][] = [
    [data.line ? 'Value of the root' : 'Value', value],
    ['Depth', `${settled} of ${data.target} complete`],
    ['Distance', data.distance],
    ['Tree', [counted(data.positions, 'position'), counted(data.searches, 'search', 'searches'), counted(data.passes, 'pass', 'passes')].join(', ')],
    ['Engine', data.engine],
  ];
  const side = view.pov === 'white' ? 0 : 1;
  if (data.stays) list.push(['Chance', data.stays]);
  if (data.drawn) list.push(['A draw', data.drawn[side]]);
  if (data.holds) list.push(['Holds', data.holds[side]]);
  if (data.closing) list.push(['Closing search', data.closing[side]]);
  if (data.people) list.push(['Against people', [data.people.advice, data.people.words].filter(Boolean).join('; ')]);
  if (data.games !== null) list.push(['Games', data.games]);
  if (data.directed) list.push(['Directed', data.directed]);
  if (data.root !== INITIAL && !document.title.includes(data.root)) list.push(['Root', data.root]);
  if (data.line) list.push(['Shown below', data.line]);
  byId('facts').replaceChildren(...list.map(([name, text]) => h('div', { class: `fact-${name.toLowerCase().split(' ')[0]!}` }, h('dt', {}, name), h('dd', {}, text))));
}
