// Reads an image archive: its configuration, and its files after all layers.
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { extract, Parser, type ReadEntry } from 'tar';

export interface ImageFile {
  /** With a leading slash. */
  readonly path: string;
  readonly type: string;
  readonly mode: number;
  readonly owner: string;
  readonly size: number;
  /** The index of its layer, counted from 0. */
  readonly layer: number;
  /** Set for the few requested files. */
  readonly content?: string;
}

export interface ImageConfig {
  readonly User?: string;
  readonly Entrypoint?: readonly string[];
  readonly Labels?: Readonly<Record<string, string>>;
}

export interface ImageContent {
  readonly config: ImageConfig;
  readonly files: ReadonlyMap<string, ImageFile>;
  /** Unpacked bytes of each layer, including files that a later layer covers. */
  readonly bytes: readonly number[];
}

/**
 * @param folder for what is unpacked of the archive
 * @param read which files are to be read
 */
export async function contentOf(
  archive: string,
  folder: string,
  read: (path: string) => boolean,
): Promise<ImageContent> {
  await extract({ file: archive, cwd: folder });
  const json = async (name: string): Promise<unknown> =>
    JSON.parse(await readFile(join(folder, name), 'utf8'));
  const [manifest] = (await json('manifest.json')) as { Config: string; Layers: string[] }[];
  if (manifest === undefined) throw new Error('The archive holds no image');
  const { config } = (await json(manifest.Config)) as { config: ImageConfig };
  const files = new Map<string, ImageFile>();
  const bytes: number[] = [];
  for (const [layer, name] of manifest.Layers.entries()) {
    const found = await filesIn(join(folder, name), layer, read);
    for (const { path } of found) hide(files, path);
    for (const file of found) if (!isWhiteout(file.path)) files.set(file.path, file);
    bytes.push(found.reduce((sum, { size }) => sum + size, 0));
  }
  return { config, files, bytes };
}

async function filesIn(
  file: string,
  layer: number,
  read: (path: string) => boolean,
): Promise<readonly ImageFile[]> {
  const found: ImageFile[] = [];
  const pending: Promise<void>[] = [];
  const parser = new Parser({
    onReadEntry(entry) {
      const described = describe(entry, layer);
      if (read(described.path) && described.type === 'File') {
        pending.push(
          entry
            .concat()
            .then((content) => void found.push({ ...described, content: content.toString() })),
        );
        return;
      }
      found.push(described);
      entry.resume();
    },
  });
  await pipeline(createReadStream(file), parser as unknown as NodeJS.WritableStream);
  await Promise.all(pending);
  return found;
}

function describe(entry: ReadEntry, layer: number): ImageFile {
  const { path, type, mode = 0, uid = 0, gid = 0, size } = entry;
  const whole = `/${path.replace(/^\.?\//, '').replace(/\/$/, '')}`;
  return { path: whole, type, mode, owner: `${uid}:${gid}`, size, layer };
}

const mark = '.wh.';
const isWhiteout = (path: string) => path.split('/').at(-1)?.startsWith(mark) === true;

/** A whiteout removes files of lower layers. */
function hide(files: Map<string, ImageFile>, path: string): void {
  if (!isWhiteout(path)) return;
  const at = path.lastIndexOf('/');
  const [parent, name] = [path.slice(0, at), path.slice(at + 1 + mark.length)];
  const gone = name === '.wh..opq' ? parent : `${parent}/${name}`;
  for (const each of files.keys()) {
    if (each.startsWith(`${gone}/`) || (each === gone && gone !== parent)) files.delete(each);
  }
}
