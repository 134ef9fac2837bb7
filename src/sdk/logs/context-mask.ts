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
  /** @returns what is hidden, for somebody else who hides it */
  readonly secrets: () => readonly string[];
  /** Hides the secrets of these values from now on, too. */
  add(values: LaterValues): void;
}

/** Tells who else hides secrets in what the process prints. Resolves once it knows them, whatever comes to it by another way afterwards. */
export type TellSecrets = (secrets: readonly string[]) => Promise<void>;

export interface MaskedContext {
  /** The secrets of the settings. */
  readonly settings: readonly string[];
  readonly body?: BodyWithSecrets;
}

/** Finds the secrets when the first text is masked. */
export function contextMask(provider: Provider, { settings, body }: MaskedContext): ContextMask {
  const added: LaterValues[] = [];
  const found = new Set<string>();
  let isRead = false;
  let made: { readonly mask: SecretMask; readonly isEmpty: boolean } | undefined;

  function findSecrets(): void {
    if (isRead && added.length === 0) return;
    const before = found.size;
    // Schemas of the author's may print.
    unrecorded(() => {
      const given = isRead ? [] : [...settings, ...bodySecrets(provider, body)];
      const later = added.splice(0).flatMap((values) => laterSecrets(provider, body, values));
      isRead = true;
      for (const secret of inLines([...given, ...later])) found.add(secret);
    });
    if (found.size > before) made = undefined;
  }

  function current() {
    findSecrets();
    made ??= {
      mask: createSecretMask([...found]),
      isEmpty: [...found].every(({ length }) => length < minSecretLength),
    };
    return made;
  }

  return {
    hasSecrets: () => !current().isEmpty,
    secrets() {
      findSecrets();
      return [...found];
    },
    text: (text) => current().mask.text(text),
    value: (value) => current().mask.value(value),
    isIn: (text) => current().mask.isIn(text),
    add: (values) => void added.push(values),
  };
}

function bodySecrets(provider: Provider, body: BodyWithSecrets | undefined): readonly string[] {
  if (body === undefined) return [];
  const { config = {}, outputs = {} } = body;
  const secrets = recordedSecrets(body);
  return withPasswords(secretTexts({ config, outputs, secrets }, bodySchemas(provider, body)));
}

function laterSecrets(
  provider: Provider,
  body: BodyWithSecrets | undefined,
  values: LaterValues,
): readonly string[] {
  if (body === undefined) return [];
  const secrets = { ...recordedSecrets(body), appliedConfig: jsonOf(values.previousConfig) };
  const contents = { config: jsonOf(values.config), outputs: jsonOf(values.outputs), secrets };
  return withPasswords(secretTexts(contents, bodySchemas(provider, body)));
}

function recordedSecrets({ previous_config, adopt, secrets = [] }: BodyWithSecrets) {
  return {
    appliedConfig: previous_config ?? undefined,
    declared: pathsBelow('/config', secrets),
    applied: pathsBelow('/previous_config', secrets),
    returned: pathsBelow('/outputs', secrets),
    adopt: adopt ?? undefined,
    adopted: pathsBelow('/adopt', secrets),
  };
}

function withPasswords(texts: readonly string[]): readonly string[] {
  return texts.flatMap((each) => [each, ...passwordsOf(each)]);
}

function bodySchemas(provider: Provider, { resource = '' }: BodyWithSecrets) {
  return markedSchemas(provider, provider.types.get(resource));
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
