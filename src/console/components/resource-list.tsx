// Resources with their present states, as links.
import type { ComponentChildren } from 'preact';
import type { ResourceRecord } from '../../api/shapes.ts';
import { stateWord } from '../../client/drift.ts';
import { messageBeside } from '../../client/words/reason-text.ts';
import { idOf, parseResourceAddress } from '../../domain/identity.ts';
import { liveResource } from '../live/resources.ts';
import { hrefTo } from '../router/route.ts';
import { State } from './state.tsx';

interface ListProps {
  /** Such as `provider/type/name`. */
  readonly refs: readonly string[];
  /** Paths through which each is used. */
  readonly notes?: ReadonlyMap<string, readonly string[]>;
  /** Shown beside each that exists. */
  readonly action?: ((record: ResourceRecord) => ComponentChildren) | undefined;
}

export function ResourceList({ refs, notes, action }: ListProps) {
  return (
    <ul class="resource-list">
      {refs.map((ref) => {
        const paths = notes?.get(ref) ?? [];
        return (
          <li key={ref}>
            <ResourceLink reference={ref} action={action} />
            {paths.length > 0 && <span class="quiet"> {paths.join(', ')}</span>}
          </li>
        );
      })}
    </ul>
  );
}

interface ResourceLinkProps extends Pick<ListProps, 'action'> {
  readonly reference: string;
}

function ResourceLink({ reference, action }: ResourceLinkProps) {
  const tuple = parseResourceAddress(reference)?.tuple;
  if (tuple === undefined) return <>{reference}</>;
  const record = liveResource(idOf(tuple));
  const state = record === undefined ? 'missing' : stateWord(record);
  return (
    <>
      <a href={hrefTo('resource', [tuple.provider, tuple.resource, tuple.name])} data-row>
        {reference}
      </a>{' '}
      <State state={state} /> {record !== undefined && action?.(record)}
      {record !== undefined && record.lifecycle_state !== 'ready' && record.message !== null && (
        <p class="quiet pre">{messageBeside(record.reason, record.message)}</p>
      )}
    </>
  );
}
