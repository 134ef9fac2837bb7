// The types of the organization, by provider.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ResourceDefinition } from '../../../api/shapes.ts';
import { typeName } from '../../../domain/identity.ts';
import { list } from '../../api/client.ts';
import { CommandLine } from '../../components/command-line.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { Loading } from '../../components/state.tsx';
import { Title } from '../../components/title.tsx';
import { RowLink, VirtualRows } from '../../components/virtual-rows.tsx';
import { usePolled } from '../../live/polled.ts';
import { followResources, isSynced, resources } from '../../live/resources.ts';
import { hrefTo, route, setQuery } from '../../router/route.ts';
import { numberText } from '../../text.ts';
import { countsByType, type TypeGroup, typeGroups } from './groups.ts';
import { counted, text } from './text.ts';

export const everyMs = 10_000;
const rowHeight = 40;

export function TypeList() {
  const search = useSignal(route.value.query.get('filter') ?? '');
  const polled = usePolled({
    key: 'types',
    everyMs,
    load: (signal) => list('listTypes', { signal }),
  });
  useEffect(followResources, []);
  const { value: types } = polled.value;
  const { value: error } = polled.error;
  const groups = typeGroups(types ?? [], search.value);
  const found = groups.reduce((sum, group) => sum + group.types.length, 0);
  return (
    <>
      <Title title={text('types.title')} />
      <ErrorBox error={error} />
      {types === undefined && error === undefined && <Loading />}
      {types?.length === 0 && (
        <p class="empty">
          {text('types.none')} <code>fairlead init</code>, <code>fairlead push</code>
        </p>
      )}
      {types !== undefined && types.length > 0 && (
        <>
          <SearchField
            label={text('types.search')}
            value={search.value}
            onInput={(value) => {
              search.value = value;
              setQuery({ filter: value });
            }}
          />
          <p class="quiet" aria-live="polite">
            {counted('types.count', found)}
          </p>
          {found === 0 && <p class="empty">{text('types.none-found')}</p>}
        </>
      )}
      {groups.map((group) => (
        <ProviderTypes key={group.provider} group={group} />
      ))}
      <CommandLine commands={['fairlead type list']} />
    </>
  );
}

function TypeName({ type }: { readonly type: ResourceDefinition }) {
  if (!type.retired) return typeName(type);
  return (
    <>
      {typeName(type)} <span class="quiet">{text('types.retired')}</span>
    </>
  );
}

function ProviderTypes({
  group: { provider, types },
}: {
  readonly group: TypeGroup<ResourceDefinition>;
}) {
  const counts = countsByType(resources.value);
  const countOf = (name: string) => (isSynced.value ? numberText(counts.get(name) ?? 0) : '…');
  return (
    <section class="type-rows">
      <h2>{provider}</h2>
      <VirtualRows
        items={types}
        rowHeight={rowHeight}
        label={text('types.of-provider', { provider })}
        columns={[text('types.name'), text('resources.title'), text('types.description')]}
        row={(type, index) => (
          <RowLink
            key={typeName(type)}
            index={index}
            href={hrefTo('types', [provider, type.resource])}
            cells={[
              <TypeName key="name" type={type} />,
              countOf(typeName(type)),
              <span key="description" title={type.description}>
                {type.description}
              </span>,
            ]}
          />
        )}
      />
    </section>
  );
}
