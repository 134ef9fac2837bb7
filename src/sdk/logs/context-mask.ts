// Hides in texts the secrets that code of a provider was given: those of an event or another request, and those of the settings. The
// rules are those of Fairlead itself, which hides them in what it stores and shows.
import {
  createSecretMask,
  inLines,
  minSecretLength,
  type SecretMask,
} from '../../domain/secrets/mask-text.ts';
import { secretTexts } from '../../domain/secrets/resource-secrets.ts';
import { type TypeSchemas, typeSchemas } from '../../domain/secrets/type-schemas.ts';
import { type JsonObject, pathsBelow } from '../../lib/json.ts';
import { asJson } from '../as-json.ts';
import type { AnyObject } from '../call.ts';
import type { Provider, ResourceType } from '../provider.ts';
import { registrationsOf } from '../registrations.ts';
import { passwordsOf } from '../settings.ts';
import { unrecorded } from './printed.ts';

/** The members of a request that may have secrets. */
interface BodyWithSecrets {
  readonly resource?: string;
  readonly config?: JsonObject;
  readonly previous_config?: JsonObject | null;
  readonly outputs?: JsonObject;
  readonly adopt?: JsonObject | null;
  /** JSON Pointers in the body of further secrets. */
  readonly secrets?: readonly string[];
}

/** Values that the body does not have: parsed and migrated ones, and outputs that a handler returned. */
type LaterValues = { readonly [Member in 'config' | 'previousConfig' | 'outputs']?: unknown };

export interface ContextMask extends SecretMask {
  /** Whether anything can be hidden. */
  readonly hasSecrets: () => boolean;
  /** Hides the secrets of these values from now on, too. */
  add(values: LaterValues): void;
}

export interface MaskedContext {
  /** The secrets of the settings. */
  readonly settings: readonly string[];
  readonly body?: BodyWithSecrets;
}

/** Finds the secrets when the first text is masked. */
export function contextMask(provider: Provider, { settings, body }: MaskedContext): ContextMask {
  const added: LaterValues[] = [];
  let made: { readonly mask: SecretMask; readonly isEmpty: boolean } | undefined;

  function current() {
    // Schemas of the author's may print.
    made ??= unrecorded(() => {
      const texts = body === undefined ? [] : bodySecrets(provider, body, added);
      const secrets = inLines([
        ...settings,
        ...texts.flatMap((each) => [each, ...passwordsOf(each)]),
      ]);
      return {
        mask: createSecretMask(secrets),
        isEmpty: secrets.every(({ length }) => length < minSecretLength),
      };
    });
    return made;
  }

  return {
    hasSecrets: () => !current().isEmpty,
    text: (text) => current().mask.text(text),
    value: (value) => current().mask.value(value),
    isIn: (text) => current().mask.isIn(text),
    add(values) {
      added.push(values);
      made = undefined;
    },
  };
}

function bodySecrets(
  provider: Provider,
  {
    resource = '',
    config = {},
    previous_config,
    outputs = {},
    adopt,
    secrets = [],
  }: BodyWithSecrets,
  added: readonly LaterValues[],
): readonly string[] {
  const schemas = markedSchemas(provider, provider.types.get(resource));
  const recorded = {
    appliedConfig: previous_config ?? undefined,
    declared: pathsBelow('/config', secrets),
    applied: pathsBelow('/previous_config', secrets),
    returned: pathsBelow('/outputs', secrets),
    adopt: adopt ?? undefined,
    adopted: pathsBelow('/adopt', secrets),
  };
  const given = secretTexts({ config, outputs, secrets: recorded }, schemas);
  const later = added.flatMap((values) => {
    const appliedConfig = jsonOf(values.previousConfig);
    const contents = { config: jsonOf(values.config), outputs: jsonOf(values.outputs) };
    return secretTexts({ ...contents, secrets: { ...recorded, appliedConfig } }, schemas);
  });
  return [...given, ...later];
}

/** Values that are no JSON have nothing that can be looked for. */
function jsonOf(value: unknown): JsonObject {
  try {
    return asJson((value ?? {}) as AnyObject);
  } catch {
    return {};
  }
}

const known = new WeakMap<ResourceType, TypeSchemas>();

/** @returns undefined for a type that Fairlead cannot know, and then everything is secret */
function markedSchemas(
  provider: Provider,
  type: ResourceType | undefined,
): TypeSchemas | undefined {
  if (type === undefined) return undefined;
  const before = known.get(type);
  if (before !== undefined) return before;
  try {
    const [registration] = registrationsOf({ ...provider, types: new Map([[type.name, type]]) });
    const { schema, outputs_schema, adopt_schema, earlier_versions } = registration ?? {};
    const made = typeSchemas({
      schema,
      outputsSchema: outputs_schema,
      adoptSchema: adopt_schema,
      earlierVersions: earlier_versions?.map((each) => ({
        schema: each.schema,
        outputsSchema: each.outputs_schema,
      })),
    });
    known.set(type, made);
    return made;
  } catch {
    return undefined;
  }
}
