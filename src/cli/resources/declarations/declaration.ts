// Turns documents into declarations: the body of an apply, with the places of its fields for messages.

import type { ApplyResource } from '../../../api/shapes.ts';
import { slashed } from '../../../domain/identity.ts';
import type { Environment } from '../../terminal/environment.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';
import type { FolderReading } from './folder.ts';
import { type Problem, type Report, requireNone } from './problem.ts';
import { type Shaped, shapedFrom } from './shape.ts';
import { readSources, type Source } from './source.ts';
import { type Path, parseYaml, type YamlDocument } from './yaml.ts';

export interface Declaration {
  /** `provider/type/name` */
  readonly ref: string;
  readonly body: ApplyResource;
  /** Where it begins. */
  readonly place: string;
  /** @returns the place of a field of the body; that of its key with `key` */
  placeOf(bodyPath: Path, part?: 'key' | 'value'): string;
  /** Where a file has it; undefined for what is read elsewhere. */
  readonly written?: Written;
  /** The version of the resource that it replaces; any when absent. */
  readonly ifMatch?: string;
  /** Arguments of the apply that sends it again; `-f` with its file when absent. */
  readonly again?: readonly string[];
  /** Made by the migration of its type: a field that cannot change is no reason to lose what exists. */
  readonly isMigrated?: boolean;
}

export interface Written {
  readonly source: Source;
  /** The number of the document in the source, from 0. */
  readonly document: number;
  /** @returns the path in that document of a path in the body */
  pathOf(bodyPath: Path): Path;
}

/** @throws CliError with everything that is wrong in the files */
export async function readDeclarations(
  files: readonly string[],
  environment: Environment,
  how?: FolderReading,
): Promise<readonly Declaration[]> {
  return await declarationsIn(await readSources(files, environment, how), how);
}

/** @throws CliError with everything that is wrong in the texts */
export async function declarationsIn(
  sources: readonly Source[],
  { warn, mayBeEmpty = false }: Pick<FolderReading, 'warn' | 'mayBeEmpty'> = {},
): Promise<readonly Declaration[]> {
  const problems: Problem[] = [];
  const report: Report = (problem) => problems.push(problem);
  const declarations: Declaration[] = [];
  for (const source of sources) {
    for (const document of await parseYaml(source, report, warn)) {
      for (const item of itemsOf(document)) {
        const shaped = shapedFrom(item, report);
        if (shaped !== undefined) declarations.push(declarationOf(shaped, item));
      }
    }
  }
  reportDuplicates(declarations, report);
  requireNone(problems);
  if (declarations.length === 0 && !mayBeEmpty) throw usageError('The files contain no documents.');
  return declarations;
}

/** Records of the API come as a list, objects of kubectl as a List. */
function itemsOf(document: YamlDocument): readonly YamlDocument[] {
  const { value } = document;
  if (Array.isArray(value)) return itemsWithin(document, value, []);
  const { kind, items } = value as { kind?: unknown; items?: unknown };
  if (kind === 'List' && Array.isArray(items)) return itemsWithin(document, items, ['items']);
  return [document];
}

function itemsWithin(
  { source, number, placeOf }: YamlDocument,
  items: readonly unknown[],
  within: Path,
): readonly YamlDocument[] {
  return items.map((value, at) => ({
    ...{ source, value, number, within: [...within, at] },
    placeOf: (path, part) => placeOf([...within, at, ...path], part),
  }));
}

function declarationOf(shaped: Shaped, document: YamlDocument): Declaration {
  const {
    tuple,
    config,
    lifecycle,
    dependencies,
    tags,
    project,
    typeVersion,
    options,
    adopt,
    pathOf,
  } = shaped;
  const { source, number, within } = document;
  const placeOf = (path: Path, part?: 'key' | 'value') => document.placeOf(pathOf(path), part);
  return {
    ref: slashed(tuple),
    place: document.placeOf([]),
    placeOf,
    written: { source, document: number, pathOf: (path) => [...within, ...pathOf(path)] },
    body: {
      ...tuple,
      config,
      lifecycle_state: lifecycle,
      ...(dependencies === undefined ? {} : { dependencies: [...dependencies] }),
      ...(tags === undefined ? {} : { tags: tags === null ? null : [...tags] }),
      ...(project === undefined ? {} : { project_id: project }),
      ...(typeVersion === undefined ? {} : { type_version: typeVersion }),
      ...options,
      ...(adopt === undefined ? {} : { adopt }),
    },
  };
}

function reportDuplicates(declarations: readonly Declaration[], report: Report): void {
  const first = new Map<string, Declaration>();
  for (const declaration of declarations) {
    const { ref, place } = declaration;
    const other = first.get(ref);
    if (other === undefined) first.set(ref, declaration);
    else report({ place, field: ref, message: `is also declared at ${other.place}` });
  }
}
