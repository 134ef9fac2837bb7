// Lists the open files of this process (Linux only).
import { readdir, readlink } from 'node:fs/promises';

export async function openFilesUnder(folder: string): Promise<string[]> {
  const links = await readdir('/proc/self/fd');
  const targets = await Promise.all(
    links.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  );
  return targets.filter((target) => target.startsWith(folder));
}

/** Returns false only if the process certainly has no file open; devices, pipes and sockets are none. */
export async function mayHaveOpenFiles(): Promise<boolean> {
  const open = await openFilesUnder('/').catch(() => undefined);
  return open === undefined || open.some((target) => !/^\/(dev|proc)\//.test(target));
}
