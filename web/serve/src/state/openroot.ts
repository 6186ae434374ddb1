// The root on the board: its line, and what of it is shown and asked for.
import { ApiError, get } from '../api/client';
import type { Audit, Course, Directives, Place, Root, Trust } from '../../../shared/contract';
import { hashOf } from './address';
import type { App } from './app';
import { OpenTree } from './opentree';
import { Places, type Kept } from './places';
import { RootWalk } from './rootwalk';
import { keyOf, Unfolded } from './unfolded';

/** A thing that is asked for again when it is old and shown. */
interface Asked<T> {
  value: T | null;
  old: boolean;
  asking: boolean;
  error: string | null;
  /** When it was asked last. */
  at: number;
  /** Until it may be asked again. */
  timer: ReturnType<typeof setTimeout> | undefined;
}
const asked = <T>(): Asked<T> => ({ value: null, old: true, asking: false, error: null, at: 0, timer: undefined });

/** Between two requests for the same thing, in milliseconds. */
const REST = 1500;

export class OpenRoot extends OpenTree<Place> {
  readonly id: number;
  readonly places: Places;
  readonly unfolded: Unfolded;
  readonly course = asked<Course>();
  readonly directives = asked<Directives>();
  readonly audit = asked<Audit>();
  readonly trust = asked<Trust>();
  auditSide: 'white' | 'black';
  private revision: number | null = null;
  private rechecks = false;

  constructor(private readonly app: App, root: Root, line: string[]) {
    super(new RootWalk(root));
    this.id = root.id;
    this.places = new Places(root.id, () => this.arrived());
    this.unfolded = new Unfolded(this.places);
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
    this.audit.old = true;
    this.trust.old = true;
    if (revision !== this.revision) this.directives.old = true;
    this.revision = revision;
    this.ask();
  }

  rootChanged(part: Partial<Root>): void {
    // What a recheck has come to comes without a change of the tree.
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
    if (tab === 'course' || tab === 'log') void this.load(this.course, `${base}/course`);
    if (tab === 'course') void this.load(this.trust, `${base}/trust`);
    void this.load(this.directives, `${base}/directives`);
    if (tab === 'audit') void this.load(this.audit, `${base}/audit?side=${this.auditSide}`);
    this.places.ask();
  }

  private async load<T>(one: Asked<T>, path: string): Promise<void> {
    if (!one.old || one.asking || document.hidden) return;
    clearTimeout(one.timer);
    const early = one.at + REST - Date.now();
    if (early > 0) {
      one.timer = setTimeout(() => this.app.open === this && this.ask(), early);
      return;
    }
    one.asking = true;
    one.at = Date.now();
    one.old = false;
    try {
      one.value = await get<T>(path);
      one.error = null;
    } catch (error) {
      one.error = error instanceof ApiError ? error.message : String(error);
    }
    one.asking = false;
    this.app.changed();
    // What came while it was asked.
    if (one.old && this.app.open === this) this.ask();
  }

  private arrived(): void {
    this.unfolded.layOut();
    this.app.changed();
  }
}
