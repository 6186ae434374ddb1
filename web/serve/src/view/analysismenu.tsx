// All that can be done with an analysis: the same beside its title and on its card.
import type { Root } from '../../../shared/contract';
import { add, archive, change, moveBy } from '../state/actions';
import type { App } from '../state/app';
import type { Item } from './menu';

const FORMATS: [string, string][] = [
  ['text', 'Text'],
  ['pgn', 'PGN for Lichess, ChessBase, SCID'],
  ['html', 'Web page to keep or send'],
  ['json', 'JSON'],
  ['csv', 'CSV for spreadsheets'],
  ['epd', 'EPD positions'],
  ['svg', 'Picture (SVG)'],
  ['dot', 'Graph (DOT)'],
  ['polyglot', 'Polyglot book'],
  ['anki', 'Flash cards for Anki'],
  ['study', 'Lichess study'],
  ['conditional', 'Conditional moves'],
];

const exports = (root: Root): Item[] =>
  FORMATS.map(([format, label]) => ({ label, href: `/api/analyses/${root.id}/export?format=${format}` }));

export function analysisItems(app: App, root: Root): (Item | null)[] {
  const order = app.listed();
  const at = order.findIndex(one => one.id === root.id);
  const line = app.open?.id === root.id ? app.open.line() : [];
  const isOurs = root.own_engine && root.own_games;
  return [
    { label: 'Name, depth, share, until when \u2026', action: () => app.set({ dialog: { kind: 'settings', id: root.id } }) },
    { label: 'Export', items: () => exports(root) },
    line.length ? { label: `Analyse the position on the board${root.games ? ', without games' : ''}`, action: () => void add(app, gameOf(root, line)) } : null,
    isOurs ? { label: 'What a draw is worth \u2026', action: () => app.set({ dialog: { kind: 'draw', id: root.id } }) } : null,
    isOurs && root.positions > 0 ? { label: 'Closing search now \u2026', action: () => app.set({ dialog: { kind: 'closing', id: root.id } }) } : null,
    root.positions > 0 ? { label: root.own_engine ? 'Recheck with a deeper search \u2026' : 'Recheck with this engine \u2026', action: () => app.set({ dialog: { kind: 'recheck', id: root.id } }) } : null,
    { label: 'Include a repertoire (PGN) \u2026', action: () => app.set({ dialog: { kind: 'repertoire', id: root.id } }) },
    { label: 'Review games beside it (PGN) \u2026', action: () => app.set({ dialog: { kind: 'review', id: root.id } }) },
    at > 0 ? { label: 'Move up (Alt+\u2191)', action: () => moveBy(app, root.id, -1) } : null,
    at >= 0 && at < order.length - 1 ? { label: 'Move down (Alt+\u2193)', action: () => moveBy(app, root.id, 1) } : null,
    root.run.weight < 100 ? { label: 'Twice the share', action: () => void change(app, root.id, { weight: Math.min(100, root.run.weight * 2) }) } : null,
    root.run.weight > 1 ? { label: 'Half the share', action: () => void change(app, root.id, { weight: Math.max(1, Math.floor(root.run.weight / 2)) }) } : null,
    { label: root.archived ? 'Take out of the archive' : 'Put into the archive', action: () => void archive(app, root, !root.archived) },
    { label: 'Delete \u2026', bad: true, action: () => app.set({ dialog: { kind: 'delete', id: root.id } }) },
  ];
}

const gameOf = (root: Root, line: string[]) => ({ fen: root.start ?? (root.history.length ? 'startpos' : root.root), moves: [...root.history, ...line].join(' ') });
