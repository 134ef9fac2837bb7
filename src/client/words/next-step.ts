// Names the command for a step that the API advises.
import type { NextStep } from '../../api/shapes.ts';
import { shellWord } from './shell-word.ts';

const commands: Readonly<Record<string, (step: NextStep) => string | undefined>> = {
  apply: () => 'fairlead apply -f FILE',
  edit: ({ resource }) => resource && `fairlead edit ${resource}`,
  correct: ({ resource }) => resource && `fairlead correct ${resource}`,
  apply_actual: ({ resource }) => resource && `fairlead apply ${resource} --from-actual`,
  observe: ({ resource }) => resource && `fairlead observe ${resource}`,
  release_corrections: ({ provider }) =>
    provider && `fairlead provider release-corrections ${provider}`,
  explain: ({ resource }) => resource && `fairlead why ${resource}`,
  wait: ({ resource }) => resource && `fairlead wait ${resource}`,
  retry_dead_letters: ({ cause }) => cause && `fairlead dead-letters retry --cause ${cause}`,
  read_dead_letter: ({ event_id }) => event_id && `fairlead dead-letters get ${event_id}`,
  read_logs: ({ provider, resource, previous, since }) => {
    const name = resource ?? provider;
    if (name === undefined) return undefined;
    return previous === true
      ? `fairlead logs ${name} --previous`
      : `fairlead logs ${name} --since ${since ?? '10m'}`;
  },
  read_build_logs: ({ job_name, provider }) =>
    job_name ? `fairlead build logs ${job_name}` : provider && `fairlead build list ${provider}`,
  push: ({ provider }) => provider && `fairlead push --provider ${provider}`,
  deploy: ({ provider, version }) =>
    provider && `fairlead deploy ${provider}${version ? ` ${version}` : ''}`,
  rollback: ({ provider }) => provider && `fairlead rollback ${provider}`,
  set_settings: ({ provider, settings = [] }) =>
    provider &&
    `fairlead provider settings set --provider ${provider} ${settings.map(shellWord).join(' ') || 'NAME'}`,
  register_type: () => 'fairlead type register -f FILE',
  replace: () => 'fairlead apply -f FILE --replace',
  resume: ({ resource }) => resource && `fairlead resume ${resource}`,
  unprotect: ({ resource }) => resource && `fairlead unprotect ${resource}`,
  delete: ({ resource }) => resource && `fairlead delete ${resource}`,
  force_delete: ({ resource }) => resource && `fairlead delete ${resource} --force`,
  orphan: ({ resource }) => resource && `fairlead delete ${resource} --orphan`,
  delete_users: ({ resource }) => resource && `fairlead why ${resource} --users`,
  create_project: ({ project_id }) => project_id && `fairlead project create ${project_id}`,
};

/** @returns undefined for a step without a command, such as one that an administrator takes */
export function commandFor(step: NextStep): string | undefined {
  const quoted = Object.entries(step).map(([name, value]) => [
    name,
    typeof value === 'string' ? shellWord(value) : value,
  ]);
  return commands[step.do]?.(Object.fromEntries(quoted));
}
