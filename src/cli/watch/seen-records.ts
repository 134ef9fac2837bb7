// Remembers the records of a stream, so that only changes are reported, and finds those that vanished during an interruption.
import type { ResourceRecord } from '../../api/shapes.ts';

export class SeenRecords {
  readonly #records = new Map<string, { readonly record: ResourceRecord; readonly text: string }>();
  /** Records that the present listing has not shown yet; undefined outside a listing. */
  #unseen: Set<string> | undefined;

  /** A complete listing begins. */
  begin(): void {
    this.#unseen = new Set(this.#records.keys());
  }

  /** @returns whether the record is new or changed */
  add(record: ResourceRecord): boolean {
    const text = JSON.stringify(record);
    this.#unseen?.delete(record.id);
    const isSame = this.#records.get(record.id)?.text === text;
    this.#records.set(record.id, { record, text });
    return !isSame;
  }

  /** @returns the last record, undefined for an unknown one */
  remove(id: string): ResourceRecord | undefined {
    const known = this.#records.get(id);
    this.#records.delete(id);
    this.#unseen?.delete(id);
    return known?.record;
  }

  /** The listing is complete. @returns the records that it did not show */
  end(): ResourceRecord[] {
    const gone = [...(this.#unseen ?? [])].flatMap((id) => this.remove(id) ?? []);
    this.#unseen = undefined;
    return gone;
  }
}
