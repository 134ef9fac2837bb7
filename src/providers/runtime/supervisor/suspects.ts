// Events that are suspected of having ended their process: which deliveries belong to them.

export interface Suspects {
  has(subject: string): boolean;
  add(subject: string): void;
  /** Its handler has ended without its process. */
  clear(subject: string): void;
}

/** A pod remembers its last ones. The controller knows all culprits, and says so with the delivery. */
const maxSubjects = 1_000;

export function createSuspects(): Suspects {
  const subjects = new Set<string>();
  return {
    has: (subject) => subjects.has(subject),
    add(subject) {
      subjects.delete(subject);
      subjects.add(subject);
      const [oldest] = subjects;
      if (subjects.size > maxSubjects && oldest !== undefined) subjects.delete(oldest);
    },
    clear: (subject) => void subjects.delete(subject),
  };
}
