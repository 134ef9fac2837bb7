// `fairlead whoami`: the identity that the API reads from the token.
import type { Me } from '../../../api/shapes.ts';
import { sizeText } from '../../../client/time.ts';
import type { Invocation } from '../../session/invocation.ts';

export async function whoami({ api, output, context }: Invocation): Promise<void> {
  const me = await (await api()).call('getMe', {});
  const { name, url } = await context();
  await output.fields(
    me,
    identityRows(me, name === undefined ? url.origin : `${name} (${url.origin})`),
  );
}

function identityRows(me: Me, context: string): readonly (readonly [string, string])[] {
  const { organization_name: name, organization_id: id } = me;
  return [
    ['Context', context],
    ['Organization', name === null ? id : `${name} (${id})`],
    ['Subject', me.subject],
    ...(me.display === undefined || me.display === me.subject
      ? []
      : [['Name', me.display] as const]),
    ['Role', me.role],
    ...(me.project_id === null ? [] : [['Project', me.project_id] as const]),
    ['Issuer', me.issuer],
    ['Namespace', me.namespace],
    ...usageRows(me),
  ];
}

function usageRows({ limits, usage }: Me): readonly (readonly [string, string])[] {
  return [
    ['Resources', `${usage.resources} of ${limits.resources}`],
    ['Size', `${sizeText(usage.resource_bytes)} of ${sizeText(limits.resource_bytes)}`],
  ];
}
