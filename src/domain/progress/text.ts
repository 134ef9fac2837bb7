// Progress in words, as the command line, the console and explanations show it. Pure.
import { figure } from '../../lib/text.ts';
import type { Progress } from './value.ts';

/** A record has null for what is absent. */
type ShownProgress = { readonly [name in keyof Progress]?: Progress[name] | null | undefined };

/** @returns such as `20,000 of 100,000 (20 %): Copying`; empty without progress */
export function progressText(progress: ShownProgress | null | undefined): string {
  const { done, total, message } = progress ?? {};
  return [progressFigures({ done, total }), message ?? ''].filter((each) => each !== '').join(': ');
}

/** @returns such as `20,000 of 100,000 (20 %)`; empty without numbers */
export function progressFigures({ done, total }: ShownProgress): string {
  if (typeof done !== 'number') return '';
  if (typeof total !== 'number') return `${figure(done)} done`;
  const percent = progressPercent({ done, total });
  const share = percent === undefined ? '' : ` (${percent} %)`;
  return `${figure(done)} of ${figure(total)}${share}`;
}

/** @returns whole percents, 100 only when all is done; undefined when the total is unknown or 0 */
export function progressPercent({ done, total }: ShownProgress): number | undefined {
  if (typeof done !== 'number' || typeof total !== 'number' || total === 0) return undefined;
  // 57 of 100 hundredths are 56.99… in binary.
  return Math.floor((100 * done) / total + 1e-9);
}
