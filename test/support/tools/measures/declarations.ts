// Counts types and functions by the parser of TypeScript.
import { type Node, SyntaxKind } from 'typescript/unstable/ast';
import {
  isArrowFunction,
  isFunctionDeclaration,
  isFunctionExpression,
  isInterfaceDeclaration,
  isTypeAliasDeclaration,
  isVariableStatement,
} from 'typescript/unstable/ast/is';
import { API } from 'typescript/unstable/sync';

export interface Declarations {
  /** The files that declare an interface or a type alias, by its name; a file twice where it declares it twice. */
  readonly types: ReadonlyMap<string, readonly string[]>;
  /** The same of functions of modules: functions in functions, and methods, have a context that names them. */
  readonly functions: ReadonlyMap<string, readonly string[]>;
}

/** @param sources texts of TypeScript files, by absolute paths, which need not exist */
export function declarationsOf(sources: ReadonlyMap<string, string>): Declarations {
  const config = '/measured/tsconfig.json';
  const compilerOptions = { noLib: true, noResolve: true, types: [], jsx: 'preserve' };
  const texts = new Map([
    ...sources,
    [config, JSON.stringify({ compilerOptions, files: [...sources.keys()] })] as const,
  ]);
  const api = new API({
    fs: { readFile: (path) => texts.get(path), fileExists: (path) => texts.has(path) || undefined },
  });
  try {
    const program = api.updateSnapshot({ openProjects: [config] }).getProject(config)?.program;
    const types = new Map<string, string[]>();
    const functions = new Map<string, string[]>();
    for (const path of sources.keys()) {
      const file = program?.getSourceFile(path);
      if (file === undefined) throw new Error(`TypeScript does not read ${path}.`);
      for (const name of typesIn(file)) types.set(name, [...(types.get(name) ?? []), path]);
      for (const name of file.statements.flatMap(functionsIn)) {
        functions.set(name, [...(functions.get(name) ?? []), path]);
      }
    }
    return { types, functions };
  } finally {
    api.close();
  }
}

function typesIn(node: Node): readonly string[] {
  const names: string[] = [];
  node.forEachChild((child) => {
    if (isInterfaceDeclaration(child) || isTypeAliasDeclaration(child)) names.push(child.name.text);
    names.push(...typesIn(child));
  });
  return names;
}

function functionsIn(statement: Node): readonly string[] {
  if (isFunctionDeclaration(statement)) {
    return statement.body === undefined || statement.name === undefined
      ? []
      : [statement.name.text];
  }
  if (!isVariableStatement(statement)) return [];
  return statement.declarationList.declarations.flatMap(({ name, initializer }) =>
    name.kind === SyntaxKind.Identifier &&
    initializer !== undefined &&
    (isArrowFunction(initializer) || isFunctionExpression(initializer))
      ? [name.text]
      : [],
  );
}
