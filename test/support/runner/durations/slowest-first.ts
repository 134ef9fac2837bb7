// The order of test files: those of a project one after the other, as their workers know its modules, and its slowest files
// first, so that no worker idles at the end. Loaded by vitest.
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import durations from './durations.json' with { type: 'json' };

const seconds: Readonly<Record<string, number>> = durations;

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Sorts by group and by project; what it knows of earlier runs is lost at `npm ci`.
    const sorted = await super.sort(files);
    const projects = Map.groupBy(sorted, ({ project }) => project.name);
    return [...projects.values()].flatMap((each) =>
      each.toSorted((left, right) => secondsOf(right) - secondsOf(left)),
    );
  }
}

/** A file that is not listed takes less than a second, or is new. */
function secondsOf({ moduleId }: TestSpecification): number {
  return seconds[relative('', moduleId)] ?? 0;
}
