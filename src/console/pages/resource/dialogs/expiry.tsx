// Asks for the time at which a resource is deleted.
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { ResourceRecord } from '../../../../api/shapes.ts';
import { slashed } from '../../../../domain/identity.ts';
import { Action } from '../../../components/action.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { localTime } from '../../../components/text/local-time.ts';
import { notify } from '../../../shell/notices.tsx';
import { changeOption } from '../options/options.ts';
import { localInput, timeIn } from './local-input.ts';
import { text } from './text.ts';

export function ExpiryDialog({ record, onClose }: { record: ResourceRecord; onClose: () => void }) {
  const { expires_at: before } = record;
  const id = useId();
  const typed = useSignal(before === null ? '' : localInput(before));
  const time = timeIn(typed.value);
  const ref = slashed(record);
  const set = async (expires_at: string | null) => {
    await changeOption(record, { expires_at });
    notify(
      expires_at === null
        ? text('resource.expiry.cleared', { ref })
        : text('resource.expiry.done', { ref, time: localTime(expires_at) }),
    );
    onClose();
  };
  return (
    <Dialog title={text('resource.expiry.title', { ref })} onClose={onClose}>
      <p>{text('resource.expiry.effect')}</p>
      <label class="field">
        <span>{text('resource.expiry.time')}</span>
        <input
          type="datetime-local"
          value={typed.value}
          aria-describedby={id}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
      </label>
      <p id={id} class="quiet" role="status">
        {time === undefined ? text('resource.expiry.zone') : localTime(time)}
      </p>
      <footer>
        <Action
          kind="primary"
          disabled={time === undefined}
          run={async () => {
            if (time !== undefined) await set(time);
          }}
        >
          {text('resource.expiry.set')}
        </Action>
        {before !== null && <Action run={() => set(null)}>{text('resource.expiry.clear')}</Action>}
        <button type="button" onClick={onClose}>
          {text('cancel')}
        </button>
      </footer>
    </Dialog>
  );
}
