import { type CrashTimes, openCrashBench, type Way, ways } from '../process-ends/crashes.ts';
import { measureLoadedSupervisor, measureSupervisor } from '../process-ends/supervisor.ts';
import { type Figure, figure, type Part } from '../report/figures.ts';

const rounds = 10;
const unrelatedGoal = { atMost: 1, source: 'one event cannot stop another' } as const;
const names = Object.keys(ways) as readonly Way[];
const restarted: readonly Way[] = ['exit', 'signal', 'loop'];

type Run = readonly [Way, CrashTimes];

export const crashes: Part = {
  name: 'crashes',
  title: 'Ends of processes',
  about: `Six handlers of eight seconds run, when one more begins that ends its process, or blocks it; meanwhile an unrelated resource is created
each second, five times. Everything takes part: applies over HTTP, the controller, pods of 512 MiB on the local node. Seconds from the apply of the
culprit, whose type has one attempt; one round. Then memory and start of a pod that does nothing, supervisor and child, beside one
process of the same code with \`serve\`. The runtime before the supervisor was one process, and its own code was compiled when it started.`,
  notes: {
    'one pod: longest unrelated create': `Beside the full heap alone; beside the five other ways it is 0.07 to 0.27 s. The cause was not measured. A
create that is in the process when it dies is a suspect and runs again, and garbage collection of a heap that is nearly full holds up the event loop, for less than
the second after which another process takes new events.`,
  },
  async run({ say }) {
    const figures: Figure[] = [];
    {
      await using bench = await openCrashBench();
      const runs = async (title: string, which: readonly Way[], restarts = false) => {
        const found: Run[] = [];
        for (const way of which) {
          const times = await bench.run(way, restarts);
          say(`${title}, ${way}: ${JSON.stringify(times)}`);
          found.push([way, times]);
        }
        return found;
      };
      await bench.deploy(1);
      figures.push(...figuresOf('one pod', await runs('one pod', names)));
      const across = await runs('one pod, restart', restarted, true);
      figures.push(...innocentsOf('one pod, Fairlead is killed and started', across));
      await bench.deploy(3);
      figures.push(...figuresOf('three pods', await runs('three pods', names)));
    }
    say('memory and start');
    figures.push(...costs(await measureSupervisor(rounds)));
    say('memory after many events');
    figures.push(loaded(await measureLoadedSupervisor()));
    return { figures };
  },
};

function figuresOf(pods: string, runs: readonly Run[]): readonly Figure[] {
  const longest = (which: readonly Run[]) =>
    Math.max(...which.map(([, { unrelated }]) => unrelated));
  const loops = runs.filter(([way]) => way === 'loop');
  const others = runs.filter(([way]) => way !== 'loop');
  return [
    ...innocentsOf(pods, runs),
    ...runs.map(([way, { culprit }]) =>
      figure(`${pods}: failed after, ${ways[way].title}`, 's', [culprit]),
    ),
    figure(`${pods}: longest unrelated create`, 's', [longest(others)], unrelatedGoal),
    figure(`${pods}: longest unrelated create beside \`for (;;)\``, 's', [longest(loops)], {
      ...unrelatedGoal,
      atMost: 3,
    }),
  ];
}

function innocentsOf(pods: string, runs: readonly Run[]): readonly Figure[] {
  const attempts = Math.max(...runs.flatMap(([, each]) => each.attempts));
  return [
    ...runs.map(([way, { innocents }]) =>
      figure(`${pods}: six are ready beside ${ways[way].title}`, 's', [innocents], {
        atMost: ways[way].atMost,
        source: 'the handlers take 8 s',
      }),
    ),
    figure(`${pods}: attempts of an innocent`, 'attempts', [attempts], {
      exactly: 1,
      source: 'a neighbour spends none',
    }),
  ];
}

function loaded(memoryMi: number): Figure {
  return figure('Memory of a supervisor after 8,000 events', 'MiB', [memoryMi], {
    atMost: 64,
    source: 'what pods leave for it',
  });
}

type Costs = Awaited<ReturnType<typeof measureSupervisor>>;

function costs({ supervised, single }: Costs): readonly Figure[] {
  const memory = [supervised, single].map((each) => each.map(({ memoryMi }) => memoryMi));
  const start = [supervised, single].map((each) => each.map(({ startMs }) => startMs));
  const [memoryOfPod = [], memoryOfOne = []] = memory;
  const [startOfPod = [], startOfOne = []] = start;
  return [
    figure('Memory of supervisor and child', 'MiB', memoryOfPod, {
      atMost: 70,
      source: '15 more than the runtime before the supervisor, 55.2',
    }),
    figure('Start of supervisor and child', 'ms', startOfPod, {
      atMost: 590,
      source: '200 more than the runtime before the supervisor, 390',
    }),
    figure('Memory of one process with `serve`', 'MiB', memoryOfOne),
    figure('Start of one process with `serve`', 'ms', startOfOne),
  ];
}
