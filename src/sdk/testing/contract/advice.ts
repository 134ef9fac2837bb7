// Advice about a broken promise, by how its finding begins; the first that fits counts. Pure.

const advice: readonly (readonly [RegExp, string])[] = [
  [/^schema/, 'Change the schema: a build with it fails'],
  [
    /^create, again.* as many objects/,
    'A type with `onceOnly` makes another object, and removes the one whose values nobody received',
  ],
  [
    /^create, again/,
    'Fairlead repeats an event whose answer was lost: find what the first call made, by organization and name or by `key`, and return that. What a system shows only once is named in `onceOnly` of the type',
  ],
  [
    /^update (?:without|after one)/,
    'Return the outputs of what exists, without values that change',
  ],
  [
    /^update to `changed`, and back/,
    'Change what exists instead of replacing it: a replacement loses what users keep in it. Outputs that may differ are named in `volatile`',
  ],
  [
    /^update to `changed`, again/,
    'Fairlead repeats an event whose answer was lost: make the second call end like the first',
  ],
  [/^update .*abort/, 'Pass `signal` to what the handler waits for, and throw when it is aborted'],
  [/^delete(?:[,:]| of)/, 'Succeed when nothing is there, without outputs'],
  [
    /^(?:create|delete) that arrives|^update after a late/,
    'Store `sequence` beside what you make, and `fail` when that of a call is lower. If outputs do not tell what changed, pass `observe`; if a late delivery does no harm, `fenced: false`',
  ],
  [
    /^(?:create of two|update after another resource)/,
    'Name what you make after the resource, and share nothing between resources',
  ],
  [
    /^create of a name that is taken/,
    'Store `owner` of the call with what you make, such as in a tag, and `fail` with `already_exists` when what has the name is not `ownedBy` the call: never take it over',
  ],
  [
    /another organization/,
    'Identify what you make by `organization` and `name`, not by `name` alone. Where all organizations share names, store `owner` of the call in a tag, and `fail` with `already_exists` when what is there is not `ownedBy` the call',
  ],
  [
    /another project/,
    'The name is free for another project when its resource is gone and the object stays: store `owner` of the call in a tag, which has the project, and `fail` with `already_exists` when what is there is not `ownedBy` the call',
  ],
  [
    /^identity/,
    'Pick in `of` what the backing service tells objects apart by, and return the same from `observe` and in `adopt` of listed items',
  ],
  [/^secret/, 'Mark the output with .meta({ sensitive: true }), or leave the value out'],
  [
    /while the service is unreachable/,
    'Throw an error soon, and not with `fail`: Fairlead retries it',
  ],
  [
    /^plan/,
    'Let `plan` accept what `create` and `update` accept, say the same of the same values each time, and change nothing',
  ],
  [/with a config of version/, 'Correct the migration from that version'],
];

export function findingAdvice(finding: string): string | undefined {
  return advice.find(([begins]) => begins.test(finding))?.[1];
}
