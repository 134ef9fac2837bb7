// Pure. Decides what an organization still lacks, in order of creation. First match wins.
import { Reason } from '../../crds/conditions.ts';
import { organizationOf } from '../../domain/identity.ts';
import { firstMatch } from '../../lib/first-match.ts';
import type { Guard } from './guard-kinds.ts';
import { hasLabels } from './guards.ts';
import type { Observed } from './observe.ts';
import { hasAnnotations, isOurs } from './ownership.ts';

export type Decision =
  | { readonly do: 'nothing' }
  /** Records the mark that will identify the namespace, before creating it. */
  | { readonly do: 'requestNamespace' }
  | { readonly do: 'createNamespace' }
  | { readonly do: 'repairNamespace' }
  | { readonly do: 'putGuards'; readonly guards: readonly Guard[] }
  | { readonly do: 'createDefaultProject' }
  | {
      readonly do: 'explain';
      readonly ready: boolean;
      readonly reason: Reason;
      readonly message: string;
    }
  /** A terminating namespace must be gone before it can be created again. */
  | { readonly do: 'waitForNamespace' };

type Rule = (observed: Observed) => Decision | undefined;

const rules: readonly Rule[] = [
  refuseAnotherName,
  requestNamespace,
  createNamespace,
  refuseForeignNamespace,
  waitWhileNamespaceGoes,
  repairNamespace,
  putGuards,
  createDefaultProject,
  announceReady,
];

export function decide(observed: Observed): Decision {
  return firstMatch(rules, observed) ?? { do: 'nothing' };
}

function refuseAnotherName({ organization }: Observed): Decision | undefined {
  const { issuer, externalId } = organization.spec;
  const { namespace } = organizationOf(issuer, externalId);
  if (organization.metadata.name === namespace) return undefined;
  const message = `metadata.name must be ${namespace} for this issuer and external id`;
  return { do: 'explain', ready: false, reason: Reason.InvalidName, message };
}

function requestNamespace({ organization, namespace }: Observed): Decision | undefined {
  if (namespace !== undefined || organization.status?.namespaceRequest !== undefined) {
    return undefined;
  }
  return { do: 'requestNamespace' };
}

function createNamespace({ namespace }: Observed): Decision | undefined {
  return namespace === undefined ? { do: 'createNamespace' } : undefined;
}

/** A foreign namespace is never adopted, whatever its annotations: anybody can compute them. */
function refuseForeignNamespace(observed: Observed): Decision | undefined {
  if (isOurs(observed)) return undefined;
  const { name } = observed.organization.metadata;
  const uid = observed.namespace?.metadata.uid ?? '';
  const message = `Namespace ${name} exists and was not created for this organization. To use it with everything in it, record its uid: kubectl patch organizations.fairlead.dev ${name} --subresource=status --type=merge -p '{"status":{"namespaceUid":"${uid}"}}'`;
  return { do: 'explain', ready: false, reason: Reason.NamespaceTaken, message };
}

function waitWhileNamespaceGoes({ namespace }: Observed): Decision | undefined {
  return namespace?.metadata.deletionTimestamp === undefined
    ? undefined
    : { do: 'waitForNamespace' };
}

function repairNamespace(observed: Observed): Decision | undefined {
  const isWhole = hasLabels(observed.namespace) && hasAnnotations(observed);
  return isWhole ? undefined : { do: 'repairNamespace' };
}

function putGuards({ missingGuards: guards }: Observed): Decision | undefined {
  return guards.length === 0 ? undefined : { do: 'putGuards', guards };
}

function createDefaultProject({ defaultProject }: Observed): Decision | undefined {
  return defaultProject === undefined ? { do: 'createDefaultProject' } : undefined;
}

function announceReady(): Decision {
  return {
    do: 'explain',
    ready: true,
    reason: Reason.Provisioned,
    message: 'The namespace is ready',
  };
}
