// Writes the file of an import: what the provider has read of an object, with comments in place of what it has not.
import type { AnswerOf } from '../../../api/shapes.ts';
import { safeLine } from '../../../client/width.ts';
import { slashed } from '../../../domain/identity.ts';
import { literalMembers } from '../../../domain/references/literal.ts';
import { yamlOf } from '../../terminal/yaml.ts';

export type ImportPreview = AnswerOf<'previewImport'>;

/** @param newest version of the type, undefined when it is not known: the file names another one */
export async function importFile(
  preview: ImportPreview,
  newest: number | undefined,
): Promise<string> {
  const { adopt, config, type_version, missing } = preview;
  const document = {
    resource: slashed(preview),
    adopt,
    ...(type_version === newest ? {} : { type_version }),
    // Nothing that was read is a reference.
    config: literalMembers(config),
  };
  const comments = [
    `# What the provider reads of the object. Check it, then: fairlead import -f FILE`,
    '# The import changes nothing, and a deletion of the resource leaves the object.',
  ];
  const lacking = missing.map((field) => `  # ${fieldText(field)}`);
  const title = lacking.length === 0 ? [] : ['  # Not read; declare what is required:'];
  return [...comments, `${await yamlOf(document)}${[...title, ...lacking].join('\n')}`, '']
    .join('\n')
    .replace(/\n+$/, '\n');
}

/** A text in the config itself becomes a field when `#` is removed. */
function fieldText({ path, secret, required }: ImportPreview['missing'][number]): string {
  const what = [required ? 'required' : 'optional', ...(secret ? ['secret'] : [])].join(', ');
  const [, name] = /^\/([A-Za-z_][\w-]*)$/.exec(path) ?? [];
  return name === undefined ? `${safeLine(path)}: ${what}` : `${name}:  # ${what}`;
}
