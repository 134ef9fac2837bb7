// Runs a shell command on a pseudo-terminal, and reads the screen as a person sees it: the text after every redraw.
import { spawn } from 'node:child_process';
import xterm from '@xterm/headless';

export interface TerminalOptions {
  /** The working folder. */
  readonly folder: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Typed, with Enter, when the last line on the screen matches. */
  readonly answers?: readonly (readonly [question: RegExp, answer: string])[];
  /** Called with the screen after each output. */
  readonly onChange?: (screen: string, keys: Keys) => void;
}

export interface Keys {
  press(keys: string): void;
}

export interface TerminalResult {
  readonly code: number;
  /** The lines that have scrolled out and those on the screen, without blanks at their ends. */
  readonly screen: string;
}

const columns = 100;
const rows = 40;

/** @param command for bash */
export async function runInTerminal(
  command: string,
  { folder, variables, answers = [], onChange }: TerminalOptions,
): Promise<TerminalResult> {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 5_000,
    allowProposedApi: true,
  });
  // `script` of util-linux opens the pseudo-terminal; it takes the size from its own terminal, which is none.
  const inner = `stty cols ${columns} rows ${rows}; ${command}`;
  const child = spawn('script', ['-qec', inner, '/dev/null'], {
    cwd: folder,
    env: { TERM: 'xterm-256color', LANG: 'C.UTF-8', SHELL: '/bin/bash', ...variables },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const keys: Keys = { press: (text) => child.stdin.write(text) };
  const left = [...answers];
  const drawn = (async () => {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      await new Promise<void>((done) => terminal.write(chunk, done));
      const screen = textOf(terminal);
      onChange?.(screen, keys);
      const [next] = left;
      if (next?.[0].test(screen.split('\n').at(-1) ?? '') !== true) continue;
      left.shift();
      keys.press(`${next[1]}\r`);
    }
  })();
  const code = await new Promise<number>((done, failed) => {
    child.once('error', failed);
    child.once('close', (status) => done(status ?? 1));
  });
  await drawn;
  const screen = textOf(terminal);
  terminal.dispose();
  return { code, screen };
}

function textOf(terminal: xterm.Terminal): string {
  const { active } = terminal.buffer;
  const lines: string[] = [];
  for (let at = 0; at < active.length; at += 1) {
    const line = active.getLine(at);
    const text = line?.translateToString(true) ?? '';
    if (line?.isWrapped === true) lines.push(`${lines.pop() ?? ''}${text}`);
    else lines.push(text);
  }
  return lines.join('\n').trimEnd();
}
