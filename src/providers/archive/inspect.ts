// Inspects an uploaded file: returns its contents, or why it is rejected. It reads headers only and extracts nothing.

import { type ArchiveLimits, defaultArchiveLimits } from '../../domain/providers/archive.ts';
import { type ArchiveFormat, readArchive } from './read.ts';
import { type ArchiveContents, entryRules } from './rules.ts';

export interface Inspection extends ArchiveContents {
  readonly format: ArchiveFormat;
}

/** @throws FairleadError `bad_archive`, with a message for the author of the archive */
export async function inspectArchive(
  path: string,
  limits: ArchiveLimits = defaultArchiveLimits,
): Promise<Inspection> {
  const rules = entryRules(limits);
  const format = await readArchive(path, limits, { entry: (entry) => rules.check(entry) });
  return { format, ...rules.finish() };
}
