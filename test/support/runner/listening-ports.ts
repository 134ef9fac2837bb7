// Lists the TCP ports on which processes listen, from /proc (Linux only).
import { readdir, readFile, readlink } from 'node:fs/promises';

export interface ListeningPort {
  readonly address: string;
  readonly port: number;
  readonly command: string;
}

const listenState = '0A';

/** @returns the ports of processes whose command line or environment names `text` */
export async function listeningPorts(text: string): Promise<readonly ListeningPort[]> {
  const sockets = await listeningSockets();
  const found: ListeningPort[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await contentOf(`/proc/${pid}/cmdline`);
    const environment = await contentOf(`/proc/${pid}/environ`);
    if (!`${command}${environment}`.includes(text)) continue;
    for (const inode of await socketsOf(pid)) {
      const socket = sockets.get(inode);
      if (socket !== undefined) found.push({ ...socket, command });
    }
  }
  return found;
}

async function listeningSockets() {
  const sockets = new Map<string, { address: string; port: number }>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of (await contentOf(table)).split('\n').slice(1)) {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      const [address = '', port = ''] = local.split(':');
      if (state === listenState) sockets.set(inode, { address, port: Number.parseInt(port, 16) });
    }
  }
  return sockets;
}

async function socketsOf(pid: string): Promise<readonly string[]> {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const targets = await Promise.all(
    names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')),
  );
  return targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []);
}

async function contentOf(path: string): Promise<string> {
  return (await readFile(path, 'utf8').catch(() => '')).replaceAll('\0', ' ');
}
