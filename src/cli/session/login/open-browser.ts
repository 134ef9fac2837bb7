// Opens an address in the browser of the person: the program of $BROWSER, or that of the operating system.
import { existsSync, readFileSync } from 'node:fs';
import { type Environment, variableIn } from '../../terminal/environment.ts';

/** @returns whether a program was started; whether a page appears is unknown */
export async function openBrowser(url: URL, environment: Environment): Promise<boolean> {
  const [program, ...parameters] = programFor(url, environment);
  const { spawn } = await import('node:child_process');
  return await new Promise((resolve) => {
    const child = spawn(program, parameters, {
      stdio: 'ignore',
      detached: true,
      env: { ...environment.variables },
    });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

function programFor({ href }: URL, environment: Environment): readonly [string, ...string[]] {
  const chosen = variableIn(environment, 'BROWSER');
  if (chosen !== undefined) return [chosen, href];
  if (environment.platform === 'darwin') return ['open', href];
  // Not `cmd /c start`: a shell would read the & of the address.
  const windows = ['url.dll,FileProtocolHandler', href] as const;
  if (environment.platform === 'win32') return ['rundll32.exe', ...windows];
  return isWsl() ? ['rundll32.exe', ...windows] : ['xdg-open', href];
}

/** Linux inside Windows, whose browser is that of Windows. */
export function isWsl(): boolean {
  try {
    return /microsoft/i.test(readFileSync('/proc/version', 'utf8'));
  } catch {
    return false;
  }
}

/** @returns whether a browser on this machine can be in front of the person */
export function hasBrowser(environment: Environment): boolean {
  if (variableIn(environment, 'BROWSER') !== undefined) return true;
  if (variableIn(environment, 'SSH_CONNECTION') !== undefined) return false;
  if (variableIn(environment, 'CI') !== undefined) return false;
  if (existsSync('/.dockerenv') || existsSync('/run/.containerenv')) return false;
  if (environment.platform !== 'linux') return true;
  const display = variableIn(environment, 'DISPLAY') ?? variableIn(environment, 'WAYLAND_DISPLAY');
  return display !== undefined || isWsl();
}
