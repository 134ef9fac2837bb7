// The members that the last apply of a set did not name, and what can be done with each.
import { useSignal } from '@preact/signals';
import type { ResourceRecord } from '../../../api/shapes.ts';
import { slashed } from '../../../domain/identity.ts';
import { call } from '../../api/client.ts';
import { Action } from '../../components/action.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { may } from '../../session/rights.ts';
import { notify } from '../../shell/notices.tsx';
import { counted, text } from './text.ts';

const shownFirst = 50;

interface UnlistedProps {
  readonly members: readonly ResourceRecord[];
  readonly reload: () => Promise<void>;
}

export function Unlisted({ members, reload }: UnlistedProps) {
  const isLong = useSignal(false);
  if (members.length === 0) return <p class="empty">{text('sets.unlisted.none')}</p>;
  const refs = members.map(slashed);
  const others = refs.length - shownFirst;
  return (
    <section aria-label={text('sets.unlisted')}>
      <p>{text('sets.unlisted.advice')}</p>
      <ResourceList
        refs={isLong.value ? refs : refs.slice(0, shownFirst)}
        action={(record) => may('updateResource') && <Leave record={record} reload={reload} />}
      />
      {others > 0 && !isLong.value && (
        <button
          type="button"
          class="link"
          onClick={() => {
            isLong.value = true;
          }}
        >
          {counted('sets.more', others)}
        </button>
      )}
    </section>
  );
}

interface LeaveProps extends Pick<UnlistedProps, 'reload'> {
  readonly record: ResourceRecord;
}

function Leave({ record, reload }: LeaveProps) {
  const leave = async () => {
    await call('updateResource', { path: { resource_id: record.id }, body: { set: null } });
    notify(text('sets.left', { ref: slashed(record) }));
    await reload();
  };
  return (
    <Action kind="small" run={leave}>
      {text('sets.leave')}
    </Action>
  );
}
