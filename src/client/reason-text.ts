// Puts a reason and its explanation into one text. Pure.

/** @example reasonText('UnknownOutput', 'UNKNOWN_OUTPUT: first has no output url') // 'UnknownOutput: first has no output url' */
export function reasonText(reason: string | null, message: string | null): string {
  return [reason, messageBeside(reason, message)].filter((part) => part).join(': ');
}

/** @returns the message of a failure without its code, when that is the word of the reason again */
export function messageBeside(reason: string | null, message: string | null): string | null {
  const [code = '', ...rest] = (message ?? '').split(': ');
  const isRepeated = rest.length > 0 && plain(code) === plain(reason ?? '');
  return isRepeated ? rest.join(': ') : message;
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll('_', '');
}
