import type { ComponentChildren } from 'preact';
import type { ResourceDefinition, ResourceRecord } from '../../../api/shapes.ts';
import { stateWord } from '../../../client/drift.ts';
import { projectText } from '../../../client/project.ts';
import { isInDeletion, shownState } from '../../../client/shown-state.ts';
import { slashed } from '../../../domain/identity.ts';
import { progressText } from '../../../domain/progress/text.ts';
import { Marks } from '../../components/marks.tsx';
import { ProgressBar } from '../../components/progress-bar.tsx';
import { State } from '../../components/state.tsx';
import { Ago } from '../../components/time.tsx';
import { Title } from '../../components/title.tsx';
import { hrefTo } from '../../router/route.ts';
import { observeWords } from './options/option-words.ts';
import { shownOf } from './secrets.ts';
import { text } from './text.ts';

interface HeaderProps {
  readonly record: ResourceRecord;
  /** Undefined while it is not known. */
  readonly type: ResourceDefinition | undefined;
  /** Buttons. */
  readonly children: ComponentChildren;
}

export function ResourceHeader({ record, type, children }: HeaderProps) {
  const { provider, resource, project_id, tags, applied_by, provider_version } = record;
  const { deletion_requested_at: deletionRequestedAt } = record;
  const state = shownState(record);
  const observing = observeWords(record);
  const { adopt } = shownOf(record, type);
  return (
    <>
      <Title title={slashed(record)}>
        <span aria-live="polite">
          <State state={stateWord(record)} />{' '}
          {state === 'failed' && isInDeletion(record) && <State state="deleting" tone="quiet" />}
        </span>
        <Marks record={record} />
        <div class="actions">{children}</div>
      </Title>
      <dl class="facts">
        <dt>{text('resource.provider')}</dt>
        <dd>
          <a href={hrefTo('providers', [provider])}>{provider}</a>
          {provider_version !== null && (
            <span class="quiet"> {text('resource.version', { version: provider_version })}</span>
          )}
        </dd>
        <dt>{text('resource.type')}</dt>
        <dd>
          <a href={hrefTo('types', [provider, resource])}>{resource}</a>
        </dd>
        <dt>{text('resource.project')}</dt>
        <dd title={project_id}>{projectText(record)}</dd>
        {record.set !== null && (
          <>
            <dt>{text('resource.set')}</dt>
            <dd>
              <a href={hrefTo('sets', [project_id, record.set])}>{record.set}</a>
            </dd>
          </>
        )}
        {tags !== null && tags.length > 0 && (
          <>
            <dt>{text('resource.tags')}</dt>
            <dd>
              <ul class="tag-list">
                {tags.map((tag) => (
                  <li key={tag}>{tag}</li>
                ))}
              </ul>
            </dd>
          </>
        )}
        <dt>{text('resource.applied-by')}</dt>
        <dd title={applied_by ?? undefined}>
          {record.applied_by_name ?? applied_by ?? <span class="quiet">—</span>}
        </dd>
        {(observing !== '' || record.observation != null) && (
          <>
            <dt>{text('resource.observed')}</dt>
            <dd>
              {observing}
              <Requested observation={record.observation} />
            </dd>
          </>
        )}
        {adopt !== undefined && (
          <>
            <dt>{text('resource.adopted')}</dt>
            <dd>
              <code>{JSON.stringify(adopt)}</code>
            </dd>
          </>
        )}
        {(record.progress ?? null) !== null && (
          <>
            <dt>{text('progress')}</dt>
            <dd>
              <ProgressBar record={record} /> {progressText(record.progress)}
            </dd>
          </>
        )}
        <dt>{text('resource.changed')}</dt>
        <dd>
          <Ago time={record.updated_at} />
          <span class="quiet">
            {' · '}
            {text('resource.created')} <Ago time={record.created_at} />
          </span>
        </dd>
        {deletionRequestedAt !== null && (
          <>
            <dt>{text('resource.deletion-requested')}</dt>
            <dd>
              <Ago time={deletionRequestedAt} />
            </dd>
          </>
        )}
      </dl>
    </>
  );
}

/** The last observation that somebody has requested. */
function Requested({ observation }: Pick<ResourceRecord, 'observation'>) {
  if (observation == null) return null;
  const { at, exists, error } = observation;
  const found = exists === false ? 'missing' : 'found';
  return (
    <div>
      <span class="quiet">
        {text('resource.observed.asked')} <Ago time={at} />:
      </span>{' '}
      {error ?? text(`resource.observed.${found}`)}
    </div>
  );
}
