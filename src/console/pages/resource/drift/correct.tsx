// The question before a correction, with what it would overwrite.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ResourceRecord } from '../../../../api/shapes.ts';
import { isSameDrift } from '../../../../client/words/drift-text.ts';
import { slashed } from '../../../../domain/identity.ts';
import { request } from '../../../api/client.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorBox } from '../../../components/error-box.tsx';
import { Loading } from '../../../components/state.tsx';
import { notify } from '../../../shell/notices.tsx';
import { isTheSame, readVersion, type Version, writeTo } from '../version.ts';
import { DriftTable } from './table.tsx';
import { text } from './text.ts';

interface CorrectProps {
  readonly record: ResourceRecord;
  readonly onClose: () => void;
}

export function CorrectDialog({ record, onClose }: CorrectProps) {
  const { id } = record;
  const seen = useSignal<Version | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  useEffect(() => {
    readVersion(id).then(
      (version) => {
        seen.value = version;
      },
      (thrown: unknown) => {
        error.value = thrown;
      },
    );
  }, [id]);
  const ref = slashed(record);
  const present = seen.value;
  const correct = async () => {
    if (present === undefined) return;
    await sendCorrection(present);
    notify(text('resource.correct.begun', { ref }));
    onClose();
  };
  return (
    <Dialog wide title={text('resource.correct.title', { ref })} onClose={onClose}>
      <ErrorBox error={error.value} />
      {present === undefined && error.value === undefined && <Loading />}
      {present !== undefined && <Effect record={present.record} />}
      <Confirm run={correct} disabled={(present?.record.drift ?? null) === null} onClose={onClose}>
        {text('resource.correct.run')}
      </Confirm>
    </Dialog>
  );
}

function Effect({ record: { provider, drift, paused } }: { readonly record: ResourceRecord }) {
  if (drift === null) return <p>{text('resource.correct.none')}</p>;
  return (
    <>
      <p>{text(`resource.correct.${drift.kind}`, { provider })}</p>
      {paused && <p>{text('resource.correct.paused')}</p>}
      <DriftTable drift={drift} />
    </>
  );
}

/**
 * @param seen the version whose differences were shown
 * @throws ApiError for a refusal, Error when others differ since
 */
async function sendCorrection(seen: Version): Promise<void> {
  const path = { resource_id: seen.record.id };
  await writeTo(seen, (headers) => request('correctResource', { path, headers }), {
    isSame: (left, right) => isTheSame(left, right) && isSameDrift(left.drift, right.drift),
  });
}
