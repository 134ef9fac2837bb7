// How the object of a resource differs from its config, and what can be done about it, in both directions.
import { type Signal, useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { ResourceRecord } from '../../../../api/shapes.ts';
import { driftWord } from '../../../../client/drift.ts';
import { driftSentence } from '../../../../client/words/drift-text.ts';
import { messageBeside } from '../../../../client/words/reason-text.ts';
import { Action } from '../../../components/action.tsx';
import { Ago } from '../../../components/time.tsx';
import { may } from '../../../session/rights.ts';
import type { Edit } from '../edit/edit-form.ts';
import { CorrectDialog } from './correct.tsx';
import { declareActual } from './declare.ts';
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
