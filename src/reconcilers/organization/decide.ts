// Pure. What an organization still lacks, in the order in which it is made. First match wins.
import { Reason } from '../../crds/conditions.ts';
import { organizationOf } from '../../domain/identity.ts';
import { annotation } from '../../store/kinds.ts';
import type { Guard } from './guard-kinds.ts';
import { hasLabels } from './guards.ts';
import type { Observed } from './observe.ts';

export type Decision =
  | { readonly do: 'nothing' }
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
  /** A namespace that is going must be gone before it can be made again. */
  | { readonly do: 'waitForNamespace' };

type Rule = (observed: Observed) => Decision | undefined;

const rules: readonly Rule[] = [
  refuseAnotherName,
  createNamespace,
  refuseForeignNamespace,
  waitWhileNamespaceGoes,
  repairNamespace,
  putGuards,
  createDefaultProject,
  announceReady,
];

export function decide(observed: Observed): Decision {
  for (const rule of rules) {
    const decision = rule(observed);
    if (decision !== undefined) return decision;
  }
  return { do: 'nothing' };
}

/** The full identity: the name of a namespace holds only a part of its hash. */
export function namespaceAnnotations({ organization }: Pick<Observed, 'organization'>) {
  return {
    [annotation.issuer]: organization.spec.issuer,
    [annotation.organizationId]: organization.spec.externalId,
  };
}

function refuseAnotherName({ organization }: Observed): Decision | undefined {
  const { issuer, externalId } = organization.spec;
  const { namespace } = organizationOf(issuer, externalId);
  if (organization.metadata.name === namespace) return undefined;
  const message = `metadata.name must be ${namespace} for this issuer and external id`;
  return { do: 'explain', ready: false, reason: Reason.InvalidName, message };
}

function createNamespace({ namespace }: Observed): Decision | undefined {
  return namespace === undefined ? { do: 'createNamespace' } : undefined;
}

/** A namespace that is not ours is never adopted. */
function refuseForeignNamespace({ organization, namespace }: Observed): Decision | undefined {
  const held = namespace?.metadata.annotations ?? {};
  const wanted = namespaceAnnotations({ organization });
  const ours = Object.entries(wanted).every(([key, value]) => held[key] === value);
  if (ours) return undefined;
  const message = 'The namespace exists and does not belong to this organization';
  return { do: 'explain', ready: false, reason: Reason.NamespaceTaken, message };
}

function waitWhileNamespaceGoes({ namespace }: Observed): Decision | undefined {
  return namespace?.metadata.deletionTimestamp === undefined
    ? undefined
    : { do: 'waitForNamespace' };
}

function repairNamespace({ namespace }: Observed): Decision | undefined {
  return hasLabels(namespace) ? undefined : { do: 'repairNamespace' };
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
