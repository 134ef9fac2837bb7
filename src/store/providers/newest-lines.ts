// Reads the log of a pod into what keeps its newest lines, as many as a number of bytes permits: nobody knows how long lines are.
import { KubeError } from '../../kube/errors.ts';
import { type PodLine, type PodLinesOptions, podLines } from './pod-lines.ts';

export interface NewestLines {
  readonly lines: readonly PodLine[];
  add(line: PodLine): void;
}

/** @param limit in bytes; one line is kept, however long it is */
export function newestWithin(limit: number): NewestLines {
  const lines: PodLine[] = [];
  let bytes = 0;
  return {
    lines,
    add(line) {
      lines.push(line);
      bytes += line.bytes.length;
      while (bytes > limit && lines.length > 1) bytes -= lines.shift()?.bytes.length ?? 0;
    },
  };
}

/** @returns why not all lines could be read, such as `badRequest` for a container that has no log; undefined when they were */
export async function readLines(
  pod: { readonly name: string; readonly namespace: string },
  options: PodLinesOptions,
  take: (line: PodLine) => void,
): Promise<KubeError | undefined> {
  try {
    for await (const line of podLines(pod, options)) take(line);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof KubeError) return thrown;
    throw thrown;
  }
}
