import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ResourceRecord } from '../../../../api/shapes.ts';
import { driftWord } from '../../../../client/drift.ts';
import { ErrorBox } from '../../../components/error-box.tsx';
import type { Edit } from '../edit/edit-form.ts';
import { dialogs } from '../later.ts';

interface DriftProps {
  readonly record: ResourceRecord;
  readonly edit: Signal<Edit | undefined>;
}

/** Nothing for a resource that has not drifted. */
export function DriftPart({ record, edit }: DriftProps) {
  const isShown = record.drift != null || driftWord(record) !== undefined;
  const error = useSignal<unknown>(undefined);
  useEffect(() => {
    if (!isShown) return;
    dialogs.load().catch((thrown: unknown) => {
      error.value = thrown;
    });
  }, [isShown]);
  if (!isShown) return null;
  const { DriftPanel } = dialogs.code.value ?? {};
  return DriftPanel ? <DriftPanel record={record} edit={edit} /> : <ErrorBox error={error.value} />;
}
