// Folders that nobody needs to remove.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @returns a new empty folder, which is removed at the end of the run: see vitest.config.ts */
export function newFolder(prefix: string): string {
  return mkdtempSync(join(process.env['TEST_FOLDERS'] ?? tmpdir(), prefix));
}
