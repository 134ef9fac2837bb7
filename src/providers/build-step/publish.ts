// Publishes the built code and its types as two artifacts: the last build step.
import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ArtifactRef } from '../../domain/providers/artifact.ts';
import { packFolder } from '../archive/pack.ts';
import type { Output } from './child.ts';
import { type Artifacts, TransferFailure } from './transfer.ts';
import { codeFolderIn, typesFileOf } from './workspace.ts';

interface PublishOptions {
  readonly workspace: string;
  readonly artifacts: Pick<Artifacts, 'upload'>;
  /** A token permits one upload, so the types document has its own. */
  readonly types: Pick<Artifacts, 'upload'>;
  readonly output: Output;
}

/** @throws FairleadError `bad_archive` for code that breaks the rules for archives; TransferFailure; errors of the file system */
export async function publish({
  workspace,
  artifacts,
  types: documents,
  output,
}: PublishOptions): Promise<{ artifact: ArtifactRef; types: ArtifactRef }> {
  const code = codeFolderIn(workspace);
  // The author's code could write here: a link of it could point to our data, such as the tokens in this process's
  // environment.
  if (!(await lstat(code)).isDirectory())
    throw new TransferFailure('The built code is not a folder');
  let leftOut: readonly string[] = [];
  const artifact = await artifacts.upload(() => {
    const packing = packFolder(code);
    leftOut = packing.leftOut;
    return packing.bytes;
  });
  for (const path of leftOut.filter((each) => !/(?:^|\/)\.bin\//.test(each))) {
    output.stdout(Buffer.from(`Left out, because it is a link: ${path}\n`));
  }
  const document = await readTypesFile(typesFileOf(code));
  const types = await documents.upload(() => Readable.from([document]));
  return { artifact, types };
}

async function readTypesFile(path: string): Promise<Buffer> {
  if (!(await lstat(path)).isFile())
    throw new TransferFailure('The types of the code are not a file');
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}
