// Defines the CEL rule for `metadata.name`. Fairlead finds objects by the name that `domain/identity` makes: an object with any other
// name would be invisible over HTTP. CEL has no sha256, so the API server checks only the shape of a name with a hash; the controller
// compares the hash itself.
import { longestObjectName } from '../domain/identity.ts';
import type { CelRule } from './define.ts';

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const hashed = '-[0-9a-f]{16}$';

/** Requires `metadata.name` to be the members of the spec, joined by dots, or to have a hash where that is no name in Kubernetes. */
export function namedAfter(...members: readonly string[]): CelRule {
  const dotted = members.map((member) => `self.spec.${member}`).join(" + '.' + ");
  const isName = [
    `(${dotted}).matches('^${label}([.]${label})*$')`,
    `(${dotted}).size() <= ${longestObjectName}`,
    `!(${dotted}).matches('^[-a-z0-9]*${hashed}')`,
  ].join(' && ');
  const name = 'self.metadata.name';
  return {
    // Only on creation: the members are immutable, and a status write would compute the name, too.
    rule: `oldSelf.hasValue() || (${isName} ? ${name} == ${dotted} : ${name}.matches('^[a-z0-9][-a-z0-9]{0,34}${hashed}'))`,
    optionalOldSelf: true,
    fieldPath: '.metadata.name',
    message: `must be ${members.map((member) => `{${member}}`).join('.')}, or have a hash where that is no name in Kubernetes`,
    messageExpression: `${isName} ? 'must be ' + ${dotted} : 'must end with a hash, since ' + ${dotted} + ' is no name in Kubernetes: apply it over HTTP, or name it with lower-case letters, digits, dots and dashes'`,
  };
}
