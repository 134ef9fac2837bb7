// What an apply would change, before it is made.

import { differencesOf } from '../../../client/differences.ts';
import { slashed } from '../../../domain/identity.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { Action } from '../../components/action.tsx';
import { Dialog } from '../../components/dialog.tsx';
import type { Plan } from './apply.ts';
import { ChangeList } from './change-list.tsx';
import { changesBetween } from './changes.ts';
import { counted, text } from './text.ts';

interface PlanProps {
  readonly plan: Plan;
  readonly schema: JsonObject | undefined;
  /** Whether sensitive values are shown. */
  readonly isRevealed: boolean;
  readonly users: readonly string[];
  readonly run: () => Promise<void>;
  readonly onClose: () => void;
}

const effects = ['create', 'update', 'retry', 'tags', 'none'] as const;

export function PlanDialog({
  plan: {
    base: { record },
    change,
    after,
  },
  schema,
  isRevealed,
  users,
  run,
  onClose,
}: PlanProps) {
  const differences = differencesOf(record, after, { schema, shown: isRevealed });
  const planned = effects.find((each) => each === change) ?? 'update';
  const isDraft = planned === 'update' && after.lifecycle_state === 'draft';
  const effect = isDraft ? 'draft' : planned;
  const ref = slashed(record);
  return (
    <Dialog wide title={text('resource.plan.title', { ref })} onClose={onClose}>
      <p>{text(`resource.plan.${effect}`, { provider: record.provider })}</p>
      <ChangeList changes={changesBetween(differences)} />
      {effect === 'update' && users.length > 0 && (
        <p class="quiet">{counted('resource.plan.users', users.length)}</p>
      )}
      <footer>
        {effect !== 'none' && (
          <Action kind="primary" run={run}>
            {text('resource.plan.run')}
          </Action>
        )}
        <button type="button" onClick={onClose}>
          {text(effect === 'none' ? 'close' : 'cancel')}
        </button>
      </footer>
    </Dialog>
  );
}
