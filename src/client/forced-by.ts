// Reads the header that names the fields because of which a resource is replaced. Pure.
import { percentDecoded } from '../lib/text.ts';

/** @returns JSON Pointers into the record, such as `/config/region`; none without the header */
export function forcedByIn(header: string | null | undefined): readonly string[] {
  return (header ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map(percentDecoded);
}
