// Reads selectors of resources: `provider`, `provider/type`, `provider/type/name`, with `*` in any part, and the two spellings
// of the API with colons.

import type { ResourceTuple } from '../api/shapes.ts';
import { parseResourceAddress } from '../domain/identity.ts';

export interface Selector {
  readonly text: string;
  /** Sent to the API as a filter. */
  readonly provider: string | undefined;
  readonly resource: string | undefined;
  /** The one resource that it names, as the API addresses it; undefined for a selector of several. */
  readonly id: string | undefined;
  matches(tuple: ResourceTuple): boolean;
}

const part = /^[A-Za-z0-9*][A-Za-z0-9._*-]*$/;

/** @returns undefined for a text that is no selector */
export function parseSelector(text: string): Selector | undefined {
  const address = parseResourceAddress(text);
  if (address !== undefined) {
    const { tuple } = address;
    return {
      text,
      provider: tuple?.provider,
      resource: tuple?.resource,
      id: text,
      matches: (each) => `${each.provider}_${each.resource}_${each.name}` === address.key,
    };
  }
  const parts = text.split('/');
  if (parts.length > 3 || !parts.every((each) => part.test(each))) return undefined;
  const patterns = parts.map(patternOf);
  const [provider, resource] = parts;
  return {
    text,
    provider: plainOrUndefined(provider),
    resource: plainOrUndefined(resource),
    id: undefined,
    matches: (tuple) =>
      [tuple.provider, tuple.resource, tuple.name].every((each, at) => {
        const pattern = patterns[at];
        return pattern === undefined || pattern.test(each);
      }),
  };
}

/** @returns the resource that a selector names; undefined for one of several, and for an id, whose parts are ambiguous */
export function tupleOf({ text }: Pick<Selector, 'text'>): ResourceTuple | undefined {
  return parseResourceAddress(text)?.tuple;
}

function plainOrUndefined(text: string | undefined): string | undefined {
  return text === undefined || text.includes('*') ? undefined : text;
}

function patternOf(text: string): RegExp {
  const escaped = text.replaceAll('.', '\\.').replaceAll('*', '.*');
  return new RegExp(`^${escaped}$`);
}
