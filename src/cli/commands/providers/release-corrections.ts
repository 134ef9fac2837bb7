// `fairlead provider release-corrections`: lets held corrections of a provider begin, after it has shown why they are held.
import type { Provider } from '../../../api/shapes.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { requireProvider } from '../../providers/provider.ts';
import { heldCorrections, providerView } from '../../providers/views.ts';
import type { Invocation } from '../../session/invocation.ts';

export async function releaseCorrections(invocation: Invocation): Promise<void> {
  const { args, flags, questions, talk } = invocation;
  const [name = ''] = args;
  const provider = await requireProvider(invocation, name);
  const held = heldCorrections(provider);
  if (held === undefined) {
    talk.note(`No corrections of ${name} are held.`);
    return await printProvider(invocation, provider);
  }
  talk.note(`Held: ${held}`);
  const question = `Correct what differs, and create again what is gone, of ${name}?`;
  if (flags.on('dry-run') || !(await questions.confirm(question))) {
    talk.note('Nothing was released.');
    return await printProvider(invocation, provider);
  }
  const api = await invocation.api();
  const path = { provider: name };
  const released = await api.call('releaseCorrections', { path, isRepeatable: true });
  talk.note(shell`The corrections of ${name} begin.  Watch: fairlead get ${name} -w`);
  await printProvider(invocation, released);
}

async function printProvider({ output }: Invocation, provider: Provider): Promise<void> {
  if (!output.isForPeople) await output.record(provider, providerView);
}
