// The check of a repertoire: what was followed, against the tree.
import { format } from '../../../shared/score';
import { counted, percent } from '../../../shared/words';
import type { Audit, Finding, GamesAudit, Score } from '../../../shared/contract';
import { valueOf } from '../api/words';
import { hashOf } from '../state/address';
import type { App } from '../state/app';
import type { OpenRoot } from '../state/openroot';
import { plainly } from './links';

export function AuditPane({ app, open }: { app: App; open: OpenRoot }) {
  const { value, error } = open.audit;
  const choose = (side: 'white' | 'black') => {
    open.auditSide = side;
    open.audit.old = true;
    open.ask();
  };
  return (
    <div class="audit-pane">
      <div class="section-head">
        <label>Repertoire for <select value={open.auditSide} onChange={event => choose(event.currentTarget.value === 'black' ? 'black' : 'white')}><option value="white">White</option><option value="black">Black</option></select></label>
        {value && <span class="whose">{summary(value)}</span>}
      </div>
      {!value && <p class="empty">{error ?? 'Checking the repertoire …'}</p>}
      {value?.against_people && <p class="whose">{againstPeople(value.against_people)}</p>}
      {value && !value.findings.some(isNoLineEnd) && !value.against_people?.gaps.length && <p class="empty">Nothing found.</p>}
      <ol class="findings">
        {value?.against_people?.gaps.map((gap, i) => <li key={`gap ${i}`}><Gap open={open} gap={gap} /></li>)}
        {value?.findings.filter(isNoLineEnd).map((finding, i) => <li key={i}><Words app={app} open={open} finding={finding} /></li>)}
        {value?.against_people?.losses.map((loss, i) => <li key={`loss ${i}`}><Less open={open} loss={loss} /></li>)}
      </ol>
    </div>
  );
}

/** A reply behind the last move of a line is no fault of the line. */
const isNoLineEnd = (finding: Finding): boolean => finding.kind !== 'unprepared' || finding.cost !== undefined;

const summary = (audit: Audit): string =>
  `${counted(audit.positions, 'position')}; own moves: ${audit.own_moves.losing} of ${audit.own_moves.all} lose; replies: ${audit.replies.unprepared} of ${audit.replies.all} not prepared`;

/** To which move half of the games stay in the tree at the least, and how many one move further. */
const stays = (byMove: GamesAudit['coverage_by_move']): string => {
  const fewer = byMove.findIndex(at => at.stays < 0.5);
  const last = byMove[Math.max(0, (fewer < 0 ? byMove.length : fewer) - 1)];
  const next = fewer > 0 ? byMove[fewer] : undefined;
  return last ? `${percent(last.stays)} of the games stay to move ${last.move}${next ? `, ${percent(next.stays)} to move ${next.move}` : ''}` : '';
};

/** How much of the games the tree answers, and what the side scores in them. */
const againstPeople = (games: GamesAudit): string =>
  [stays(games.coverage_by_move), games.expected === null ? '' : `${(100 * games.expected).toFixed(1)} points in 100`, counted(games.gap_count, 'reply without an answer', 'replies without an answer')].filter(Boolean).join('; ');

/** A move behind its line, to go there. */
function Going({ open, line, uci, san }: { open: OpenRoot; line: string[]; uci: string; san: string }) {
  const { walk } = open;
  return (
    <>
      <a class="link" href={hashOf(open.id, open.legal([...line, uci]))} onClick={plainly(() => walk.leap(open.legal([...line, uci])))}>{walk.number(line.length) + san}</a>
      {line.length > 0 && <span class="whose"> after {walk.words(line)}</span>}
    </>
  );
}

/** A reply that is played and has no answer. */
function Gap({ open, gap }: { open: OpenRoot; gap: GamesAudit['gaps'][number] }) {
  return <><Going open={open} line={gap.line} uci={gap.uci} san={gap.san} />: {percent(gap.leaves)} of the games leave the tree here ({gap.games === null ? `${percent(gap.share)} of people` : `${counted(gap.games, 'game')}, ${percent(gap.share)}`})</>;
}

/** An own move that scores less than another one. */
function Less({ open, loss }: { open: OpenRoot; loss: GamesAudit['losses'][number] }) {
  const points = (score: number) => (100 * score).toFixed(1);
  return <><Going open={open} line={loss.line} uci={loss.uci} san={loss.san} />: scores {points(loss.expected)} in 100, {loss.better.san} {points(loss.better.expected)}</>;
}

function Words({ app, open, finding }: { app: App; open: OpenRoot; finding: Finding }) {
  const { walk } = open;
  const depth = finding.line.length;
  const turn = walk.sign(app.pov, depth);
  const score = (value: Score | undefined) => (value ? format(valueOf(value), turn) : '');
  const line = finding.uci ? [...finding.line, finding.uci] : finding.line;
  const name = finding.san ? walk.number(depth) + finding.san : walk.words(finding.line) || 'the root';
  const cost = finding.cost === undefined ? '' : (finding.cost / 100).toFixed(2);
  return (
    <>
      <a class="link" href={hashOf(open.id, open.legal(line))} onClick={plainly(() => walk.leap(open.legal(line)))}>{name}</a> {score(finding.value)}
      {finding.san && finding.line.length > 0 && <span class="whose"> after {walk.words(finding.line)}</span>}
      {finding.kind === 'loss' && <span>: loses {cost} against {finding.against?.san} ({score(finding.against?.value)})</span>}
      {finding.kind === 'unprepared' && <span>: not prepared{finding.answer ? <>, the answer is <b>{finding.answer.san}</b></> : ''}</span>}
      {finding.kind === 'unreached' && <span>: not analysed yet</span>}
    </>
  );
}
