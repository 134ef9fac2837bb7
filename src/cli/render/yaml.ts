// Writes values as YAML that is read back as the same values, and that holds no characters which control a terminal.
import { escaped, hasControls } from '../../client/width.ts';

/** @returns a document of YAML 1.2 */
export async function yamlOf(value: unknown): Promise<string> {
  const { Document, visit } = await import('yaml');
  const document = new Document(value, { version: '1.2', aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, node) {
      // Only this style has escapes. A plain << is a merge of mappings.
      const { value: text } = node;
      if (text === '<<' || (typeof text === 'string' && hasControls(text)))
        node.type = 'QUOTE_DOUBLE';
    },
  });
  return escaped(document.toString({ lineWidth: 0 }));
}
