// Pure. npm keeps the flags that stand before `--`: `npm start --port 8100` starts the program without its flag.

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * @param names of the flags of the program
 * @returns the command that hands the flags on, undefined when npm has kept none
 */
export function commandPastNpm(
  names: readonly string[],
  argv: readonly string[],
  environment: Variables,
): string | undefined {
  // Other scripts inherit nothing from it, and their own flags are none of these.
  if (environment['npm_lifecycle_event'] !== 'start') return undefined;
  const kept = names.flatMap((name) => {
    const value = environment[`npm_config_${name.replaceAll('-', '_')}`];
    return value === undefined ? [] : [{ name, value }];
  });
  if (kept.length === 0) return undefined;
  // npm makes a switch of `--port 8100`, and an argument of the program.
  const only = kept.length === 1 ? argv[0] : undefined;
  const words = kept.map(({ name, value }) => {
    return `--${name} ${value === 'true' ? (only ?? 'VALUE') : value}`;
  });
  return `npm start -- ${words.join(' ')}`;
}
