import { type Figure, figure, type Part } from '../report/figures.ts';
import {
  type Cost,
  measureValidation,
  objects,
  type ValidationRound,
  type WriteCost,
} from '../validation.ts';

const rounds = 5;
/** Each round measures every rule, for two minutes. */
const rulesRounds = 2;

export const validation: Part = {
  name: 'validation',
  title: 'Validation',
  about: `What the API server spends on a create and on a status write of a Resource, by what its definition validates: nothing
(\`schemaless\`), the schema without CEL rules, all of it. Each is a kind of its own on one API server, written in turns, ${objects}
objects of 550 bytes at a time, which are deleted again.`,
  notes: {
    'Create, CPU of the API server': `The schema alone takes a third of what is added: defaults, pruning and managedFields of its fields. Of the rules, those
of names and references cost most; they keep objects out that nothing else would refuse.`,
    'Status write, CPU of the API server': `The rules take a third of what is added.`,
  },
  async run({ say }) {
    const measured = await measureValidation({ rounds, say });
    return { figures: [...figuresOf(measured, 'create'), ...figuresOf(measured, 'status')] };
  },
};

/** For work on the rules: which one costs what. */
export const validationRules: Part = {
  name: 'validation-rules',
  title: 'Validation, rule by rule',
  about: 'As above, with a kind for every CEL rule that lacks only this rule.',
  named: true,
  async run({ say }) {
    const measured = await measureValidation({ rounds: rulesRounds, say, everyRule: true });
    const variants = Object.keys(measured[0] ?? {});
    const figures = variants.flatMap((variant) =>
      (['create', 'status'] as const).flatMap((key) => costsOf(measured, variant, key)),
    );
    return { figures };
  },
};

const names = { create: 'Create', status: 'Status write' } as const;

function figuresOf(measured: readonly ValidationRound[], key: keyof WriteCost): readonly Figure[] {
  const name = names[key];
  return [
    figure(`${name}, CPU of the API server`, 'ratio', ratios(measured, key, 'cpuMs'), {
      atMost: 1.25,
      source: 'validating costs less than storing',
    }),
    figure(`${name}, memory that it allocates`, 'ratio', ratios(measured, key, 'kib')),
    ...['schemaless', 'schema', 'all'].flatMap((variant) => costsOf(measured, variant, key)),
  ];
}

function ratios(
  measured: readonly ValidationRound[],
  key: keyof WriteCost,
  what: keyof Cost,
): readonly number[] {
  const of = (round: ValidationRound, variant: string) => round[variant]?.[key][what] ?? Number.NaN;
  return measured.map((round) => of(round, 'all') / of(round, 'schemaless'));
}

function costsOf(
  measured: readonly ValidationRound[],
  variant: string,
  key: keyof WriteCost,
): readonly Figure[] {
  const of = (what: keyof Cost) =>
    measured.map((round) => round[variant]?.[key][what] ?? Number.NaN);
  const name = `${names[key]}, ${variant}`;
  return [figure(name, 'CPU-ms', of('cpuMs')), figure(name, 'KiB', of('kib'))];
}
