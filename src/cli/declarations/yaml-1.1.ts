// Finds plain scalars that YAML 1.1 reads as another value: kubectl and most readers of manifests do, and the same file would declare
// something else there.
import type { Document, Scalar } from 'yaml';

/** Others are read alike, as are usual numbers. kubectl takes `12:30` as text, and `0o7` as YAML 1.2 does. */
const doubtful = /^(?:[yn]|yes|no|on|off|(?!-?(?:0|[1-9]\d*)(?:\.\d+)?$)[-+]?(?!0o)[\d.][\w.]*)$/i;

/** @param warn receives the offset in the text, and a sentence such as `no is "no" here, and false in YAML 1.1 …` */
export function readOtherwise(
  yaml: typeof import('yaml'),
  document: Document,
  warn: (offset: number, sentence: string) => void,
): void {
  yaml.visit(document, {
    Scalar(key, { value, source = '', type, tag, range }: Scalar) {
      if (type !== 'PLAIN' || tag !== undefined || !doubtful.test(source)) return;
      const older: unknown = yaml.parse(source, { version: '1.1' });
      // Names of members are texts in JSON.
      const [ours, theirs] = key === 'key' ? [`${value}`, `${older}`] : [value, older];
      if (Object.is(ours, theirs) || older instanceof Date) return;
      const [here, there] = [JSON.stringify(ours), JSON.stringify(theirs)];
      const sentence = `${source} is ${here} here, and ${there} in YAML 1.1, as kubectl reads it; write ${here} or ${there}`;
      warn(range?.[0] ?? 0, sentence);
    },
  });
}
