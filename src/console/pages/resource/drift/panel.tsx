// How the object of a resource differs from its config, and what can be done about it, in both directions.
import { type Signal, useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { ResourceRecord } from '../../../../api/shapes.ts';
import { driftWord } from '../../../../client/drift.ts';
import { configFromActual, insteadText } from '../../../../client/from-actual.ts';
import { driftSentence } from '../../../../client/words/drift-text.ts';
import { messageBeside } from '../../../../client/words/reason-text.ts';
import { Action } from '../../../components/action.tsx';
import { Ago } from '../../../components/time.tsx';
import { goTo, hrefTo } from '../../../router/route.ts';
import { may } from '../../../session/rights.ts';
import { notify } from '../../../shell/notices.tsx';
import { configText, type Edit, editOf, isTyped } from '../edit/edit-form.ts';
import { dialogs } from '../later.ts';
import { readVersion } from '../version.ts';
import { CorrectDialog } from './correct.tsx';
import { isCorrectable, isDeclarable } from './observable.ts';
import { DriftTable } from './table.tsx';
import { text } from './text.ts';

interface PanelProps {
  readonly record: ResourceRecord;
  readonly edit: Signal<Edit | undefined>;
}

export function DriftPanel({ record, edit }: PanelProps) {
  const id = useId();
  const isAsking = useSignal(false);
  const { drift, reason, message } = record;
  return (
    <section
      class={`card drift ${driftWord(record) === 'gone' ? 'bad' : 'busy'}`}
      aria-labelledby={id}
    >
      <h2 id={id}>{text('resource.drift')}</h2>
      <p aria-live="polite">
        {drift === null ? messageBeside(reason, message) : driftSentence(drift, reason)}
      </p>
      {drift !== null && (
        <p class="quiet">
          {text('resource.drift.since')} <Ago time={drift.since} />
        </p>
      )}
      {drift !== null && <DriftTable drift={drift} />}
      <div class="actions">
        {may('correctResource') && isCorrectable(record) && (
          <button
            type="button"
            onClick={() => {
              isAsking.value = true;
            }}
          >
            {text('resource.correct')}
          </button>
        )}
        {may('applyResource') && isDeclarable(record) && (
          <Action run={() => declareActual(record, edit)}>{text('resource.declare')}</Action>
        )}
      </div>
      {isAsking.value && (
        <CorrectDialog
          record={record}
          onClose={() => {
            isAsking.value = false;
          }}
        />
      )}
    </section>
  );
}

// Begins an edit in which the config declares what was observed.

/** @throws Error when what is there cannot be declared, with the reason */
async function declareActual(
  { id }: Pick<ResourceRecord, 'id'>,
  edit: Signal<Edit | undefined>,
): Promise<void> {
  const present = edit.value;
  const isLost = present !== undefined && isTyped(present);
  if (isLost && !window.confirm(text('resource.edit.discard'))) return;
  const [base] = await Promise.all([readVersion(id), dialogs.load()]);
  const { provider, resource, name, drift, masked = [] } = base.record;
  // An apply would replace what is hidden with null.
  if (masked.length > 0) throw new Error(text('resource.edit.hidden'));
  if (drift === null) throw new Error(text('resource.correct.none'));
  const made = configFromActual(base.record, drift);
  if ('undeclarable' in made) {
    const { reason, paths, instead } = made.undeclarable;
    const because = paths.length === 0 ? reason : `${reason}: ${paths.join(', ')}`;
    throw new Error(`${because}. ${insteadText({ instead })}`);
  }
  edit.value = { ...editOf(base), config: configText(made.config) };
  notify(text('resource.declare.begun'));
  goTo(hrefTo('resource', [provider, resource, name], { show: 'config' }));
}
