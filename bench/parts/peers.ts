import { eventually } from '../../test/support/runner/eventually.ts';
import { peers, type RunningPeer, startPeer } from '../peers/index.ts';
import { type Figure, figure, type Part } from '../report/figures.ts';
import { installRawKind, type OwnSubject, startSubject } from '../setup/subject.ts';
import {
  bareObject,
  bareStatus,
  type Sample,
  throughFairlead,
  untilReady,
} from '../writes/lifecycle.ts';

const rounds = 5;
const perRound = 300;

/** The ratio that a peer should not exceed; for the others it is only reported. */
const goals: Readonly<Record<string, number>> = {
  'controller-runtime': 0.9,
  kopf: 1,
  'client-node': 1,
};

export const comparedWithPeers: Part = {
  name: 'peers',
  title: 'Beside other frameworks',
  about: `Controllers that do the work of a lifecycle without an HTTP API: for each of ${perRound} objects, created by a bare client, 32 at
once, status \`processing\`, a POST to the same provider, status \`ready\`; each with a kind of its own with the schema of Resource, on one
API server, in turns. The figures of Fairlead begin with its HTTP API, which authenticates and validates. Versions and settings:
${peers.map(({ name, version }) => `${name} ${version}`).join('; ')}. controller-runtime has 16 concurrent reconciles and no client limit, kopf
no batching window, client-node is \`makeInformer\` and \`CustomObjectsApi\`. A peer that cannot be built or installed is left out.`,
  async run({ say }) {
    await using stack = new AsyncDisposableStack();
    const subject = await startSubject();
    stack.defer(() => subject.close());
    const figures: Figure[] = [];
    for (const peer of peers) {
      say(`prepares ${peer.name}`);
      const command = await peer.prepare();
      if ('missing' in command) {
        say(`without ${peer.name}: ${command.missing}`);
        continue;
      }
      const group = `${peer.name}.bench.fairlead.dev`;
      await installRawKind(subject.raw, group);
      const path = `/apis/${group}/v1alpha1/namespaces/${subject.namespace}/resources`;
      await eventually(() => subject.raw.send('GET', path));
      const running = startPeer(command, targetOf(subject, group));
      try {
        const through = throughPeer(running, { ...subject, path, group });
        figures.push(...(await compare(peer.name, { subject, through, say })));
      } finally {
        await running.stop();
      }
    }
    return { figures };
  },
};

interface Comparison {
  readonly subject: OwnSubject;
  through(prefix: string): Promise<Sample>;
  say(line: string): void;
}

async function compare(name: string, { subject, through, say }: Comparison) {
  const ours: Sample[] = [];
  const theirs: Sample[] = [];
  const ratios: number[] = [];
  const fairlead = (prefix: string) => throughFairlead(subject, `${name}-${prefix}`, perRound);
  await through('warm-');
  await fairlead('warm-');
  for (let round = 0; round < rounds; round += 1) {
    say(`${name}, round ${round + 1} of ${rounds}`);
    // ABBA: drift of the machine within a round affects both sides equally.
    const first = await through(`a${round}-`);
    const one = await fairlead(`b${round}-`);
    const two = await fairlead(`c${round}-`);
    const last = await through(`d${round}-`);
    ours.push(one, two);
    theirs.push(first, last);
    ratios.push((one.perSecond + two.perSecond) / (first.perSecond + last.perSecond));
  }
  const goal = goals[name];
  return [
    figure(
      `Throughput, ratio to ${name}`,
      'ratio',
      ratios,
      goal === undefined ? undefined : { atLeast: goal, source: 'the API server is the limit' },
    ),
    figure(`CPU per lifecycle beside ${name}`, 'CPU-ms', cpu(ours)),
    figure(`CPU per lifecycle of ${name}`, 'CPU-ms', cpu(theirs)),
    figure(
      `Throughput of ${name}`,
      'resources/s',
      theirs.map((sample) => sample.perSecond),
    ),
  ];
}

const cpu = (samples: readonly Sample[]) => samples.map((sample) => sample.cpuMsPerResource);

function targetOf({ fairlead, namespace, endpoint }: OwnSubject, group: string) {
  const statuses = { processing: bareStatus('processing'), ready: bareStatus('ready') };
  return { kubeconfig: fairlead.kubeconfig, group, namespace, endpoint, statuses };
}

interface Load extends Pick<OwnSubject, 'raw'> {
  readonly group: string;
  readonly path: string;
}

function throughPeer({ pid, ended }: RunningPeer, { raw, path, group }: Load) {
  const create = (name: string) => raw.send('POST', path, bareObject(name, group));
  const work = { raw, path, pids: [pid], create };
  return (prefix: string) => Promise.race([untilReady(work, { prefix, count: perRound }), ended]);
}
