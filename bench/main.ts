// `npm run bench` measures all parts, `npm run bench -- reads scale` some, and writes docs/performance.md. A part that fails is
// reported and keeps its earlier results. The exit code is 1 if a part failed or a goal was missed, 2 for a wrong command line.
import { spawn } from 'node:child_process';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { parts } from './parts/index.ts';
import { writePage } from './report/page.ts';
import { isBusy, settingHere } from './report/setting.ts';

const graceMs = 15_000;
/** A part takes three to eight minutes on a quiet machine. */
const limitMinutes = 30;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: { minutes: { type: 'string' }, page: { type: 'boolean', default: false } },
});
const isUnderstood =
  Object.keys(values).every((name) => name === 'minutes' || name === 'page') &&
  (values.minutes === undefined || Number(String(values.minutes)) > 0) &&
  positionals.every((name) => parts.some((part) => part.name === name));
if (!isUnderstood) {
  console.error(`usage: npm run bench -- [--page] [--minutes N] [PART …]

--page      writes docs/performance.md from the kept results, without measuring
--minutes   the length of soak
PART        ${parts.map(({ name }) => name).join(', ')}; all but ${parts
    .filter(({ named }) => named)
    .map(({ name }) => name)
    .join(', ')}, if none is named`);
  process.exit(2);
}

// Before the parts run: their own load is none of the machine's.
const setting = { ...(await settingHere()), load: loadavg()[0] ?? Number.NaN };
const chosen = values.page
  ? []
  : parts.filter(({ name, named }) =>
      positionals.length === 0 ? named !== true : positionals.includes(name),
    );
if (chosen.length > 0 && isBusy(setting))
  console.log(`The load of this machine is ${setting.load.toFixed(2)}: times say little.`);

let interrupted = false;
const endings: { readonly name: string; readonly code: number }[] = [];
for (const { name } of chosen) {
  if (interrupted) break;
  endings.push({ name, code: await runApart(name) });
  writePage(parts);
}
if (values.page) writePage(parts);

const broken = endings.filter(({ code }) => code > 1).map(({ name }) => name);
const missed = endings.filter(({ code }) => code === 1).map(({ name }) => name);
if (missed.length > 0) console.log(`\nGoals were missed in: ${missed.join(', ')}`);
if (broken.length > 0) console.log(`\nFAILED, with earlier results kept: ${broken.join(', ')}`);
process.exitCode = endings.some(({ code }) => code > 0) ? 1 : 0;

/** In a process of its own: what one part leaves in memory, or running, does not affect the next. */
async function runApart(name: string): Promise<number> {
  const file = join(import.meta.dirname, 'run-part.ts');
  const order = JSON.stringify({ name, minutes: values.minutes, setting });
  // Leads a group, so that everything it has started can be ended with it.
  const child = spawn(process.execPath, [file, order], { stdio: 'inherit', detached: true });
  const { pid = 0 } = child;
  const interrupt = () => {
    interrupted = true;
    signalGroup(pid, 'SIGTERM');
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const timer = setTimeout(
    () => {
      console.error(`${name} has not ended in time`);
      signalGroup(pid, 'SIGTERM');
    },
    (limitMinutes + Number(values.minutes ?? 0)) * 60_000,
  );
  const code = await new Promise<number>((done) => {
    child.once('exit', (exitCode, signal) => done(signal === null ? (exitCode ?? 2) : 2));
  });
  clearTimeout(timer);
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  await endGroup(pid);
  return code;
}

/** A part that failed may leave processes. A control plane needs some seconds to end. */
async function endGroup(group: number): Promise<void> {
  const endBy = performance.now() + graceMs;
  while (signalGroup(group, 'SIGTERM')) {
    if (performance.now() > endBy) signalGroup(group, 'SIGKILL');
    await pause(500);
  }
}

/** @returns false if no process of the group is left */
function signalGroup(group: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}
