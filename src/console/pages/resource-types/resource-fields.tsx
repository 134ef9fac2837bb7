// The fields of every resource: name, project, state, tags and dependencies.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { isProjectOf } from '../../../client/project.ts';
import { idOf } from '../../../domain/identity.ts';
import { list } from '../../api/client.ts';
import { NameInput } from '../../components/name-input.tsx';
import { usePolled } from '../../live/polled.ts';
import { liveResource } from '../../live/resources.ts';
import { hrefTo } from '../../router/route.ts';
import { may } from '../../session/rights.ts';
import type { PartProps } from './config-fields.tsx';
import { Dependencies } from './dependencies.tsx';
import { Problems } from './form/hint.tsx';
import { text } from './text.ts';

export function ResourceFields(props: PartProps) {
  const { draft, change, messages } = props;
  const id = useId();
  return (
    <>
      <ResourceNameField {...props} />
      {may('listProjects') && <ProjectField {...props} />}
      <fieldset>
        <legend>{text('types.state')}</legend>
        {(['pending', 'draft'] as const).map((state) => (
          <label key={state} class="check">
            <input
              type="radio"
              name={id}
              checked={draft.state === state}
              onInput={() => change({ state })}
            />{' '}
            {text(`types.state.${state}`)}
          </label>
        ))}
      </fieldset>
      <Labelled id={`${id}-tags`} label={text('types.tags-lines')}>
        <textarea
          id={`${id}-tags`}
          rows={2}
          spellcheck={false}
          autocapitalize="none"
          value={draft.tags}
          aria-describedby={`${id}-tags-problem`}
          aria-invalid={messages.has('/tags')}
          onInput={(event) => change({ tags: event.currentTarget.value })}
        />
        <Problems id={`${id}-tags-problem`} messages={messages.get('/tags')} />
      </Labelled>
      <Dependencies {...props} />
    </>
  );
}

interface LabelledProps {
  readonly id: string;
  readonly label: string;
  readonly children: ComponentChildren;
}

function Labelled({ id, label, children }: LabelledProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
    </div>
  );
}

function ResourceNameField({ draft, change, messages }: PartProps) {
  const id = useId();
  const { type, name } = draft;
  const { provider, resource } = type;
  const exists = name !== '' && liveResource(idOf({ provider, resource, name })) !== undefined;
  return (
    <Labelled id={id} label={`${text('types.resource-name')} ${text('types.required')}`}>
      <NameInput
        id={id}
        required
        value={name}
        aria-describedby={`${id}-problem ${id}-exists`}
        aria-invalid={messages.has('/name')}
        onInput={(changed) => change({ name: changed })}
      />
      <p id={`${id}-exists`} role="status">
        {exists && (
          <>
            {text('types.exists')}{' '}
            <a href={hrefTo('resource', [provider, resource, name])}>{text('types.open')}</a>
          </>
        )}
      </p>
      <Problems id={`${id}-problem`} messages={messages.get('/name')} />
    </Labelled>
  );
}

const everyMs = 60_000;

function ProjectField({ draft, change, messages }: PartProps) {
  const id = useId();
  const polled = usePolled({
    key: 'projects',
    everyMs,
    load: (signal) => list('listProjects', { signal }),
  });
  const projects = (polled.value.value ?? []).map((each) => ({ ...each, project_name: each.name }));
  return (
    <Labelled id={id} label={text('types.project')}>
      <select
        id={id}
        value={draft.project}
        aria-describedby={`${id}-problem`}
        aria-invalid={messages.has('/project_id')}
        onInput={(event) => change({ project: event.currentTarget.value })}
      >
        <option value="">{text('types.project-default')}</option>
        {projects.map(({ project_id, name }) => {
          const isOne = projects.filter((each) => isProjectOf(each, name)).length === 1;
          return (
            <option key={project_id} value={isOne ? name : project_id}>
              {isOne ? name : `${name} (${project_id})`}
            </option>
          );
        })}
      </select>
      <Problems id={`${id}-problem`} messages={messages.get('/project_id')} />
    </Labelled>
  );
}
