/**
 * Reads a stream into memory.
 * @param maxBytes the largest accepted size
 * @param tooLarge makes the error for a larger stream, which is then closed and not read further
 * @throws the error of `tooLarge` and any error of the stream
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
