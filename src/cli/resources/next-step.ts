// Names the command for a step that the API advises.
import type { NextStep } from '../api/bodies.ts';

const commands: Readonly<Record<string, (step: NextStep) => string | undefined>> = {
  apply: () => 'fairlead apply -f FILE',
  wait: ({ resource }) => resource && `fairlead wait ${resource}`,
  retry_dead_letters: ({ cause }) => cause && `fairlead dead-letters retry --cause ${cause}`,
  read_logs: ({ provider, resource }) => {
    const name = resource ?? provider;
    return name && `fairlead logs ${name} --since 10m`;
  },
  read_build_logs: ({ job_name, provider }) =>
    job_name ? `fairlead build logs ${job_name}` : provider && `fairlead build list ${provider}`,
  deploy: ({ provider, version }) =>
    provider && `fairlead deploy ${provider}${version ? ` ${version}` : ''}`,
  rollback: ({ provider }) => provider && `fairlead rollback ${provider}`,
  register_type: () => 'fairlead type register -f FILE',
  delete: ({ resource }) => resource && `fairlead delete ${resource}`,
  force_delete: ({ resource }) => resource && `fairlead delete ${resource} --force`,
  delete_users: ({ resource }) => resource && `fairlead why ${resource} --users`,
  create_project: ({ project_id }) => project_id && `fairlead project create ${project_id}`,
};

/** @returns undefined for a step without a command, such as one that an administrator takes */
export function commandFor(step: NextStep): string | undefined {
  return commands[step.do]?.(step);
}
