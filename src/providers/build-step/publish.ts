// The last step: the built code and its types → two artifacts.
import { createReadStream } from 'node:fs';
import type { ArtifactRef } from '../../domain/artifact.ts';
import { packFolder } from '../archive/pack.ts';
import { typesFileOf } from './build.ts';
import type { Output } from './child.ts';
import type { Artifacts } from './transfer.ts';
import { codeFolderIn } from './unpack.ts';

export interface PublishOptions {
  readonly workspace: string;
  readonly artifacts: Pick<Artifacts, 'upload'>;
  /** A token brings in one artifact, so the document with the types has one of its own. */
  readonly types: Pick<Artifacts, 'upload'>;
  readonly output: Output;
}

export interface Published {
  readonly artifact: ArtifactRef;
  readonly types: ArtifactRef;
}

/** @throws FairleadError `bad_archive` for code that may not be unpacked again; TransferFailure; errors of the file system */
export async function publish({
  workspace,
  artifacts,
  types: document,
  output,
}: PublishOptions): Promise<Published> {
  const code = codeFolderIn(workspace);
  let leftOut: readonly string[] = [];
  const artifact = await artifacts.upload(() => {
    const packing = packFolder(code);
    leftOut = packing.leftOut;
    return packing.bytes;
  });
  for (const path of leftOut.filter((each) => !/(?:^|\/)\.bin\//.test(each))) {
    output.stdout(Buffer.from(`Left out, because it is a link: ${path}\n`));
  }
  const types = await document.upload(() => createReadStream(typesFileOf(code)));
  return { artifact, types };
}
