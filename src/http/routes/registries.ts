// Implements /registries: private npm registries from which builds install packages. No answer has a token.
import { Registry } from '../../api/schemas/registries.ts';
import { shownName } from '../../domain/actor.ts';
import { FairleadError } from '../../domain/errors.ts';
import { nearest } from '../../lib/nearest.ts';
import type { RegistryRecord, RegistryStore } from '../../store/providers/registries.ts';
import { actorOf } from '../auth/claims.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { planHeader, planHeaderOf } from '../request/dry-run.ts';
import { presenterOf } from '../response/body.ts';
import { json, noContent } from '../response/send.ts';

export interface RegistryRoutesDeps {
  readonly registries: RegistryStore;
}

const registryBody = presenterOf(Registry);

const tag = 'Registries';

export function registryRoutes({ registries }: RegistryRoutesDeps): readonly Endpoint[] {
  return [
    endpoint('listRegistries', {
      documentation: {
        tag,
        summary: 'List private npm registries',
        description: 'From these, builds of the organization install packages of a scope.',
        answer: { status: 200, description: 'The registries, without tokens.' },
      },
      handle: async ({ caller: { organization } }) =>
        json((await registries.list(organization)).map(presentRegistry)),
    }),
    endpoint('setRegistry', {
      documentation: {
        tag,
        summary: 'Set a private npm registry',
        description:
          'Replaces address and token of the scope. The token is stored in a Secret and never shown; only the step of builds that installs packages gets it.',
        answer: {
          status: 200,
          description: 'The registry. With `dry_run=true`, as it would be.',
          headers: planHeaderOf('update'),
        },
        errors: ['conflict'],
      },
      handle: async ({ caller, path: { scope }, query: { dry_run }, body: { url, token } }) => {
        const write = { scope, url, token, by: actorOf(caller), isPreview: dry_run };
        const record = await registries.set(caller.organization, write);
        return json(presentRegistry(record), { headers: dry_run ? planHeader('update') : {} });
      },
    }),
    endpoint('deleteRegistry', {
      documentation: {
        tag,
        summary: 'Remove a private npm registry',
        description: 'Builds install packages of the scope from the other registry again.',
        answer: { status: 204, description: 'The registry and its token are removed.' },
        errors: ['registry_not_found', 'conflict'],
      },
      handle: async ({ caller, path: { scope } }) => {
        const known = (await registries.list(caller.organization)).map((each) => each.scope);
        if (!known.includes(scope)) {
          const meant = nearest(scope, known);
          const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
          throw new FairleadError('registry_not_found', `No registry for ${scope}${hint}`);
        }
        await registries.remove(caller.organization, scope);
        return noContent;
      },
    }),
  ];
}

function presentRegistry(record: RegistryRecord) {
  return registryBody({ ...record, setByName: shownName(record.setBy, record.setByName) });
}
