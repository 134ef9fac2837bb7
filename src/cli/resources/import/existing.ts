// `fairlead import --list`: the objects of a type that exist, as its provider lists them.
import type { AnswerOf } from '../../../api/shapes.ts';
import { counted } from '../../../client/time.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { isTuple } from '../../../domain/identity.ts';
import type { Invocation } from '../../session/invocation.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';
import type { View } from '../../terminal/output.ts';
import { adoptFlags, adoptText } from './identify.ts';

type ExistingObject = AnswerOf<'listExistingObjects'>[number];

const existingView: View<ExistingObject> = {
  columns: [
    { title: 'OBJECT', cell: ({ adopt }) => adoptText(adopt) },
    { title: 'NAME', cell: ({ name }) => name ?? '' },
    { title: 'MANAGED BY', sparse: true, cell: ({ managed_by }) => managed_by ?? '' },
  ],
  nameOf: ({ adopt, name }) => name ?? adoptText(adopt),
};

export async function listExisting(invocation: Invocation): Promise<void> {
  const { args, flags, output, talk } = invocation;
  const [type = ''] = args;
  const [, provider, resource] = /^([^/]+)\/([^/]+)$/.exec(type) ?? [];
  if (provider === undefined || resource === undefined || args.length > 1) {
    throw usageError('--list takes one type: PROVIDER/TYPE.', 'fairlead type list');
  }
  const api = await invocation.api();
  const path = { provider, resource };
  const all = await api.list('listExistingObjects', { path });
  const free = all.filter(({ managed_by }) => managed_by === null);
  await output.list(flags.on('all') ? all : free, existingView);
  if (output.isForPeople) talk.note(existingFooter(path, all.length, free));
}

function existingFooter(
  { provider, resource }: { readonly provider: string; readonly resource: string },
  all: number,
  free: readonly ExistingObject[],
): string {
  const type = `${provider}/${resource}`;
  const managed = all - free.length;
  const others =
    managed === 0 ? '' : ` ${counted(managed, 'other')} ${managed === 1 ? 'is' : 'are'} (--all).`;
  const [first] = free;
  const verb = free.length === 1 ? 'is' : 'are';
  const sentence = `${counted(free.length, 'object')} of ${type} ${verb} not managed by a resource.${others}`;
  if (first === undefined) return sentence;
  const { adopt } = first;
  // The provider chose the name.
  const name = isTuple({ provider, resource, name: first.name ?? '' }) ? first.name : 'NAME';
  return shell`${sentence}  Import one: fairlead import ${`${type}/${name}`} ${adoptFlags(adopt)}`;
}
