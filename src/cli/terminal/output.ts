// Prints results on standard output in the requested format. Everything else goes to standard error (talk.ts).

import { plainText } from '../../client/plain-text.ts';
import type { Environment } from './environment.ts';
import { usageError } from './errors/cli-error.ts';
import { type Format, valueAt } from './format.ts';
import { Printer } from './printer.ts';
import { proseLines } from './prose.ts';
import type { Style } from './style.ts';
import { type Column, fitted, type Look, tableLines } from './table.ts';
import { yamlOf } from './yaml.ts';

/** How records of one kind are shown. */
export interface View<T> {
  readonly columns: readonly Column<T>[];
  /** For `-o name`: what other commands accept. */
  nameOf(record: T): string;
  /** For `-o manifest`: the object of Kubernetes. */
  manifestOf?(record: T): object;
  /** For `-o yaml`: the part of a record that can be sent back. The whole record by default. */
  declarationOf?(record: T): unknown;
}

export class Output {
  readonly format: Format;
  readonly style: Style;
  readonly #environment: Environment;
  readonly #printer: Printer;

  constructor({
    environment,
    format,
    style,
  }: { environment: Environment; format: Format; style: Style }) {
    this.#environment = environment;
    this.#printer = new Printer(environment, 'stdout');
    this.format = format;
    this.style = style;
  }

  /** True for `table` and `wide`, which people read; anything else is for programs and has no words around it. */
  get isForPeople(): boolean {
    return this.format.kind === 'table' || this.format.kind === 'wide';
  }

  /** Prints records: a table, an array of JSON, documents of YAML, or a line for each. */
  async list<T>(records: readonly T[], view: View<T>): Promise<void> {
    if (this.isForPeople) this.#table(records, view);
    else if (this.format.kind === 'json') this.json(records);
    else for (const record of records) await this.#one(record, view, records.length > 1);
  }

  /** Prints one record, in the formats of a list, but as one object of JSON. */
  async record<T>(record: T, view: View<T>): Promise<void> {
    if (this.isForPeople) this.#table([record], view);
    else await this.#one(record, view, false);
  }

  /** Prints the fields of one record below each other in a table, and the record itself in other formats. */
  async fields<T>(record: T, rows: readonly (readonly [string, string])[]): Promise<void> {
    const name = plainText(Object.values(record as object)[0] ?? '');
    if (this.isForPeople) this.rows(rows);
    else await this.#one(record, { columns: [], nameOf: () => name }, false);
  }

  /** Prints rows of cells with aligned columns, for people. */
  rows(rows: readonly (readonly string[])[]): void {
    for (const line of fitted(rows, this.width)) this.line(line);
  }

  /** Prints sentences for people, broken at words. */
  prose(text: string): void {
    for (const line of proseLines(text, this.width)) this.line(line);
  }

  /** Prints a value that is no record, such as a part of one, for programs. */
  async value(value: unknown): Promise<void> {
    await this.#one(value, { columns: [], nameOf: () => plainText(value) }, false);
  }

  /** Prints a line of the result, in which nothing but colours of the client controls a terminal. */
  line(text: string): void {
    this.#printer.line(text);
  }

  /** Prints text as it is; a terminal gets it as a line. */
  text(text: string): void {
    this.#printer.exact(text);
  }

  json(value: unknown): void {
    this.line(JSON.stringify(value, null, 2));
  }

  /** The width of the terminal; undefined elsewhere, where nothing wraps. */
  get width(): number | undefined {
    return this.#printer.columns;
  }

  /** Whether people see it at once. */
  get isTerminal(): boolean {
    return this.#printer.isTerminal;
  }

  get look(): Look {
    return {
      style: this.style,
      now: this.#environment.now(),
      wide: this.format.kind === 'wide',
    };
  }

  async #document(value: unknown, ofSeveral: boolean): Promise<void> {
    const document = await yamlOf(value);
    this.text(ofSeveral ? `---\n${document}` : document);
  }

  #table<T>(records: readonly T[], { columns }: View<T>): void {
    if (records.length === 0) return;
    for (const line of tableLines(records, columns, this)) this.line(line);
  }

  async #one<T>(record: T, view: View<T>, ofSeveral: boolean): Promise<void> {
    const { nameOf, declarationOf } = view;
    switch (this.format.kind) {
      case 'ndjson':
        return this.line(JSON.stringify(record));
      case 'name':
        return this.line(nameOf(record));
      case 'yaml':
        return await this.#document(declarationOf?.(record) ?? record, ofSeveral);
      case 'manifest':
        return await this.#document(requireManifest(view, record), ofSeveral);
      case 'value': {
        const value = valueAt(record, this.format.path);
        return value === undefined ? undefined : this.text(`${plainText(value)}\n`);
      }
      case 'json':
      case 'table':
      case 'wide':
        return this.json(record);
    }
  }
}

function requireManifest<T>({ manifestOf }: View<T>, record: T): object {
  if (manifestOf !== undefined) return manifestOf(record);
  throw usageError('Only fairlead get prints manifests, of resources.', 'fairlead help output');
}
