// The shell blocks of a Markdown page that are marked as runnable.

const quickStart = /<!-- quick start -->\n```sh\n([\s\S]*?)```/;

/** @returns the commands of the block below `<!-- quick start -->`: the one that starts Fairlead, and those that follow */
export function quickStartOf(markdown: string): { start: string; commands: readonly string[] } {
  const [start = '', ...commands] = (quickStart.exec(markdown)?.[1] ?? '').trimEnd().split('\n');
  return { start, commands };
}

const marked = /<!-- runnable -->\n```sh\n([\s\S]*?)```/g;

/** @returns the text of each block below `<!-- runnable -->`, in their order */
export function runnableBlocks(markdown: string): readonly string[] {
  return [...markdown.matchAll(marked)].map(([, text = '']) => text);
}
