// The answer of the protocol to a LIST, from what the handler returned.
import { z } from 'zod';
import { maxAnswerBytes, maxListedItems, } from '../../domain/event.js';
import { jsonBytes } from '../../lib/json.js';
import { issueText } from '../failure-text.js';
import { TerminalFailure } from '../outcome.js';
const maxCursorLength = 4_096;
const json = z.record(z.string(), z.unknown());
const Page = z.object({
    items: z
        .array(z.object({ adopt: json, name: z.string().optional(), config: json.optional() }))
        .max(maxListedItems),
    cursor: z.string().max(maxCursorLength).optional(),
});
/**
 * @throws TerminalFailure when the type has no handler `list`, and when it returned no page
 * @throws what the handler throws
 */
export async function listPage(type, { cursor, organization_id: organization }, { settings, started, log, signal }) {
    if (type.list === undefined) {
        throw new TerminalFailure('not_listable', `Type ${type.name} has no handler \`list\``);
    }
    const returned = await type.list({ ...started, settings, cursor, signal, log, organization });
    const page = Page.safeParse(returned);
    if (!page.success)
        throw invalidPage(issueText(page.error));
    for (const [at, { adopt }] of page.data.items.entries())
        requireValidAdopt(type, adopt, at);
    const sent = sentPage(page.data);
    const bytes = jsonBytes(sent);
    if (bytes <= maxAnswerBytes)
        return sent;
    throw invalidPage(`it has ${bytes} bytes of JSON, of at most ${maxAnswerBytes}; return fewer items`);
}
function sentPage(page) {
    try {
        return JSON.parse(JSON.stringify(page));
    }
    catch {
        throw invalidPage('it cannot be serialized as JSON');
    }
}
function requireValidAdopt({ adopt: schema }, adopt, at) {
    const parsed = schema?.safeParse(adopt);
    if (parsed === undefined || parsed.success)
        return;
    throw invalidPage(`items.${at}.adopt does not fit the schema adopt: ${issueText(parsed.error)}`);
}
function invalidPage(why) {
    const rule = 'list must return { items: [{ adopt, name?, config? }], cursor? }';
    return new TerminalFailure('invalid_list', `${rule}: ${why}`);
}
