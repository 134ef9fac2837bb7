/**
 * Reads a stream into memory.
 * @param maxBytes as much as it may bring
 * @param tooLarge makes the error for one byte more. The stream is ended then, and the rest is never read.
 * @throws what `tooLarge` returns, and what the stream throws
 */
export async function readBounded(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
