// Deletes all events of a cause. It cannot be undone, and the resources stay as they are.
import type { DeadLetterCause } from '../../../api/shapes.ts';
import { call } from '../../api/client.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { notify } from '../../shell/notices.tsx';
import { counted, text } from './text.ts';

interface DeleteDialogProps {
  readonly cause: DeadLetterCause;
  readonly onClose: () => void;
}

export function DeleteDeadLettersDialog({ cause: group, onClose }: DeleteDialogProps) {
  const { cause, provider, count } = group;
  const remove = async () => {
    const { deleted } = await call('deleteDeadLetters', { query: { cause, provider } });
    notify(counted('dead-letters.deleted', deleted));
    onClose();
  };
  return (
    <Dialog title={text('dead-letters.delete-title', { code: group.error_code })} onClose={onClose}>
      <p>{text('dead-letters.delete-effect')}</p>
      <Confirm kind="danger" run={remove} onClose={onClose}>
        {counted('dead-letters.delete-now', count)}
      </Confirm>
    </Dialog>
  );
}
