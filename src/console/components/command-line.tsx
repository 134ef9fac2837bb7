// The command that shows or does the same as the page.
import { text } from '../text.ts';
import { CopyButton } from './copy.tsx';

interface CommandLineProps {
  /** One command per line. */
  readonly commands: readonly string[];
}

/** @example <CommandLine commands={['fairlead get postgres/database']} /> */
export function CommandLine({ commands }: CommandLineProps) {
  return (
    <section class="command-line" aria-label={text('command-line.title')}>
      <h2>{text('command-line.title')}</h2>
      <ul>
        {commands.map((command) => (
          <li key={command}>
            <code>{command}</code>
            <CopyButton value={command} what={command} />
          </li>
        ))}
      </ul>
    </section>
  );
}
