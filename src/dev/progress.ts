// Shows progress during long steps: one changing line on a terminal, a line every ten seconds elsewhere.

export interface StartProgress {
  /** Prints a permanent line. */
  note(text: string): void;
  /** Shows `text` with the elapsed time until `work` ends. */
  during<T>(text: string, work: () => Promise<T>): Promise<T>;
}

const plainEveryMs = 10_000;
const terminalEveryMs = 1_000;

export function createStartProgress(out: NodeJS.WriteStream): StartProgress {
  return {
    note: (text) => {
      out.write(`  ${text}\n`);
    },
    async during(text, work) {
      const start = performance.now();
      const elapsed = () => `${Math.round((performance.now() - start) / 1_000)} s`;
      const line = () =>
        out.isTTY ? `\r\u001b[K  ${text} … ${elapsed()}` : `  ${text} … ${elapsed()}\n`;
      out.write(out.isTTY ? line() : `  ${text} …\n`);
      const timer = setInterval(
        () => out.write(line()),
        out.isTTY ? terminalEveryMs : plainEveryMs,
      );
      try {
        const result = await work();
        out.write(out.isTTY ? `\r\u001b[K  ${text}: ${elapsed()}\n` : `  ${text}: ${elapsed()}\n`);
        return result;
      } finally {
        clearInterval(timer);
      }
    },
  };
}
