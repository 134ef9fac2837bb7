// One type: its form, its schema, and how many resources it has.

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ResourceDefinition } from '../../../api/shapes.ts';
import { shellWord } from '../../../client/words/shell-word.ts';
import { typeName } from '../../../domain/identity.ts';
import { defaultInterval } from '../../../domain/observation/interval.ts';
import { call, list } from '../../api/client.ts';
import { CommandLine } from '../../components/command-line.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { Loading } from '../../components/state.tsx';
import { currentTab, Tabs } from '../../components/tabs.tsx';
import { Ago } from '../../components/time.tsx';
import { Title } from '../../components/title.tsx';
import { usePolled } from '../../live/polled.ts';
import { followResources, isSynced, resources } from '../../live/resources.ts';
import { goTo, hrefTo } from '../../router/route.ts';
import { may } from '../../session/rights.ts';
import { notify } from '../../shell/notices.tsx';
import { type Draft, draftOf } from './draft.ts';
import { NewResource } from './new-resource.tsx';
import { SchemaTab } from './schema-tab.tsx';
import { counted, text } from './text.ts';
import { everyMs } from './type-list.tsx';

export function TypePage({ provider, resource }: { provider: string; resource: string }) {
  const polled = usePolled({
    key: 'types',
    everyMs,
    load: (signal) => list('listTypes', { signal }),
  });
  useEffect(followResources, []);
  const name = typeName({ provider, resource });
  const { value: types } = polled.value;
  const { value: error } = polled.error;
  const type = types?.find((each) => typeName(each) === name);
  return (
    <>
      <Title title={name}>
        {type !== undefined && may('unregisterType') && <Unregister type={type} />}
      </Title>
      <ErrorBox error={error} />
      {types === undefined && error === undefined && <Loading />}
      {types !== undefined && type === undefined && (
        <p class="empty">
          {text('types.unknown', { name })} <a href={hrefTo('types')}>{text('types.show-all')}</a>
        </p>
      )}
      {type !== undefined && <Known type={type} />}
      <CommandLine
        commands={[
          'fairlead type list',
          `fairlead type get ${shellWord(name)}`,
          ...(may('applyResource') ? ['fairlead apply -f resource.yaml'] : []),
          ...(may('listExistingObjects') && type?.listable === true
            ? [`fairlead import --list ${shellWord(name)}`]
            : []),
        ]}
      />
    </>
  );
}

function Unregister({ type }: { readonly type: ResourceDefinition }) {
  const isOpen = useSignal(false);
  return (
    <div class="actions">
      <button
        type="button"
        class="danger"
        onClick={() => {
          isOpen.value = true;
        }}
      >
        {text('types.unregister-ask')}
      </button>
      {isOpen.value && (
        <UnregisterDialog
          type={type}
          onClose={() => {
            isOpen.value = false;
          }}
        />
      )}
    </div>
  );
}

function Known({ type }: { readonly type: ResourceDefinition }) {
  const draft = useSignal<Draft>(draftOf(type));
  const mayApply = may('applyResource') && !type.retired;
  const tabs = mayApply ? (['form', 'schema'] as const) : (['schema'] as const);
  const show = currentTab<'form' | 'schema'>(tabs);
  return (
    <>
      <TypeFacts type={type} />
      {type.retired && <p class="card bad">{text('types.retired-means')}</p>}
      <Tabs
        label={text('types.tabs')}
        current={show}
        tabs={tabs.map((tab) => ({ name: tab, title: text(`types.tab.${tab}`) }))}
      />
      {/* Hidden rather than removed, so that what was typed and its problems stay. */}
      {mayApply && (
        <div hidden={show !== 'form'}>
          <NewResource type={type} draft={draft} />
        </div>
      )}
      {show === 'schema' && <SchemaTab type={type} />}
    </>
  );
}

const maxLength = 400;

function TypeFacts({ type }: { readonly type: ResourceDefinition }) {
  const {
    provider,
    description,
    tags,
    timeout_seconds: timeout,
    retry,
    identity,
    updated_at,
  } = type;
  const longest = retry?.max_delay_seconds;
  const interval = type.observe_every ?? defaultInterval;
  const name = typeName(type);
  const count = resources.value.filter((each) => typeName(each) === name).length;
  return (
    <>
      {description.length <= maxLength ? (
        <p class="pre">{description}</p>
      ) : (
        <details>
          <summary class="pre">{description.slice(0, maxLength)} …</summary>
          <p class="pre">{description}</p>
        </details>
      )}
      <dl class="facts type-facts">
        <Fact name="provider">
          {may('listProviders') ? (
            <a href={hrefTo('providers', [provider])}>{provider}</a>
          ) : (
            provider
          )}
        </Fact>
        <dt>{text('resources.title')}</dt>
        <dd aria-live="polite">
          <a href={hrefTo('resources', [], { filter: name })}>
            {isSynced.value ? counted('types.resources', count) : text('loading')}
          </a>
        </dd>
        <Fact name="tags">{tags?.join(', ')}</Fact>
        <Fact name="timeout">{timeout && counted('types.seconds', timeout)}</Fact>
        <Fact name="attempts">{retry?.attempts}</Fact>
        <Fact name="longest-wait">{longest && counted('types.seconds', longest)}</Fact>
        <Fact name="identity">{identity && Object.keys(identity.outputs).join(', ')}</Fact>
        <Fact name="observed">{type.observable && text('types.observed-every', { interval })}</Fact>
        <Fact name="listable">{type.listable && text('types.listable-means')}</Fact>
        <Fact name="rules">{type.plan && text('types.rules-means')}</Fact>
        <Fact name="updated">
          <Ago time={updated_at} />
        </Fact>
      </dl>
    </>
  );
}

interface FactProps {
  readonly name:
    | 'provider'
    | 'tags'
    | 'timeout'
    | 'attempts'
    | 'longest-wait'
    | 'identity'
    | 'observed'
    | 'listable'
    | 'rules'
    | 'updated';
  readonly children: ComponentChildren;
}

/** Nothing, for what a type does not have. */
function Fact({ name, children }: FactProps) {
  return (
    children && (
      <>
        <dt>{text(`types.${name}`)}</dt>
        <dd>{children}</dd>
      </>
    )
  );
}

// Unregisters a type. Its resources stay.

interface UnregisterProps {
  readonly type: ResourceDefinition;
  readonly onClose: () => void;
}

function UnregisterDialog({ type, onClose }: UnregisterProps) {
  const { provider, resource } = type;
  const name = typeName(type);
  const count = resources.value.filter((each) => typeName(each) === name).length;
  const run = async () => {
    await call('unregisterType', { path: { provider, resource } });
    notify(text('types.unregistered', { name }));
    onClose();
    goTo(hrefTo('types'));
  };
  return (
    <Dialog title={text('types.unregister-title', { name })} onClose={onClose}>
      <p>{text('types.unregister-effect')}</p>
      {count > 0 && (
        <p>
          {counted('types.has-resources', count)}{' '}
          <a href={hrefTo('resources', [], { filter: name })}>{text('types.show-resources')}</a>
        </p>
      )}
      <Confirm kind="danger" run={run} onClose={onClose}>
        {text('types.unregister-now', { name })}
      </Confirm>
    </Dialog>
  );
}
