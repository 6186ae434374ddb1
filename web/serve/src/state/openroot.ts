// The root on the board: its line, and what of it is shown and asked for.
import { GameLine } from '../../../shared/gameline';
import { INITIAL } from '../../../shared/rules';
import { get } from '../api/client';
import type { Audit, Course, Directives, Place, Root, Trust } from '../../../shared/contract';
import { hashOf } from './address';
import type { App } from './app';
import { Asked } from './asked';
import { OpenTree } from './opentree';
import { Places, type Kept } from './places';
import { Questions } from './questions';
import { keyOf, Unfolded } from './unfolded';

/** Between two requests for the same thing, in milliseconds. */
const REST = 1500;

export class OpenRoot extends OpenTree<Place> {
  readonly id: number;
  readonly places: Places;
  readonly unfolded: Unfolded;
  readonly questions: Questions;
  readonly course = this.asked<Course>();
  readonly directives = this.asked<Directives>();
  readonly audit = this.asked<Audit>();
  readonly trust = this.asked<Trust>();
  auditSide: 'white' | 'black';
  private revision: number | null = null;
  private rechecks = false;

  constructor(private readonly app: App, root: Root, line: string[]) {
    super(new GameLine(root.root, root.start ?? (root.history.length ? INITIAL : root.root), root.history));
    this.id = root.id;
    this.places = new Places(root.id, () => this.arrived());
    this.unfolded = new Unfolded(this.places);
    this.questions = new Questions(root.id, () => app.changed());
    this.auditSide = this.walk.position(0).turn;
    this.walk.go(this.legal(line));
    this.walk.onChange(() => {
      this.places.ask();
      app.changed();
    });
    this.places.showing(() => [keyOf(this.line()), ...(app.tab === 'tree' ? this.unfolded.shown() : []), '']);
    this.ask();
  }

  href(line: readonly string[]): string {
    return hashOf(this.id, line);
  }

  kept(): Kept | undefined {
    return this.walk.isBefore() ? undefined : this.places.get(this.line());
  }

  override error(): string | null {
    return this.kept()?.error ?? null;
  }

  outdate(): void {
    for (const one of [this.course, this.directives, this.audit, this.trust]) one.old = true;
    this.places.outdate();
    this.ask();
  }

  /** The tree of this root has changed. */
  treeChanged(revision: number): void {
    this.places.outdate();
    this.questions.outdate();
    this.audit.old = true;
    this.trust.old = true;
    if (revision !== this.revision) this.directives.old = true;
    this.revision = revision;
    this.ask();
  }

  rootChanged(part: Partial<Root>): void {
    // The result of a recheck comes without a change of the tree.
    if (part.run) {
      if (this.rechecks || part.run.rechecking) this.trust.old = true;
      this.rechecks = part.run.rechecking !== null;
    }
    if ('value' in part || 'best' in part || 'depth' in part || 'stages' in part) this.course.old = true;
    if ('directives' in part || 'pending' in part) this.directives.old = true;
    this.ask();
  }

  /** Asks for what is old, as far as it is shown. */
  ask(): void {
    const base = `analyses/${this.id}`;
    const { tab } = this.app;
    if (tab === 'course' || tab === 'log') void this.course.ask(() => get(`${base}/course`));
    if (tab === 'course') void this.trust.ask(() => get(`${base}/trust`));
    void this.directives.ask(() => get(`${base}/directives`));
    if (tab === 'audit') void this.audit.ask(() => get(`${base}/audit?side=${this.auditSide}`));
    this.places.ask();
  }

  private asked<T>(): Asked<T> {
    return new Asked(() => this.app.open === this, () => this.app.changed(), taken => Math.max(0, REST - taken));
  }

  private arrived(): void {
    this.unfolded.layOut();
    this.app.changed();
  }
}
