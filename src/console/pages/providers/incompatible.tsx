// The resources whose configs a version would reject.
import type { Deployment } from '../../../api/shapes.ts';
import { liveResource } from '../../live/resources.ts';
import { hrefTo } from '../../router/route.ts';
import { counted, text } from './text.ts';

export function Incompatible({ deployment }: { readonly deployment: Deployment }) {
  const { incompatible_count: count, incompatible_resources: some, message } = deployment;
  if (count === 0) return <p>{text('providers.all-fit')}</p>;
  return (
    <div class="card bad">
      <p>
        <b>{counted('providers.incompatible', count)}</b>
      </p>
      <ul class="misfits">
        {some.map((id) => (
          <li key={id}>
            <ResourceName id={id} />
          </li>
        ))}
      </ul>
      {count > some.length && <p>{counted('providers.more', count - some.length)}</p>}
      <details>
        <summary>{text('providers.why')}</summary>
        <p class="pre">{message}</p>
      </details>
    </div>
  );
}

/** An id cannot be split, as types and names may contain its separator; the resource itself has the parts. */
function ResourceName({ id }: { readonly id: string }) {
  const record = liveResource(id);
  if (record === undefined) return <code>{id}</code>;
  const { provider, resource, name } = record;
  const tuple = [provider, resource, name];
  return <a href={hrefTo('resource', tuple)}>{tuple.join('/')}</a>;
}
