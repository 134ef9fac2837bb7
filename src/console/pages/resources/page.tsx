// The page Resources: what failed and why, then all resources as a table or a graph, live.
import { computed } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { projectText } from '../../../client/project.ts';
import { CommandLine } from '../../components/command-line.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { Loading } from '../../components/state.tsx';
import { Title } from '../../components/title.tsx';
import { followResources, isSynced, resources, resourcesError } from '../../live/resources.ts';
import { hrefTo, type Query, route, setQuery } from '../../router/route.ts';
import { may } from '../../session/rights.ts';
import { Causes } from './causes.tsx';
import { selectionCommands } from './commands.ts';
import { Count, StateFilter } from './counts.tsx';
import { Graph } from './graph/graph.tsx';
import {
  countsOf,
  distinct,
  driftCount,
  type Filter,
  filterIn,
  ranked,
  selected,
} from './model.ts';
import { Table } from './table.tsx';
import { text } from './text.ts';

export { UnknownPage } from './unknown.tsx';

/** Sorted once for each change, not for each key that is typed. */
const inOrder = computed(() => ranked(resources.value));
const counts = computed(() => countsOf(resources.value));
const drifted = computed(() => driftCount(resources.value));

export function ResourcesPage() {
  useEffect(followResources, []);
  const { query } = route.value;
  const filter = filterIn(query);
  const isGraph = query.get('view') === 'graph';
  const all = inOrder.value;
  const selection = useMemo(
    () => selected(all, filter),
    [all, filter.text, filter.state, filter.project, filter.tag, filter.isDrifted],
  );
  const { shown } = selection;
  const { failed, deleting, processing, pending } = counts.value;
  const isCaused = failed + deleting + processing + pending + drifted.value > 0;
  const isAny = isSynced.value && all.length > 0;
  return (
    <>
      <Title title={text('resources.title')}>
        {isSynced.value && <Count shown={shown.length} total={all.length} />}
        <StateFilter counts={counts.value} drifted={drifted.value} />
      </Title>
      <ErrorBox error={resourcesError.value} />
      {!isSynced.value && resourcesError.value === undefined && <Loading />}
      {isSynced.value && all.length === 0 && <Empty />}
      <Filters filter={filter} isGraph={isGraph} />
      {!isGraph && isCaused && <Causes shown={shown} />}
      {isAny && shown.length === 0 && <NoMatch />}
      {isAny &&
        shown.length > 0 &&
        (isGraph ? <Graph resources={shown} /> : <Table resources={shown} />)}
      <CommandLine commands={[...selectionCommands(filter, selection), 'fairlead why']} />
    </>
  );
}

function Filters({ filter, isGraph }: { readonly filter: Filter; readonly isGraph: boolean }) {
  const projects = distinct(resources.value.map(projectText));
  const tags = distinct(resources.value.flatMap((each) => each.tags ?? []));
  return (
    <div class="filters">
      <SearchField
        label={text('resources.filter')}
        hint="provider/type/name, *"
        value={filter.text}
        onInput={(value) => setQuery({ filter: value })}
      />
      {projects.length > 1 && <Facet name="project" values={projects} chosen={filter.project} />}
      {tags.length > 0 && <Facet name="tag" values={tags} chosen={filter.tag} />}
      <nav class="tabs" aria-label={text('resources.view')}>
        {(['table', 'graph'] as const).map((view) => (
          <a
            key={view}
            href={hrefTo('resources', [], viewQuery(view))}
            aria-current={(view === 'graph') === isGraph ? 'page' : undefined}
          >
            {text(`resources.view-${view}`)}
          </a>
        ))}
      </nav>
    </div>
  );
}

function viewQuery(view: 'table' | 'graph'): Query {
  const query = Object.fromEntries(route.value.query);
  return { ...query, view: view === 'graph' ? view : undefined };
}

interface ResourceChoiceProps {
  readonly name: 'project' | 'tag';
  readonly values: readonly string[];
  readonly chosen: string | undefined;
}

function Facet({ name, values, chosen }: ResourceChoiceProps) {
  return (
    <label class="field">
      <span>{text(`resources.${name}`)}</span>
      <select
        value={chosen ?? ''}
        onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
      >
        <option value="">{text('resources.any')}</option>
        {values.map((value) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </select>
    </label>
  );
}

function NoMatch() {
  return (
    <div class="empty">
      <p>{text('resources.no-match')}</p>
      <p>
        <a href={hrefTo('resources')}>{text('resources.show-all')}</a>
      </p>
    </div>
  );
}

function Empty() {
  return (
    <div class="empty">
      <p>{text('resources.none')}</p>
      {may('listTypes') && (
        <p>
          <a href={hrefTo('types')}>{text('resources.create')}</a>
        </p>
      )}
    </div>
  );
}
