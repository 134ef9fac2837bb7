// Wraps the handlers of a provider to check that they receive the sent configuration as parsed by the schema.
import { isDeepStrictEqual } from 'node:util';
import type { Call } from '../call.ts';
import type { Provider, ResourceType } from '../provider.ts';
import { type Findings, shown } from './findings.ts';

type SentObjects = readonly object[];

/** @param sent the configurations that are sent; handlers must receive one of them, with its defaults */
export function observed(
  provider: Provider,
  type: ResourceType,
  { sent, found }: { sent: SentObjects; found: Findings },
): Provider {
  const expected = sent.map((config) => type.config.parse(config));
  const look = ({ config }: Call<unknown>) => {
    if (expected.some((each) => isDeepStrictEqual(each, config))) return;
    found.add(`config: expected handlers to see ${shown(expected)}, saw ${shown(config)}`);
  };
  const watched: ResourceType = {
    ...type,
    create(call) {
      look(call);
      return type.create(call);
    },
    update(call) {
      look(call);
      return type.update(call);
    },
    delete(call) {
      look(call);
      return type.delete(call);
    },
  };
  return { ...provider, types: new Map(provider.types).set(type.name, watched) };
}
