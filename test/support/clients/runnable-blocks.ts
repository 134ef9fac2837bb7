// The shell blocks of a Markdown page that are marked as runnable.

const marked = /<!-- runnable -->\n```sh\n([\s\S]*?)```/g;

/** @returns the text of each block below `<!-- runnable -->`, in their order */
export function runnableBlocks(markdown: string): readonly string[] {
  return [...markdown.matchAll(marked)].map(([, text = '']) => text);
}
