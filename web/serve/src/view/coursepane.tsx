// How the verdict went over time, and what changed it.
import { format } from '../../../shared/score';
import type { Course, PageStage, Root } from '../../../shared/contract';
import { limitWords, valueOf } from '../api/words';
import type { App } from '../state/app';
import type { OpenRoot } from '../state/openroot';
import { turnOf } from './card';
import { CourseFigure } from './coursefigure';
import { ChangeWords } from './headline';

export function CoursePane({ app, open }: { app: App; open: OpenRoot }) {
  const course = open.course.value;
  const turn = open.walk.sign(app.pov, 0);
  if (!course) return <p class="empty">{open.course.error ?? 'The course of the verdict is on its way.'}</p>;
  return (
    <div class="course-pane">
      <CourseFigure key={open.id} root={open.walk.position(0)} pov={app.pov} stages={stagesOf(course)} of={course} />
      <Stages app={app} root={app.root(open.id)} />
      <Trusted app={app} open={open} />
      <h3 id="changes-title">What changed the verdict</h3>
      {course.changes.length === 0 && <p class="empty">The verdict has not changed yet.</p>}
      <ol class="changes-list" aria-labelledby="changes-title">
        {course.changes.map(change => <li key={change.at}><ChangeWords change={change} turn={turn} /></li>)}
      </ol>
    </div>
  );
}

/** How far to trust the best move, in the words of the command line. */
function Trusted({ app, open }: { app: App; open: OpenRoot }) {
  const words = open.trust.value?.words;
  if (!words?.verdict && !words?.draw && !words?.stability && !words?.stays && !words?.closing && !words?.rechecks.length) return null;
  return (
    <section class="trusted" aria-labelledby="trusted-title">
      <h3 id="trusted-title">How far to trust the best move</h3>
      <dl>
        {words.verdict && <><dt>Verdict</dt><dd>{words.verdict[app.pov]}</dd></>}
        {words.draw && <><dt>A draw</dt><dd>{words.draw[app.pov]}</dd></>}
        {words.stability && <><dt>Holds</dt><dd>{words.stability[app.pov]}</dd></>}
        {words.stays && <><dt>Chance</dt><dd>{words.stays}</dd></>}
        {words.rechecks.map(note => <><dt>Recheck</dt><dd>{note[app.pov]}</dd></>)}
        {words.closing && <><dt>Closing search</dt><dd>{words.closing[app.pov]}</dd></>}
      </dl>
    </section>
  );
}

/** How far each engine depth is. */
function Stages({ app, root }: { app: App; root: Root | undefined }) {
  if (!root || root.stages.length < 2) return null;
  const turn = app.sign(turnOf(root));
  return (
    <table class="stages">
      <thead><tr><th scope="col">Stage</th><th scope="col">Settled</th><th scope="col">Verdict</th></tr></thead>
      <tbody>
        {root.stages.map(stage => (
          <tr key={stage.analysis} aria-current={stage.analysis === root.analysis ? 'true' : undefined}>
            <th scope="row">{limitWords(stage.limit)}{stage.analysis === root.analysis && <span class="whose"> speaks</span>}</th>
            <td>depth {stage.depth.settled ?? 0} of {stage.depth.target}</td>
            <td>{stage.value ? format(valueOf(stage.value), turn) : '\u2013'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const stagesOf = (course: Course): PageStage[] =>
  course.stages.map(stage => ({
    analysis: stage.analysis,
    limit: limitWords(stage.limit),
    points: stage.points.map(point => [point.at, point.best.uci, valueOf(point.alpha)]),
    settled: stage.settled.map(({ depth, at }) => [depth, at]),
    speaks: stage.speaks_from,
  }));
