// `fairlead whoami`: the identity that the API reads from the token.
import type { Me } from '../api/bodies.ts';
import type { Invocation } from '../invocation.ts';

export async function whoami({ api, output, context }: Invocation): Promise<undefined> {
  const me = await (await api()).get('getMe', {});
  const { name, url } = await context();
  await output.fields(me, rowsOf(me, name === undefined ? url.origin : `${name} (${url.origin})`));
  return undefined;
}

function rowsOf(me: Me, context: string): readonly (readonly [string, string])[] {
  const { organization_name: name, organization_id: id } = me;
  return [
    ['Context', context],
    ['Organization', name === null ? id : `${name} (${id})`],
    ['Subject', me.subject],
    ...(me.email === null ? [] : [['Email', me.email] as const]),
    ['Role', me.role],
    ...(me.project_id === null ? [] : [['Project', me.project_id] as const]),
    ['Issuer', me.issuer],
    ['Namespace', me.namespace],
  ];
}
