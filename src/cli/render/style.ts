// Applies colours and signs where the terminal shows them. States carry a sign and a word, so nothing rests on colour.
import { inspect } from 'node:util';
import type { LifecycleState } from '../../domain/lifecycle.ts';
import { marked } from './own-colours.ts';

export type Colour = 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold';

/** The look of a stream: one of a stream that shows neither colours nor Unicode changes nothing. */
export interface Style {
  readonly unicode: boolean;
  paint(colour: Colour, text: string): string;
}

export function styleOf({ colours, unicode }: { colours: boolean; unicode: boolean }): Style {
  return {
    unicode,
    paint: (colour, text) => (colours ? painted(colour, text) : text),
  };
}

function painted(colour: Colour, text: string): string {
  const [start = 0, end = 0] = inspect.colors[colour] ?? [];
  return `${marked(start)}${text}${marked(end)}`;
}

interface Look {
  readonly sign: string;
  readonly ascii: string;
  readonly colour: Colour;
}

const looks = {
  ready: { sign: '✓', ascii: '+', colour: 'green' },
  processing: { sign: '●', ascii: '*', colour: 'cyan' },
  pending: { sign: '○', ascii: 'o', colour: 'yellow' },
  draft: { sign: '·', ascii: '.', colour: 'dim' },
  failed: { sign: '✗', ascii: 'x', colour: 'red' },
} as const satisfies Readonly<Record<LifecycleState, Look>>;

/** Words of builds, deployments and steps that look as a state of a resource does. */
const alike: Readonly<Record<string, keyof typeof looks>> = {
  success: 'ready',
  succeeded: 'ready',
  available: 'ready',
  done: 'ready',
  ok: 'ready',
  building: 'processing',
  running: 'processing',
  uploading: 'processing',
  progressing: 'processing',
  deploying: 'processing',
  deleting: 'processing',
  queued: 'pending',
  waiting: 'pending',
  not_deployed: 'draft',
  cancelled: 'draft',
  refused: 'failed',
  unavailable: 'failed',
  crashed: 'failed',
};

function lookOf(state: string): Look | undefined {
  const name = Object.hasOwn(looks, state) ? (state as LifecycleState) : alike[state];
  return name === undefined ? undefined : looks[name];
}

/** @returns the coloured sign of a state, a space for an unknown one */
export function signOf(state: string, style: Style): string {
  const look = lookOf(state);
  if (look === undefined) return ' ';
  return style.paint(look.colour, style.unicode ? look.sign : look.ascii);
}

/** @returns sign and word of a state, such as `✓ ready` */
export function stateText(state: string, style: Style): string {
  const look = lookOf(state);
  const word = look === undefined ? state : style.paint(look.colour, state);
  return `${signOf(state, style)} ${word}`;
}
