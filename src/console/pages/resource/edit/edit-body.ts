// Makes an apply of what is typed into an edit. Pure, and loaded only with the editor.
import type { ApplyResource } from '../../../../api/shapes.ts';
import { isJsonObject } from '../../../../lib/json.ts';
import {
  type JsonProblem,
  jsonProblemAt,
  type ReadJson,
  readJson,
} from '../../../components/text/json-text.ts';
import { type Edit, editOf } from './edit-form.ts';

type EditBody =
  | { readonly body: ApplyResource; readonly offsets: ReadonlyMap<string, number> }
  | { readonly problem: JsonProblem };

/** @returns the body of the apply, or why the config is none */
export async function editBody({
  base,
  config,
  tags,
  state,
  dependencies,
}: Edit): Promise<EditBody> {
  const read = await readEditedConfig(config);
  if ('problem' in read) return read;
  if (!isJsonObject(read.value)) {
    return { problem: jsonProblemAt(config, { kind: 'map', what: '', offset: 0 }) };
  }
  const { provider, resource, name, project_id } = base.record;
  const names = tags
    .split('\n')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  const body: ApplyResource = {
    ...{ provider, resource, name, project_id },
    config: read.value,
    lifecycle_state: state,
    // Spaces around a tag are part of it until somebody changes the list.
    ...(tags === editOf(base).tags ? {} : { tags: names }),
    ...(dependencies === undefined ? {} : { dependencies: [...dependencies] }),
  };
  return { body, offsets: read.offsets };
}

/** Each map of JSON is one of YAML, but its errors say more when it is read as what it is. */
async function readEditedConfig(config: string): Promise<ReadJson> {
  if (config.trimStart().startsWith('{')) return readJson(config);
  const { readYaml } = await import('./yaml-text.ts');
  return readYaml(config);
}

/** @returns the place in the text of the value that the API rejected; of what contains it when it is missing */
export function violationOffset(
  loc: readonly (string | number)[],
  offsets: ReadonlyMap<string, number>,
): number | undefined {
  const [root, part, ...names] = loc;
  if (root !== 'body' || part !== 'config') return undefined;
  for (let length = names.length; length >= 0; length -= 1) {
    const path = names.slice(0, length).map((name) => `/${name}`);
    const offset = offsets.get(path.join(''));
    if (offset !== undefined) return offset;
  }
  return undefined;
}
