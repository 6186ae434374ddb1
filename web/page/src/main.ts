import { CoursePlot } from '../../shared/courseplot';
import { byId } from '../../shared/dom';
import { positionOf, sanOf } from '../../shared/rules';
import { speak } from '../../shared/score';
import { theme } from '../../shared/theme';
import { followAddress } from './address';
import { WalkBoard } from './board';
import { readTree } from './data';
import { Direct } from './direct';
import { EvalPlot } from './evalplot';
import { facts } from './header';
import { KnownMoves } from './known';
import { Lines } from './line';
import { Moves } from './moves';
import { TreeView } from './treeview';
import { VerdictPlot } from './verdictplot';
import { View } from './view';
import { Walk } from './walk';

theme();
const tree = readTree();
byId('tree-section').hidden = tree.places.length === 0;
const walk = new Walk(tree);
const view = new View(tree, walk);
const board = new WalkBoard(view);
const moves = new Moves(view);
const known = new KnownMoves(view);
const lines = new Lines(view);
const rows = new TreeView(view);
const direct = new Direct(view);
const evals = new EvalPlot(view);
const course = new CoursePlot(
  { figure: byId('course-figure'), plot: byId('course-plot'), whose: byId('course-whose'), table: byId('course-table') },
  () => ({ root: positionOf(tree.data.root), stages: tree.data.stages, pov: view.pov }),
);
const verdicts = new VerdictPlot(view);
facts(view);

/** The current move, for screen readers. */
function announce(): void {
  const step = walk.last();
  const told = walk.told();
  const best = told ? { san: sanOf(walk.position(), told.uci), alpha: told.alpha } : walk.moves()[0];
  const last = walk.lastMove();
  const plain = last && walk.at !== 0 ? view.number(walk.at - 1) + last.san : 'Start';
  const said = step?.move ? view.speak(step.move, walk.at - 1) : plain;
  const next = best && best.alpha !== null ? `. Best: ${best.san}, ${speak(best.alpha, view.sign(walk.at))}` : '';
  byId('live').textContent = `${said}. ${walk.note()}${next}`;
  const end = walk.at === walk.steps.length && walk.moves().length === 0 && walk.own().length === 0;
  for (const id of ['first', 'back']) switchOff(id, walk.at === -walk.before.length);
  for (const id of ['forward', 'last']) switchOff(id, end);
}

/** Not `disabled`: the focus would be lost with it. */
function switchOff(id: string, off: boolean): void {
  byId(id).setAttribute('aria-disabled', String(off));
}

walk.onChange(() => {
  board.draw();
  moves.draw();
  known.draw();
  lines.draw();
  rows.follow();
  direct.draw();
  evals.draw();
  announce();
});
view.onPov(() => {
  board.draw();
  moves.draw();
  rows.draw();
  course.draw();
  verdicts.draw();
  lines.verdict();
  facts(view);
});

byId('first').addEventListener('click', () => walk.home());
byId('back').addEventListener('click', () => walk.back());
byId('forward').addEventListener('click', () => walk.forward());
byId('last').addEventListener('click', () => walk.end());
byId('to-board').addEventListener('click', () => byId('board').scrollIntoView({ block: 'center' }));
byId('flip').addEventListener('click', () => board.flip());

const pov = byId<HTMLSelectElement>('pov');
pov.value = view.pov;
pov.addEventListener('change', () => view.setPov(pov.value === 'white' ? 'white' : 'mover'));

byId('type').addEventListener('submit', event => {
  event.preventDefault();
  const { line, error } = walk.read(byId<HTMLInputElement>('typed').value);
  byId('typed-error').textContent = error ?? '';
  byId<HTMLInputElement>('typed').setAttribute('aria-invalid', String(error !== undefined));
  if (!error) walk.go(line);
});

document.addEventListener('keydown', event => {
  const target = event.target instanceof Element ? event.target : document.body;
  const typing = target.closest('input, select, textarea, dialog, .wide');
  if (typing || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const keys: Record<string, () => void> = {
    ArrowLeft: () => walk.back(),
    ArrowRight: () => walk.forward(),
    ArrowUp: () => walk.sibling(-1),
    ArrowDown: () => walk.sibling(1),
    Home: () => walk.home(),
    End: () => walk.end(),
    f: () => board.flip(),
  };
  const action = keys[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

followAddress(walk);
announce();
document.documentElement.classList.add('ready');
