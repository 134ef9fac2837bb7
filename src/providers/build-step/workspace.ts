// The names in the workspace that the steps of a build share.
import { dirname, join } from 'node:path';

export function codeFolderIn(workspace: string): string {
  return join(workspace, 'code');
}

export function typesFileOf(codeFolder: string): string {
  return join(dirname(codeFolder), 'types.json');
}
