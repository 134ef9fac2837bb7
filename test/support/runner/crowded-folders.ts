// Finds folders that hold a long list of files beside folders.

const maxFilesBesideFolders = 20;

/**
 * A list of equals, such as commands, may be long. Where there are folders, a long list beside them is what nobody has sorted.
 * @param paths of all files
 * @returns one sentence for each folder that has too many
 */
export function crowdedFolders(paths: readonly string[]): string[] {
  const filesIn = new Map<string, number>();
  const withFolders = new Set<string>();
  for (const path of paths) {
    const names = path.split('/').slice(0, -1);
    const folder = names.join('/');
    filesIn.set(folder, (filesIn.get(folder) ?? 0) + 1);
    for (let depth = 1; depth < names.length; depth += 1) {
      withFolders.add(names.slice(0, depth).join('/'));
    }
  }
  return [...filesIn]
    .filter(([folder, count]) => count > maxFilesBesideFolders && withFolders.has(folder))
    .map(
      ([folder, count]) =>
        `${folder}/ has ${count} files beside its folders; ${maxFilesBesideFolders} is the limit. Which of them are about one thing? Give those a folder.`,
    );
}
