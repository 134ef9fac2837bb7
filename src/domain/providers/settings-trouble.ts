// Recognises that a provider does not run because of its settings, in what its runtime said last. Pure.
import { settingsProblems } from '../schemas/setting-schema.ts';

const problems = Object.values(settingsProblems).join('|');
const trouble = new RegExp(`(?:^|: )Provider \\S+ cannot run: (?:${problems}): `);

/** @returns whether a message means that a provider cannot run with its settings: no other version of its code would help */
export function blamesSettings(message: string): boolean {
  return trouble.test(message);
}
