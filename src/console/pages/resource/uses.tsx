import type { Explanation, ResourceRecord } from '../../../api/shapes.ts';
import { slashed } from '../../../domain/identity.ts';
import { referencesIn } from '../../../domain/references/references.ts';
import { ErrorBox } from '../../components/error-box.tsx';
import { Loading } from '../../components/state.tsx';
import type { Polled } from '../../live/polled.ts';
import { ResourceList } from './resource-list.tsx';
import { text } from './text.ts';

interface UsesProps {
  readonly record: ResourceRecord;
  readonly explanation: Polled<Explanation>;
}

/** The resources that the resource uses, and those that use it. */
export function Uses({ record, explanation }: UsesProps) {
  const { dependencies, config } = record;
  const used = new Map<string, string[]>(dependencies.map((each) => [slashed(each), []]));
  for (const { to, at } of referencesIn(config)) {
    const ref = slashed(to);
    used.set(ref, [...(used.get(ref) ?? []), ['config', ...at].join('.')]);
  }
  const users = explanation.value.value?.users;
  return (
    <>
      <section>
        <h2>{text('resource.uses')}</h2>
        {used.size === 0 ? (
          <p class="quiet">{text('resource.uses.none')}</p>
        ) : (
          <ResourceList refs={[...used.keys()]} notes={used} />
        )}
      </section>
      <section>
        <h2>{text('resource.users')}</h2>
        <ErrorBox error={explanation.error.value} />
        {users === undefined && explanation.error.value === undefined && <Loading />}
        {users?.length === 0 && <p class="quiet">{text('resource.users.none')}</p>}
        {users !== undefined && <ResourceList refs={users} />}
        {users?.length === maxUsers && <p class="quiet">{text('resource.users.first')}</p>}
      </section>
    </>
  );
}

/** The explanation names no more. */
const maxUsers = 100;
