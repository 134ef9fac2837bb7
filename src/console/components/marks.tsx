// The options of a resource that are marked beside its state, each as sign and word.
import type { ResourceRecord } from '../../api/shapes.ts';
import {
  type OptionMark,
  optionMarksOf,
  shownExpiry,
  shownMarks,
} from '../../client/option-marks.ts';
import { now } from '../live/clock.ts';
import { text } from '../text.ts';
import { Countdown } from './time.tsx';

/** Nothing for a resource that nothing guards. In rows some words are read only. */
export function Marks({ record }: { readonly record: ResourceRecord }) {
  const marks = optionMarksOf(record).filter((mark) => mark !== 'corrected');
  if (marks.length === 0) return null;
  return (
    <span class="marks">
      {marks.map((mark) => (
        <Mark key={mark} mark={mark} record={record} />
      ))}
    </span>
  );
}

type Shown = Exclude<OptionMark, 'corrected'>;

function Mark({ mark, record }: { readonly mark: Shown; readonly record: ResourceRecord }) {
  const { sign, word } = shownMarks[mark];
  const expiry = mark === 'expires' ? shownExpiry(record, now.value) : undefined;
  const tone = expiry?.isSoon ? ' soon' : '';
  return (
    <span class={`mark ${mark}${tone}`} title={text(`mark.title.${mark}`)}>
      <span class="sign" aria-hidden="true">
        {sign || <Lock />}
      </span>
      <span>
        <span class="word">{word}</span>
        {expiry && (
          <>
            {' '}
            <Countdown until={expiry.time} />
          </>
        )}
      </span>
    </span>
  );
}

/** Drawn, as many fonts of browsers lack the sign. */
function Lock() {
  return (
    <svg width="11" height="13" viewBox="0 0 11 13" focusable="false">
      <path d="M1 5.5h9V12H1z" fill="currentColor" />
      <path d="M3 6V3.5a2.5 2.5 0 0 1 5 0V6" fill="none" stroke="currentColor" stroke-width="1.5" />
    </svg>
  );
}
