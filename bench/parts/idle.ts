import { type IdleRound, measureIdle, resources } from '../idle.ts';
import { figure, type Part, shown } from '../report/figures.ts';

const rounds = 3;

export const idle: Part = {
  name: 'idle',
  title: 'Idle',
  about: `One process with API and controller, ${shown(resources)} ready resources, and nothing happens. The floor of requests to the API server
is the renewals of the Lease, every two seconds, and a new watch for each that ends. Requests of the API server to itself are
subtracted.`,
  notes: {
    'Requests, ratio to the floor': `A watch from which nothing comes for 45 seconds is opened again, because one whose connection is dead has to be
noticed within a minute and the API server sends bookmarks only about once a minute. The rest are the readiness probe, every five
seconds, the authority of the certificates of providers, which is read every ten seconds, and the Leases of the replicas.`,
    'CPU time': `A CPU profile of a minute without resources shows 430 ms: 220 in native code (system calls, TLS handshakes of watches that are opened
again), 65 in the garbage collector, and no function of Fairlead above 5.`,
  },
  async run({ say }) {
    const measured = await measureIdle(rounds, say);
    const values = (key: keyof IdleRound) => measured.map((each) => each[key]);
    const ratios = measured.map(({ requests, floor }) => requests / floor);
    const figures = [
      figure('Requests, ratio to the floor', 'ratio', ratios, {
        atMost: 1.2,
        source: 'watches instead of polling',
      }),
      figure('Requests to single resources', 'per minute', values('resourceRequests'), {
        exactly: 0,
        source: 'nothing is polled per resource',
      }),
      figure('CPU time', 'CPU-ms per minute', values('cpuMs'), {
        atMost: 120,
        source: '0.2 % of a core',
      }),
      figure('Requests', 'per minute', values('requests')),
      figure('Renewals of Leases', 'per minute', values('renewals')),
      figure('Watches that ended and were opened again', 'per minute', values('reopened')),
      figure('The floor', 'per minute', values('floor')),
      figure('Open watches', 'watches', values('watches')),
    ];
    return { figures };
  },
};
