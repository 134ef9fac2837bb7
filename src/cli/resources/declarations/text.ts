// Reads bytes as text. Other bytes are refused: a replacement character in its place would be stored without a word.

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @returns the text without a byte order mark. @throws Error with what forbids it, for people, after the name of the file */
export function textOfBytes(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isUtf16) throw new Error('is UTF-16; save it as UTF-8');
  try {
    return decoder.decode(bytes).replace(/^\uFEFF/, '');
  } catch {
    const offset = validBytes(bytes);
    throw new Error(
      `is not UTF-8 from byte ${offset} on; save it as UTF-8, and write binary content as Base64`,
    );
  }
}

/** @returns how many bytes from the first on are text: a sequence that is cut off fails only at the end of the bytes */
function validBytes(bytes: Uint8Array): number {
  const stream = new TextDecoder('utf-8', { ignoreBOM: true });
  const kept = stream.decode(bytes);
  let at = 0;
  for (const character of kept) {
    const size = Buffer.byteLength(character);
    const isReplaced = character === '\uFFFD' && !isReplacementCharacter(bytes, at);
    if (isReplaced) return at;
    at += size;
  }
  return at;
}

function isReplacementCharacter(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd;
}
