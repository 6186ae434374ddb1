// The check of a repertoire: what was followed, against the tree.
import { format } from '../../../shared/score';
import { counted } from '../../../shared/words';
import { valueOf, type Audit, type Finding, type Score } from '../api/types';
import type { App } from '../state/app';
import type { OpenRoot } from '../state/openroot';

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
      {!value && <p class="empty">{error ?? 'The repertoire is being checked.'}</p>}
      {value && value.findings.length === 0 && <p class="empty">Nothing to object to.</p>}
      <ol class="findings">
        {value?.findings.map((finding, i) => <li key={i}><Words app={app} open={open} finding={finding} /></li>)}
      </ol>
    </div>
  );
}

const summary = (audit: Audit): string =>
  `${counted(audit.positions, 'position')}; own moves: ${audit.own_moves.losing} of ${audit.own_moves.all} lose; replies: ${audit.replies.unprepared} of ${audit.replies.all} not prepared`;

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
      <button type="button" class="link" onClick={() => walk.leap(open.legal(line))}>{name}</button> {score(finding.value)}
      {finding.san && finding.line.length > 0 && <span class="whose"> after {walk.words(finding.line)}</span>}
      {finding.kind === 'loss' && <span>: loses {cost} against {finding.against?.san} ({score(finding.against?.value)})</span>}
      {finding.kind === 'unprepared' && <span>: not prepared{finding.answer ? <>, the answer is <b>{finding.answer.san}</b></> : ''}</span>}
      {finding.kind === 'unreached' && <span>: not analysed yet</span>}
    </>
  );
}
