// The changes of an apply, before it is made.

import type { ResourceDefinition, ResourceRecord } from '../../../../api/shapes.ts';
import { differencesOf } from '../../../../client/differences.ts';
import { applyPlans } from '../../../../domain/apply-plans.ts';
import { slashed } from '../../../../domain/identity.ts';
import { dottedPointer, type JsonObject } from '../../../../lib/json.ts';
import { Action } from '../../../components/action.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import type { EditPlan } from '../edit/apply.ts';
import { ChangeList } from '../history/change-list.tsx';
import { shownDifferences } from '../history/changes.ts';
import { counted, text } from './text.ts';

interface PlanProps {
  readonly plan: EditPlan;
  readonly schema: JsonObject | undefined;
  readonly type: ResourceDefinition | undefined;
  /** Whether sensitive values are shown. */
  readonly isRevealed: boolean;
  readonly users: readonly string[];
  readonly run: () => Promise<void>;
  readonly onClose: () => void;
}

function applyEffect(change: string, after: ResourceRecord) {
  const planned = applyPlans.find((each) => each === change) ?? 'update';
  if (planned !== 'update') return planned;
  if (after.lifecycle_state === 'draft') return 'draft';
  return after.management === 'observed' ? 'observed' : planned;
}

export function PlanDialog({
  plan: {
    base: { record },
    change,
    after,
    forcedBy,
  },
  schema,
  type,
  isRevealed,
  users,
  run,
  onClose,
}: PlanProps) {
  const differences = differencesOf(record, after, { schema, type, shown: isRevealed });
  const effect = applyEffect(change, after);
  const isReplaced = effect === 'replace';
  const ref = slashed(record);
  return (
    <Dialog
      wide
      title={text(isReplaced ? 'resource.plan.title-replace' : 'resource.plan.title', { ref })}
      onClose={onClose}
    >
      <p>{text(`resource.plan.${effect}`, { provider: record.provider })}</p>
      {forcedBy.length > 0 && (
        <p>
          {text('resource.plan.immutable')} <code>{forcedBy.map(dottedPointer).join(', ')}</code>
        </p>
      )}
      <ChangeList changes={shownDifferences(differences)} />
      {(effect === 'update' || isReplaced) && users.length > 0 && (
        <p class="quiet">{counted('resource.plan.users', users.length)}</p>
      )}
      <footer>
        {effect !== 'none' && (
          <Action kind={isReplaced ? 'danger' : 'primary'} run={run}>
            {text(isReplaced ? 'resource.plan.run-replace' : 'resource.plan.run')}
          </Action>
        )}
        <button type="button" onClick={onClose}>
          {text(effect === 'none' ? 'close' : 'cancel')}
        </button>
      </footer>
    </Dialog>
  );
}
