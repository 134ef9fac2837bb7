// Resources with their present states, as links.
import { State } from '../../components/state.tsx';
import { resourceOf } from '../../live/resources.ts';
import { hrefTo } from '../../router/route.ts';
import { text } from '../../text.ts';
import { partsOf, stateOf } from './standing.ts';

/** @param refs such as `provider/type/name` */
export function ResourceList({ refs }: { readonly refs: readonly string[] }) {
  return (
    <ul class="resource-list">
      {refs.map((ref) => (
        <li key={ref}>
          <ResourceLink reference={ref} />
        </li>
      ))}
    </ul>
  );
}

function ResourceLink({ reference }: { readonly reference: string }) {
  const parts = partsOf(reference);
  if (parts === undefined) return <>{reference}</>;
  const record = resourceOf(`resource:${parts.join('_')}`);
  return (
    <>
      <a href={hrefTo('resource', parts)} data-row>
        {reference}
      </a>{' '}
      {record === undefined ? (
        <State state="missing" />
      ) : (
        <>
          <State state={stateOf(record)} />{' '}
          {record.lifecycle_state !== 'ready' && record.message !== null && (
            <span class="quiet">{record.message}</span>
          )}
        </>
      )}
    </>
  );
}
