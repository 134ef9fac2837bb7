// Applies colours and signs where the terminal shows them. States carry a sign and a word, so nothing rests on colour.
import { inspect } from 'node:util';
import { stateLook, type Tone } from '../../client/state-look.ts';
import { marked } from './own-colours.ts';

export type Colour = 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold';

/** The look of a stream: one of a stream that shows neither colours nor Unicode changes nothing. */
export interface Style {
  readonly unicode: boolean;
  paint(colour: Colour, text: string): string;
}

export function styleOf({
  colours: isColoured,
  unicode,
}: {
  colours: boolean;
  unicode: boolean;
}): Style {
  return {
    unicode,
    paint: (colour, text) => (isColoured ? painted(colour, text) : text),
  };
}

function painted(colour: Colour, text: string): string {
  const [start = 0, end = 0] = inspect.colors[colour] ?? [];
  return `${marked(start)}${text}${marked(end)}`;
}

const colours: Readonly<Record<Tone, Colour>> = {
  good: 'green',
  busy: 'cyan',
  waiting: 'yellow',
  quiet: 'dim',
  bad: 'red',
};

/** @returns the coloured sign of a state, a space for an unknown one */
export function signOf(state: string, style: Style): string {
  const look = stateLook(state);
  if (look === undefined) return ' ';
  return style.paint(colours[look.tone], style.unicode ? look.sign : look.ascii);
}

/** @returns sign and word of a state, such as `✓ ready` */
export function stateText(state: string, style: Style): string {
  const look = stateLook(state);
  const word = look === undefined ? state : style.paint(colours[look.tone], state);
  return `${signOf(state, style)} ${word}`;
}
