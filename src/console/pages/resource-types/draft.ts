// The resource that is being declared: what was typed, and the apply and the file that it means. Pure.
import type { ApplyResource, ResourceDefinition, ResourceTuple } from '../../../api/shapes.ts';
import { parseResourceAddress, typeName } from '../../../domain/identity.ts';
import { marksOf, walk } from '../../../domain/secrets/marks.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';
import { yamlText } from '../../components/text/yaml.ts';
import { type Input, startOf } from './form/input.ts';
import { type Field, formField, jsonField } from './form/model.ts';
import { type FormProblem, type FormReading, inputFor, readingOf } from './form/value.ts';

export interface Draft {
  /** The version of the type that the fields are made of. */
  readonly type: ResourceDefinition;
  readonly field: Field;
  readonly input: Input;
  readonly name: string;
  /** Empty for the default project. */
  readonly project: string;
  /** One on each line: a tag may contain commas. */
  readonly tags: string;
  readonly state: 'pending' | 'draft';
  /** `PROVIDER/TYPE/NAME` each. */
  readonly dependencies: readonly string[];
  /** Whether something would be lost without it. */
  readonly isTyped: boolean;
}

export function draftOf(type: ResourceDefinition): Draft {
  return {
    type,
    ...startOf(formField(type.schema)),
    ...{ name: '', project: '', tags: '', state: 'pending', dependencies: [], isTyped: false },
  };
}

/** @returns the same resource in the fields of another version of the type; as JSON where they cannot say it */
export function draftFor(draft: Draft, type: ResourceDefinition): Draft {
  const field = formField(type.schema);
  const { value = {} } = configReading(draft);
  const input = inputFor(field, value);
  if (input !== undefined) return { ...draft, type, field, input };
  return { ...draft, type, ...asJsonInput(field, value) };
}

/** @returns the same resource with its config as a text */
export function draftAsJson(draft: Draft): Draft {
  return { ...draft, ...asJsonInput(draft.field, configReading(draft).value ?? {}) };
}

function asJsonInput(field: Field, value: JsonValue) {
  const input: Input = { kind: 'text', text: JSON.stringify(value, null, 2) };
  return { field: jsonField(field), input };
}

function configReading({ field, input }: Draft): FormReading {
  const reading = readingOf(field, input, '/config');
  const { value, problems } = reading;
  if (value === undefined || isJsonObject(value)) return reading;
  return { ...reading, problems: [...problems, { path: '/config', kind: 'object' }] };
}

export interface Made {
  readonly body: ApplyResource;
  readonly problems: readonly FormProblem[];
  /** JSON Pointers in the body of everything that has a field. */
  readonly places: ReadonlySet<string>;
  readonly schema: JsonObject | null;
}

/** @returns the body of the apply */
export function madeOf(draft: Draft): Made {
  const { type, name, project, state, dependencies } = draft;
  const { value, problems, places } = configReading(draft);
  const tags = tagsOf(draft);
  const found = dependencies.map((each) => parseResourceAddress(each.trim())?.tuple);
  const wrong = found.flatMap((each, index): FormProblem[] =>
    each === undefined ? [{ path: `/dependencies/${index}`, kind: 'reference' }] : [],
  );
  const tuples = found.filter((each): each is ResourceTuple => each !== undefined);
  return {
    body: {
      provider: type.provider,
      resource: type.resource,
      name,
      config: isJsonObject(value) ? value : {},
      lifecycle_state: state,
      ...(project === '' ? {} : { project_id: project }),
      ...(tags.length === 0 ? {} : { tags: [...tags] }),
      ...(tuples.length === 0 ? {} : { dependencies: tuples }),
    },
    problems: [...problems, ...wrong],
    schema: type.schema,
    places: new Set([
      ...places,
      ...['/name', '/project_id', '/tags', '/dependencies'],
      ...dependencies.map((_, index) => `/dependencies/${index}`),
    ]),
  };
}

function tagsOf({ tags }: Draft): readonly string[] {
  return tags
    .split('\n')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

interface DraftDeclaration {
  readonly yaml: string;
  /** Whether sensitive values are left out. */
  readonly isPartial: boolean;
}

/** @returns the file that `fairlead apply -f` takes */
export function draftDeclaration(draft: Draft): DraftDeclaration {
  const { type, name, project, state, dependencies } = draft;
  const { value } = configReading(draft);
  const config = isJsonObject(value) ? value : {};
  const tags = tagsOf(draft);
  const hidden = hiddenPaths(type.schema, config);
  const document: JsonObject = {
    resource: `${typeName(type)}/${name === '' ? 'NAME' : name}`,
    ...(project === '' ? {} : { project }),
    ...(state === 'draft' ? { state } : {}),
    ...(tags.length === 0 ? {} : { tags }),
    ...(dependencies.length === 0 ? {} : { dependencies }),
    config,
  };
  return { yaml: yamlText(document, { hidden }), isPartial: hidden.size > 0 };
}

function hiddenPaths(schema: JsonObject | null, config: JsonObject): ReadonlySet<string> {
  const hidden = new Set<string>();
  if (schema === null) return hidden;
  walk(marksOf(schema), config, (secret, path) => {
    hidden.add(`/config${path}`);
    return secret;
  });
  return hidden;
}
