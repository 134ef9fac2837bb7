// Writes values as YAML that is read back as the same values, and that holds no characters which control a terminal.
import { escapedControls, hasControls } from '../../client/width.ts';

/** @returns a document of YAML 1.2 */
export async function yamlOf(value: unknown): Promise<string> {
  const { Document, visit } = await import('yaml');
  const document = new Document(value, {
    version: '1.2',
    // kubectl and PyYAML read YAML 1.1, in which a plain `no` is false and 1_000 a number.
    compat: 'yaml-1.1',
    aliasDuplicateObjects: false,
  });
  visit(document, {
    Scalar(_, node) {
      // Only this style has escapes. A plain << is a merge of mappings.
      const { value: text } = node;
      if (text === '<<' || (typeof text === 'string' && (hasControls(text) || text.includes('\t'))))
        node.type = 'QUOTE_DOUBLE';
    },
  });
  return escapedControls(document.toString({ lineWidth: 0 }));
}
