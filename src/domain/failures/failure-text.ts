// Writes and reads the text of a failure, `CODE: message`, as the status of a resource and a dead letter have it.

interface CodedFailure {
  readonly code: string;
  readonly message: string;
}

// Codes of providers are cleaned of other characters.
const form = /^([A-Za-z0-9_.-]{1,64}): (.*)$/s;

export function failureText({ code, message }: CodedFailure): string {
  return `${code}: ${message}`;
}

/** @returns undefined for a text without a code */
export function failureIn(text: string): CodedFailure | undefined {
  const [, code, message] = form.exec(text) ?? [];
  return code === undefined || message === undefined ? undefined : { code, message };
}
