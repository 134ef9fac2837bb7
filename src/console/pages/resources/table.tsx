// The resources as rows, failed ones first.
import type { ResourceRecord } from '../../../api/shapes.ts';
import { stateWord } from '../../../client/drift.ts';
import { isInDeletion, shownState } from '../../../client/shown-state.ts';
import { reasonParts } from '../../../client/words/reason-text.ts';
import { shownMessage } from '../../../client/words/shown-message.ts';
import { slashed } from '../../../domain/identity.ts';
import { Marks } from '../../components/marks.tsx';
import { ProgressBar } from '../../components/progress-bar.tsx';
import { State } from '../../components/state.tsx';
import { Ago } from '../../components/time.tsx';
import { RowLink, VirtualRows } from '../../components/virtual-rows.tsx';
import { hrefTo } from '../../router/route.ts';
import { text } from './text.ts';

/** As in style/rows.css. */
const rowHeight = 40;

export function Table({ resources }: { readonly resources: readonly ResourceRecord[] }) {
  return (
    <VirtualRows
      items={resources}
      rowHeight={rowHeight}
      label={text('resources.title')}
      columns={[
        text('resources.name'),
        text('resources.state'),
        text('resources.message'),
        text('resources.updated'),
      ]}
      row={(resource, index) => (
        <RowLink
          key={resource.id}
          index={index}
          href={hrefTo('resource', [resource.provider, resource.resource, resource.name])}
          cells={[
            <Name key="name" resource={resource} />,
            <State key="state" state={stateWord(resource)} />,
            <span key="message" class="quiet" title={resource.message ?? ''}>
              <ProgressBar record={resource} /> {rowMessage(resource)}
            </span>,
            <Ago key="updated" time={resource.updated_at} />,
          ]}
        />
      )}
    />
  );
}

/** A long name is cut, and the marks beside it are not. */
function Name({ resource }: { readonly resource: ResourceRecord }) {
  return (
    <span class="marked">
      <span class="name">{slashed(resource)}</span> <Marks record={resource} />
    </span>
  );
}

function rowMessage(resource: ResourceRecord): string {
  const { error, reason, progress = null } = resource;
  // The error is that of the attempt before.
  const said = progress === null ? (error ?? resource.message) : shownMessage(resource);
  const words = reasonParts(reason, said).sentence;
  const hasFailed = isInDeletion(resource) && shownState(resource) === 'failed';
  return hasFailed ? text('resources.deletion-failed', { message: words }) : words;
}
