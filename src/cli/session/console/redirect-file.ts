// Leads a browser to an address that no other user may see: the arguments of a process are public, so the browser gets a file.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Environment } from '../../terminal/environment.ts';
import { stateFolder } from '../context/places.ts';

export interface RedirectFile {
  readonly url: URL;
  /** Does nothing the second time. */
  remove(): void;
}

/** @returns undefined where it cannot be written: then the person opens the address */
export function writeRedirect(address: URL, environment: Environment): RedirectFile | undefined {
  try {
    const parent = stateFolder(environment);
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    // mkdtemp makes a folder that only its owner can enter.
    const folder = mkdtempSync(join(parent, 'console-'));
    chmodSync(folder, 0o700);
    const path = join(folder, 'open.html');
    writeFileSync(path, pageFor(address), { mode: 0o600, flag: 'wx' });
    return {
      url: pathToFileURL(path),
      remove: () => rmSync(folder, { recursive: true, force: true }),
    };
  } catch {
    return undefined;
  }
}

/** @param address without characters that mean something in HTML */
function pageFor({ href }: URL): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${href}">
<title>Fairlead</title>
<p><a href="${href}">Open the console</a></p>
</html>
`;
}
