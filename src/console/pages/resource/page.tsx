// One resource: why it is in its state, what it declares and returned, and how it came there.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ResourceRecord } from '../../../api/shapes.ts';
import { idOf, slashed } from '../../../domain/identity.ts';
import { Block } from '../../components/block.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { Loading } from '../../components/state.tsx';
import { Title } from '../../components/title.tsx';
import { followResources, isSynced, liveResource, resourcesError } from '../../live/resources.ts';
import { hrefTo, route } from '../../router/route.ts';
import { may } from '../../session/rights.ts';
import { session } from '../../session/session.ts';
import { useUnsaved } from '../../shell/unsaved.ts';
import { type Edit, isTyped } from './edit/edit-form.ts';
import { ResourceTabs } from './resource-tabs.tsx';
import { text } from './text.ts';

export function ResourcePage() {
  const [provider = '', resource = '', name = ''] = route.value.path;
  const tuple = { provider, resource, name };
  const ref = slashed(tuple);
  const { kind } = session.value;
  useEffect(() => {
    if (kind === 'signed-in') followResources();
  }, [kind]);
  const last = useRef<ResourceRecord | undefined>(undefined);
  const found = liveResource(idOf(tuple));
  // Several names share an id, of which one can exist.
  const record = found !== undefined && slashed(found) === ref ? found : undefined;
  if (record !== undefined) last.current = record;
  const edit = useSignal<Edit | undefined>(undefined);
  useUnsaved(edit.value !== undefined && isTyped(edit.value));
  if (record !== undefined) return <ResourceTabs record={record} edit={edit} />;
  return (
    <>
      <Title title={ref} />
      <ErrorBox error={resourcesError.value} />
      {resourcesError.value === undefined && !isSynced.value && <Loading />}
      {isSynced.value && (
        <div class="empty" role="status">
          <p>{text(last.current === undefined ? 'resource.missing' : 'resource.gone', { ref })}</p>
          {may('applyResource') && (
            <p>
              <a href={hrefTo('types', [provider, resource])}>{text('resource.create-missing')}</a>
            </p>
          )}
          <p>
            <a href={hrefTo('resources')}>{text('resource.all')}</a>
          </p>
        </div>
      )}
      {edit.value !== undefined && <Typed config={edit.value.config} />}
    </>
  );
}

/** The text that was typed into an edit of a resource that is gone. */
function Typed({ config }: { readonly config: string }) {
  return (
    <section>
      <h2>{text('resource.typed')}</h2>
      <Block
        value={config}
        label={text('resource.typed')}
        copy={text('copy.what', { what: text('resource.typed') })}
      />
    </section>
  );
}
