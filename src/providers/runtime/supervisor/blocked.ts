// Asks the inspector of a process whose event loop is blocked which event its code runs for, and where it is.
import { setTimeout as pause } from 'node:timers/promises';
import { runningEvent } from '../messages.ts';
import type { ProviderProcess } from './child-process.ts';

export interface BlockedCode {
  /** Undefined: it belongs to no event. */
  readonly event: number | undefined;
  /** The innermost first, as in the stack of an error. */
  readonly frames: readonly string[];
}

/** The inspector answers within 0.2 s, unless native code runs. */
const limitMs = 2_000;
const maxFrames = 20;

/** @returns undefined when it cannot be read, as in native code */
export async function blockedCode({
  pid,
  unmasked,
}: ProviderProcess): Promise<BlockedCode | undefined> {
  const until = performance.now() + limitMs;
  try {
    process.kill(pid, 'SIGUSR1');
  } catch {
    return undefined;
  }
  let url: string | undefined;
  while (url === undefined && performance.now() < until) {
    await pause(10);
    url = /^Debugger listening on (ws:\/\/127\.0\.0\.1:\S+)/m.exec(unmasked())?.[1];
  }
  return url === undefined ? undefined : await askInspector(url, until - performance.now());
}

interface Frame {
  readonly callFrameId: string;
  readonly functionName: string;
  readonly location: { readonly scriptId: string; readonly lineNumber: number };
}

/** The Chrome DevTools Protocol; each message has some of it. */
interface InspectorMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params: {
    readonly scriptId: string;
    readonly url: string;
    readonly callFrames: readonly Frame[];
  };
  readonly result: { readonly result?: { readonly value?: unknown } };
}

async function askInspector(url: string, ms: number): Promise<BlockedCode | undefined> {
  const found = Promise.withResolvers<BlockedCode | undefined>();
  const timer = setTimeout(() => found.resolve(undefined), ms);
  const socket = new WebSocket(url);
  const scripts = new Map<string, string>();
  let frames: readonly string[] = [];
  const ask = (id: number, method: string, params = {}) =>
    socket.send(JSON.stringify({ id, method, params }));
  const shown = ({ functionName, location: { scriptId, lineNumber } }: Frame) => {
    const place = `${scripts.get(scriptId) ?? 'node:internal'}:${lineNumber + 1}`;
    return functionName === '' ? `    at ${place}` : `    at ${functionName} (${place})`;
  };
  socket.onopen = () => {
    ask(1, 'Debugger.enable');
    ask(2, 'Debugger.pause');
  };
  const evaluate = ({ callFrameId }: Frame) => {
    const expression = `globalThis[Symbol.for('${runningEvent}')]()`;
    ask(3, 'Debugger.evaluateOnCallFrame', { callFrameId, expression, returnByValue: true });
  };
  socket.onmessage = ({ data }) => {
    const { id, method, params, result } = JSON.parse(String(data)) as InspectorMessage;
    if (method === 'Debugger.scriptParsed') scripts.set(params.scriptId, params.url);
    if (method === 'Debugger.paused') {
      frames = params.callFrames.slice(0, maxFrames).map(shown);
      params.callFrames.slice(0, 1).forEach(evaluate);
    }
    if (id !== 3) return;
    const event = result.result?.value;
    found.resolve({ event: typeof event === 'number' ? event : undefined, frames });
  };
  socket.onerror = () => found.resolve(undefined);
  const code = await found.promise;
  clearTimeout(timer);
  socket.close();
  return code;
}
