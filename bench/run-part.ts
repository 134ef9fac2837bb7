// Measures one part for main.ts and keeps its result. Exit code 0: all goals are met; 1: some are missed; 2: it failed.
import { parts } from './parts/index.ts';
import { keepResult, type Result } from './report/results.ts';
import { printRows } from './report/rows.ts';
import type { Setting } from './report/setting.ts';

interface Order {
  readonly name: string;
  readonly minutes?: string;
  readonly setting: Setting;
}

const { name, minutes, setting } = JSON.parse(process.argv[2] ?? '{}') as Order;
const part = parts.find((each) => each.name === name);
if (part === undefined) throw new Error(`no part is called ${name}`);
const at = new Date();
const say = (line: string) =>
  console.log(`${new Date().toISOString().slice(11, 19)} ${name}: ${line}`);
say('starts');
try {
  const measured = await part.run({
    say,
    minutes: minutes === undefined ? undefined : Number(minutes),
  });
  const seconds = (Date.now() - at.getTime()) / 1_000;
  const result: Result = { at: at.toISOString(), seconds, setting, ...measured };
  keepResult(name, result);
  process.exit(printRows(part, result) ? 0 : 1);
} catch (thrown) {
  console.error(thrown);
  process.exit(2);
}
