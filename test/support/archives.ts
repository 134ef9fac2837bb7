// Writes archives byte by byte, because libraries refuse to create the malicious ones that tests need.
import { crc32, deflateRawSync } from 'node:zlib';

export interface TarPart {
  readonly path?: string;
  /** One character; '0' is a file, '5' a folder. */
  readonly type?: string;
  readonly body?: Buffer | string;
  readonly link?: string;
  readonly mode?: number;
  /** The raw size field, instead of the real body length. */
  readonly sizeField?: Buffer;
  readonly nameField?: Buffer;
  readonly checksum?: number;
}

const blockBytes = 512;

/** Builds entries, without the end of an archive. */
export function tarParts(...parts: readonly TarPart[]): Buffer {
  return Buffer.concat(parts.map(tarPart));
}

export function tarOf(...parts: readonly TarPart[]): Buffer {
  return Buffer.concat([tarParts(...parts), Buffer.alloc(2 * blockBytes)]);
}

function tarPart(part: TarPart): Buffer {
  const { path = '', type = '0', link = '', mode = 0o644, checksum } = part;
  const body = Buffer.from(part.body ?? '');
  const header = Buffer.alloc(blockBytes);
  header.write(path, 0, 100);
  header.write(`${octal(mode, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100);
  header.write(`${octal(body.length, 11)}\0${octal(0, 11)}\0`, 124);
  header.write(type, 156);
  header.write(link, 157, 100);
  header.write('ustar\u000000', 257);
  part.sizeField?.copy(header, 124);
  part.nameField?.copy(header, 0);
  header.write('        ', 148);
  header.write(`${octal(checksum ?? sumOf(header), 6)}\0 `, 148);
  return Buffer.concat([
    header,
    body,
    Buffer.alloc((blockBytes - (body.length % blockBytes)) % blockBytes),
  ]);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

function sumOf(bytes: Buffer): number {
  return bytes.reduce((sum, byte) => sum + byte, 0);
}

/** Builds a pax header, `x` for the next entry or `g` for all. */
export function pax(records: Readonly<Record<string, string>>, type = 'x'): TarPart {
  const body = Object.entries(records).map(([key, value]) => paxRecord(key, value));
  return { path: 'PaxHeader', type, body: body.join('') };
}

function paxRecord(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + 1;
  while (String(length).length + rest !== length) length += 1;
  return `${length} ${key}=${value}\n`;
}

export interface ZipPart {
  readonly path: string | Buffer;
  readonly body?: Buffer | string;
  /** Unix type and permissions. */
  readonly mode?: number;
  readonly flags?: number;
  readonly method?: number;
  /** The declared length, if not the real one. */
  readonly size?: number;
  readonly sum?: number;
  /** Use the bytes of the entry before. */
  readonly shared?: boolean;
}

export function zipOf(...parts: readonly ZipPart[]): Buffer {
  const locals: Buffer[] = [];
  const listed: Buffer[] = [];
  let offset = 0;
  let before = 0;
  for (const part of parts) {
    const { local, list } = zipPart(part);
    if (part.shared === true) {
      listed.push(list(before));
    } else {
      locals.push(local);
      listed.push(list(offset));
      before = offset;
      offset += local.length;
    }
  }
  const directory = Buffer.concat(listed);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

function zipPart({ path, mode = 0o100644, flags = 0x800, method = 8, ...part }: ZipPart) {
  const name = Buffer.from(path as string);
  const body = Buffer.from(part.body ?? '');
  const packed = method === 8 ? deflateRawSync(body) : body;
  const facts = Buffer.alloc(26);
  facts.writeUInt16LE(20, 0);
  facts.writeUInt16LE(flags, 2);
  facts.writeUInt16LE(method, 4);
  facts.writeUInt32LE(part.sum ?? crc32(body), 10);
  facts.writeUInt32LE(packed.length, 14);
  facts.writeUInt32LE(part.size ?? body.length, 18);
  facts.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), facts, name, packed]);
  const list = (offset: number) => {
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    const head = Buffer.from([0x50, 0x4b, 1, 2, 20, 3]);
    return Buffer.concat([head, facts, rest, name]);
  };
  return { local, list };
}
