// Pure. Puts files of examples/ into a page, each below a comment with its path: the page shows what the compiler and the tests have
// seen.
const example = /<!-- (examples\/\S+\.ts) -->\n```ts\n[\s\S]*?```/g;

/**
 * @param page Markdown @param read returns the text of a file by its path from the root of the repository
 * @returns the page with the present content of each example
 */
export function withExamples(page: string, read: (path: string) => string): string {
  return page.replace(
    example,
    (_, path: string) => `<!-- ${path} -->\n\`\`\`ts\n${read(path)}\`\`\``,
  );
}
