// Passes on what children print, without waiting for who reads it: a full pipe holds up the child that fills it, and never this process.
import { createWriteStream } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

const streams = { stdout: writer(1), stderr: writer(2) } as const;

export type OutputName = keyof typeof streams;

function writer(fd: number): Writable {
  const stream = createWriteStream('', { fd, autoClose: false });
  stream.setMaxListeners(0);
  // Nobody reads any more.
  stream.on('error', () => undefined);
  return stream;
}

export function passOn(output: Readable, name: OutputName): void {
  output.pipe(streams[name], { end: false });
}

export function print(name: OutputName, text: string): void {
  streams[name].write(text);
}

/** Resolves when all is written. */
export async function printed(): Promise<void> {
  const flushed = Object.values(streams).map(
    (stream) => new Promise<void>((resolve) => stream.write('', () => resolve())),
  );
  await Promise.all(flushed);
}

const maxTail = 16 * 1_024;

/** The end of what a child printed, in all of its streams. */
export class Tail {
  #text = '';

  /** @returns what takes the chunks of one stream: a character may come in two of them */
  ofStream(): (chunk: Buffer) => void {
    const decoder = new StringDecoder('utf8');
    return (chunk) => this.add(decoder.write(chunk));
  }

  add(text: string): void {
    this.#text = (this.#text + text).slice(-maxTail);
  }

  text(): string {
    return this.#text;
  }
}
