// All sets of the organization, those that need somebody first.
import { useMemo } from 'preact/hooks';
import type { SetRecord } from '../../../api/shapes.ts';
import { list } from '../../api/client.ts';
import { CommandLine } from '../../components/command-line.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { lookOf } from '../../components/look.ts';
import { SearchField } from '../../components/search-field.tsx';
import { Loading, State } from '../../components/state.tsx';
import { Ago } from '../../components/time.tsx';
import { Title } from '../../components/title.tsx';
import { RowLink, VirtualRows } from '../../components/virtual-rows.tsx';
import { usePolled } from '../../live/polled.ts';
import { isSynced, resources, resourcesError } from '../../live/resources.ts';
import { hrefTo, route, setQuery } from '../../router/route.ts';
import { may } from '../../session/rights.ts';
import { numberText } from '../../text.ts';
import { firstSetCommand, listCommands } from './commands.ts';
import { applierOf, type SetRow, setKey, setProject, setRows } from './model.ts';
import { counted, text } from './text.ts';

const everyMs = 3_000;
/** As in style/rows.css. */
const rowHeight = 40;

export function SetList() {
  const polled = usePolled({
    key: 'sets',
    everyMs,
    load: (signal) => list('listSets', { signal }),
  });
  const { value: sets } = polled.value;
  const error = polled.error.value ?? resourcesError.value;
  const isReady = sets !== undefined && isSynced.value;
  const filter = route.value.query.get('filter') ?? '';
  const all = resources.value;
  const rows = useMemo(() => setRows(sets ?? [], all, filter), [sets, all, filter]);
  return (
    <>
      <Title title={text('sets.title')}>
        {isReady && <p role="status">{counted('sets.count', sets.length)}</p>}
      </Title>
      <ErrorBox error={error} />
      {!isReady && error === undefined && <Loading />}
      {isReady && sets.length === 0 && <NoSetYet />}
      {isReady && sets.length > 0 && (
        <>
          <div class="filters">
            <SearchField
              label={text('sets.filter')}
              value={filter}
              onInput={(value) => setQuery({ filter: value })}
            />
          </div>
          {rows.length === 0 ? (
            <p class="empty">{text('sets.no-match')}</p>
          ) : (
            <SetRows rows={rows} />
          )}
        </>
      )}
      <CommandLine commands={listCommands()} />
    </>
  );
}

function NoSetYet() {
  return (
    <div class="empty">
      <p>{text('sets.none')}</p>
      <p>{text('sets.what')}</p>
      {may('applySet') && (
        <p>
          {text('sets.first')}
          <br />
          <code>{firstSetCommand}</code>
        </p>
      )}
    </div>
  );
}

function SetRows({ rows }: { readonly rows: readonly SetRow<SetRecord>[] }) {
  return (
    <div class="set-rows">
      <VirtualRows
        items={rows}
        rowHeight={rowHeight}
        label={text('sets.title')}
        columns={[
          text('sets.name'),
          text('sets.members'),
          text('sets.unlisted'),
          text('sets.applied'),
          text('sets.project'),
        ]}
        row={({ set, states }, index) => (
          <RowLink
            key={setKey(set)}
            index={index}
            href={hrefTo('sets', [set.project_id, set.set])}
            cells={[
              <SetLabel key="name" set={set} />,
              <MemberCounts key="members" states={states} />,
              set.unlisted_count === 0 ? '' : numberText(set.unlisted_count),
              <LastApply key="applied" set={set} />,
              setProject(set),
            ]}
          />
        )}
      />
    </div>
  );
}

/** A long name is cut, and the state beside it is not. */
function SetLabel({ set: { set, complete } }: { readonly set: SetRecord }) {
  return (
    <span class="marked">
      <span class="name">{set}</span> {complete === false && <Incomplete />}
    </span>
  );
}

export function Incomplete() {
  return <State state={text('sets.incomplete')} tone="busy" />;
}

/** In narrow windows the words are read only. */
function MemberCounts({ states }: Pick<SetRow<SetRecord>, 'states'>) {
  if (states.length === 0) return <span class="quiet">{text('sets.empty')}</span>;
  return (
    <>
      {states.map(([word, count]) => {
        const { sign, tone } = lookOf(word);
        return (
          <span key={word} class={`state count ${tone}`}>
            <span class="sign" aria-hidden="true">
              {sign}
            </span>
            {numberText(count)} <span class="word">{word}</span>
          </span>
        );
      })}
    </>
  );
}

function LastApply({ set }: { readonly set: SetRecord }) {
  const by = applierOf(set);
  return (
    <>
      <Ago time={set.applied_at} /> {by !== undefined && <span class="quiet">{by}</span>}
    </>
  );
}
