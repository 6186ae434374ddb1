// The tree beside the board: what is unfolded follows the walk, and the walk the rows that are chosen.
import { byId } from '../../shared/dom';
import { TreeBox, type TreeModel } from '../../shared/treebox';
import type { Move } from './data';
import { row, rowId } from './row';
import { Rows } from './rows';
import type { View } from './view';

/** How many plies of the main line are unfolded at first. */
const UNFOLDED = 3;

export class TreeView {
  private readonly rows: Rows;
  private readonly box: TreeBox<Move>;
  /** While the tree itself moves the walk. */
  private leading = false;

  constructor(private readonly view: View) {
    this.rows = new Rows(view.tree);
    for (const move of view.tree.bestLine(0, UNFOLDED)) this.rows.toggle(move, true);
    this.box = new TreeBox(byId('tree'), this.model());
    byId('open-all').addEventListener('click', () => this.box.change(() => this.rows.openAll()));
    byId('close-all').addEventListener('click', () => this.box.change(() => this.rows.closeAll()));
    this.follow();
  }

  /** Shows where the walk is: the move that leads to the place under which the moves are printed. */
  follow(): void {
    if (this.leading) return;
    const { walk, tree } = this.view;
    const place = walk.place();
    const selected = place < 0 ? this.lastInTree() : (tree.places[place]?.parent ?? null);
    if (selected) this.rows.reveal(selected);
    this.box.mark(selected);
  }

  draw(): void {
    this.box.draw();
  }

  private model(): TreeModel<Move> {
    const { rows, view } = this;
    return {
      visible: () => rows.visible,
      indexOf: move => rows.indexOf(move),
      canOpen: move => rows.canOpen(move),
      isOpen: move => rows.isOpen(move),
      toggle: (move, open) => rows.toggle(move, open),
      parent: move => rows.parent(move),
      firstChild: move => view.tree.child(move)?.moves[0],
      siblings: move => view.tree.places[move?.place ?? 0]?.moves ?? [],
      id: rowId,
      element: (move, open, selected) => row(view, move, open, selected, line => this.jump(line)),
      chosen: move => this.lead(move),
      // The link of a transposition or repetition.
      entered: move => move.target >= 0 && this.jump(view.tree.lineTo(move.target)),
    };
  }

  private lastInTree(): Move | null {
    const { walk } = this.view;
    const inTree = walk.played().filter(step => step.move);
    return inTree[inTree.length - 1]?.move ?? null;
  }

  /** Goes to where the moves of a transposition are printed. */
  private jump(line: Move[]): void {
    this.view.walk.leap(line.map(move => move.uci));
    this.box.focus();
  }

  private lead(move: Move): void {
    const line = this.view.tree.lineTo(move.place);
    // To follow a transposition to its printed line would leave the row that was meant.
    this.leading = true;
    this.view.walk.go([...line, move].map(m => m.uci));
    this.leading = false;
  }
}
