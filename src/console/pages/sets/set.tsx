// One set: how its last apply went, its members live, as a table or a graph, and those that the apply did not name.
import { useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import type { ResourceRecord, SetWithMembers } from '../../../api/shapes.ts';
import { call } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { CommandLine } from '../../components/command-line.tsx';
import { CopyButton } from '../../components/copy.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { Loading } from '../../components/state.tsx';
import { currentTab, Tabs } from '../../components/tabs.tsx';
import { Ago } from '../../components/time.tsx';
import { Title } from '../../components/title.tsx';
import { usePolled } from '../../live/polled.ts';
import { isSynced, resources, resourcesError } from '../../live/resources.ts';
import { hrefTo, route, setQuery } from '../../router/route.ts';
import { may } from '../../session/rights.ts';
import { numberText } from '../../text.ts';
import { Causes } from '../resources/causes.tsx';
import { Count, StateFilter } from '../resources/counts.tsx';
import { Graph } from '../resources/graph/graph.tsx';
import { countsOf, driftCount, filterIn, ranked, selected } from '../resources/model.ts';
import { Table } from '../resources/table.tsx';
import { setCommands, setTabs } from './commands.ts';
import { DeleteSetDialog } from './delete-dialog.tsx';
import { applierOf, leftOf, setMembers, setProject, unlistedAmong } from './model.ts';
import { Incomplete } from './set-list.tsx';
import { counted, text } from './text.ts';
import { Unlisted } from './unlisted.tsx';

/** Its members are live without it. */
const everyMs = 3_000;

interface OneSetProps {
  readonly name: string;
  /** Its id or name; the default project without it. */
  readonly project?: string | undefined;
}

export function OneSet({ name, project }: OneSetProps) {
  const polled = usePolled({
    key: `${project} ${name}`,
    everyMs,
    load: (signal) =>
      call('getSet', { path: { set: name }, query: { project_id: project }, signal }),
  });
  const before = useRef<SetWithMembers | undefined>(undefined);
  const { value: found } = polled.value;
  const { value: error } = polled.error;
  if (error instanceof ApiError && error.code === 'set_not_found') {
    return <GoneSet name={name} project={before.current?.project_id ?? project} />;
  }
  before.current = found;
  const shownError = error ?? resourcesError.value;
  if (found === undefined || !isSynced.value) {
    return (
      <>
        <Title title={name} />
        <ErrorBox error={shownError} />
        {shownError === undefined && <Loading />}
      </>
    );
  }
  return <SetWithTabs set={found} error={shownError} reload={polled.reload} />;
}

/** A set is gone before the last of its members that are deleted with it. */
function GoneSet(id: OneSetProps) {
  const left = ranked(leftOf(id, resources.value));
  return (
    <>
      <Title title={id.name} />
      <div class="empty" role="status">
        <p>
          {left.length === 0
            ? text('sets.missing', { name: id.name })
            : counted('sets.deleting', left.length, { name: id.name })}
        </p>
        <p>
          <a href={hrefTo('sets')}>{text('sets.all')}</a>
        </p>
      </div>
      {left.length > 0 && <MemberView shown={left} isEmpty={false} isGraph={false} />}
    </>
  );
}

interface SetWithTabsProps {
  readonly set: SetWithMembers;
  /** The error of the last read; what was read before is still shown. */
  readonly error: unknown;
  readonly reload: () => Promise<void>;
}

function SetWithTabs({ set, error, reload }: SetWithTabsProps) {
  const tab = currentTab(setTabs);
  const { query } = route.value;
  const filter = filterIn(query);
  const all = resources.value;
  const members = useMemo(() => ranked(setMembers(set, all)), [all, set.set, set.project_id]);
  const { shown } = selected(members, filter);
  const unlisted = unlistedAmong(set.unlisted, members);
  return (
    <>
      <Title title={set.set}>
        {set.complete === false && <Incomplete />}
        <Count shown={shown.length} total={members.length} />
        <StateFilter counts={countsOf(members)} drifted={driftCount(members)} />
        <DeleteSet set={set} reload={reload} />
      </Title>
      <Facts set={set} />
      <ErrorBox error={error} />
      {set.complete === false && <p class="card busy">{text('sets.incomplete.advice')}</p>}
      {tab !== 'unlisted' && <HasUnlisted count={unlisted.length} />}
      <Tabs
        label={text('sets.parts')}
        current={tab}
        query={Object.fromEntries(query)}
        tabs={setTabs.map((name) => ({ name, title: tabTitle(name, unlisted.length) }))}
      />
      <div class="filters">
        <SearchField
          label={text('sets.filter')}
          hint="provider/type/name, *"
          value={filter.text}
          onInput={(value) => setQuery({ filter: value })}
        />
      </div>
      {tab === 'unlisted' ? (
        <Unlisted members={selected(unlisted, filter).shown} reload={reload} />
      ) : (
        <MemberView shown={shown} isEmpty={members.length === 0} isGraph={tab === 'graph'} />
      )}
      <CommandLine commands={setCommands(tab, { name: set.set, project: setProject(set) })} />
    </>
  );
}

interface MemberViewProps {
  readonly shown: readonly ResourceRecord[];
  /** Whether the set has no members at all. */
  readonly isEmpty: boolean;
  readonly isGraph: boolean;
}

function MemberView({ shown, isEmpty, isGraph }: MemberViewProps) {
  if (shown.length === 0) {
    return <p class="empty">{text(isEmpty ? 'sets.no-members' : 'sets.no-member-matches')}</p>;
  }
  if (isGraph) return <Graph resources={shown} />;
  return (
    <>
      <Causes shown={shown} />
      <Table resources={shown} />
    </>
  );
}

function DeleteSet({ set, reload }: Pick<SetWithTabsProps, 'set' | 'reload'>) {
  const isAsking = useSignal(false);
  if (!may('deleteSet')) return null;
  const ask = () => {
    isAsking.value = true;
  };
  const close = () => {
    isAsking.value = false;
    void reload();
  };
  return (
    <div class="actions">
      <button type="button" class="danger" onClick={ask}>
        {text('sets.delete')}
      </button>
      {isAsking.value && <DeleteSetDialog set={set} onClose={close} />}
    </div>
  );
}

function HasUnlisted({ count }: { readonly count: number }) {
  if (count === 0) return null;
  const { page, path } = route.value;
  return (
    <p class="card busy">
      {counted('sets.has-unlisted', count)}{' '}
      <a href={hrefTo(page, path, { show: 'unlisted' })}>{text('sets.decide')}</a>
    </p>
  );
}

function tabTitle(name: (typeof setTabs)[number], unlisted: number): string {
  return name === 'unlisted' && unlisted > 0
    ? text('sets.tab.unlisted-count', { count: numberText(unlisted) })
    : text(`sets.tab.${name}`);
}

const digestLength = 32;

/** A digest grows with the members, and people compare beginnings: the button copies all of it. */
function shortDigest(plan: string): string {
  return plan.length <= digestLength ? plan : `${plan.slice(0, digestLength)}…`;
}

function Facts({ set }: { readonly set: SetWithMembers }) {
  const { applied_at: appliedAt, plan } = set;
  return (
    <dl class="facts">
      <dt>{text('sets.project')}</dt>
      <dd title={set.project_id}>{setProject(set)}</dd>
      <dt>{text('sets.prune')}</dt>
      <dd>
        {set.prune} <span class="quiet">{text(`sets.prune.${set.prune}`)}</span>
      </dd>
      <dt>{text('sets.applied')}</dt>
      <dd title={set.applied_by ?? undefined}>
        {appliedAt === null ? (
          <span class="quiet">{text('sets.never-applied')}</span>
        ) : (
          <>
            {applierOf(set)} <Ago time={appliedAt} />
          </>
        )}
      </dd>
      {plan !== null && (
        <>
          <dt>{text('sets.plan')}</dt>
          <dd>
            <code>{shortDigest(plan)}</code> <CopyButton value={plan} what={text('sets.plan')} />
          </dd>
        </>
      )}
    </dl>
  );
}
