// Unpacks an artifact into `code`, with the SDK beside it: the first step of a build and of a provider's pod.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { extractArchive } from '../archive/extract.ts';
import { placeSdk } from '../place-sdk.ts';
import type { Artifacts } from './transfer.ts';
import { codeFolderIn } from './workspace.ts';

interface UnpackOptions {
  readonly workspace: string;
  readonly digest: string;
  readonly artifacts: Pick<Artifacts, 'download'>;
}

/**
 * Restarts from scratch after an interrupted attempt.
 * @throws FairleadError `bad_archive`; TransferFailure; errors of the file system
 */
export async function unpack({ workspace, digest, artifacts }: UnpackOptions): Promise<void> {
  const archive = join(workspace, 'archive');
  const code = codeFolderIn(workspace);
  await rm(code, { recursive: true, force: true });
  await artifacts.download(digest, archive);
  await mkdir(code, { recursive: true });
  await extractArchive(archive, code);
  await rm(archive, { force: true });
  await placeSdk(code);
}
