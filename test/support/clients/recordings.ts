// Recordings of a terminal in a page: blocks with commands and what they print. Running them again gives the same page, unless
// the output has changed in more than times, versions and identifiers.

const block = /(<!-- recorded -->\n```console\n)([\s\S]*?)(```)/g;

/** @returns what the command prints, as the page shows it */
export type Run = (command: string) => Promise<string>;

/**
 * Runs the commands of all recordings of a page, in their order. A command begins with `$ `; lines that begin with `> ` continue it.
 * @returns the page, with the new output where it differs
 */
export async function recordAgain(page: string, run: Run): Promise<string> {
  const parts: string[] = [];
  let from = 0;
  for (const match of page.matchAll(block)) {
    const [whole, head = '', body = '', tail = ''] = match;
    parts.push(page.slice(from, match.index), head, await recordBlock(body, run), tail);
    from = match.index + whole.length;
  }
  return [...parts, page.slice(from)].join('');
}

async function recordBlock(body: string, run: Run): Promise<string> {
  const parts: string[] = [];
  for (const { prompt, command, output } of recordingsIn(body)) {
    const now = await run(command);
    const isSame = comparable(output) === comparable(now);
    parts.push(prompt, isSame ? output : `${now}${now === '' ? '' : '\n'}`);
  }
  return parts.join('');
}

interface Recording {
  /** The lines of the command, with their prompts. */
  readonly prompt: string;
  readonly command: string;
  readonly output: string;
}

function recordingsIn(body: string): readonly Recording[] {
  return [...body.matchAll(/^\$ .*\n(?:> .*\n)*/gm)].map((match, at, all) => {
    const [prompt] = match;
    const command = prompt.replaceAll(/^[$>] /gm, '').trimEnd();
    const output = body.slice(match.index + prompt.length, all[at + 1]?.index ?? body.length);
    return { prompt, command, output };
  });
}

const volatile: readonly (readonly [RegExp, string])[] = [
  [/\bcrates-[0-9a-z]+(?:-[0-9a-z]+)*\b/g, 'JOB'],
  [/\b\d{8}\.\d{6}\b/g, 'VERSION'],
  [/\b\d{4}-\d\d-\d\d[T ][\d:.]+Z?/g, 'TIME'],
  // A time of another day has its date.
  [/\b\d\d:\d\d(?::\d\d)?\b/g, 'TIME'],
  [/\b\d+(?:\.\d+)?(?:ms|s|m|h)\b/g, 'SPAN'],
  [/\b\d+(?:\.\d+)? k?B\b/g, 'SIZE'],
  [/\b[0-9a-f]{8,}(?:-[0-9a-f]{4,})*\b/g, 'ID'],
  // Names of pods end so: without vowels, so that they are no words.
  [/^[bcdfghjklmnpqrstvwxz2-9]{5}(?= )/gm, 'POD'],
  // Those of the version before may not have ended yet.
  [/\b\d+ pods? ready\b/g, 'PODS'],
  // Columns are as wide as what changes in them, and lines break where they do not fit.
  [/\s+/g, ' '],
];

/** @returns the text without what differs from run to run */
export function comparable(text: string): string {
  return volatile.reduce((now, [pattern, word]) => now.replaceAll(pattern, word), text).trim();
}
