// The form of well-known tokens: the rules of secretlint.
import { rules as allRules } from '@secretlint/secretlint-rule-preset-recommend';

// Without the rule that lets a comment in the text disable the others.
const rules = allRules.filter(({ meta }) => !meta.id.endsWith('filter-comments'));

type Rule = (typeof rules)[number];
type FileRule = NonNullable<ReturnType<Rule['create']>['file']>;

export interface TokenFound {
  /** The service, such as `github`. */
  readonly rule: string;
  /** Which form of the rule. */
  readonly form: string;
  readonly range: readonly [from: number, to: number];
}

/**
 * Runs the rules directly. The engine of secretlint is made for short-lived programs: it keeps a record of every run, and
 * reads all of them at the next.
 * @param options of the rules
 */
export async function tokensIn(content: string, options: object = {}): Promise<TokenFound[]> {
  const found: TokenFound[] = [];
  const source = { content, filePath: 'error.txt', ext: '.txt', contentType: 'text' as const };
  for (const { create, meta } of rules) {
    const rule = meta.id.replace(/^.*secretlint-rule-/, '');
    const context = {
      sharedOptions: {},
      createTranslator: () => (messageId: string) => ({ message: '', messageId }),
      report: ({ message, range }: { message: { messageId: string }; range: [number, number] }) =>
        void found.push({ rule, form: message.messageId, range }),
      ignore: () => undefined,
    } as unknown as Parameters<Rule['create']>[0];
    await create(context, options).file?.(source as Parameters<FileRule>[0]);
  }
  return found;
}
