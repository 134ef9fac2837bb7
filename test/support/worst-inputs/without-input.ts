// Functions that take what tenants write and need no worst input of their own, with the reason.

const reasons: Readonly<Record<string, readonly string[]>> = {
  'reads members of the value itself': [
    ...['alternativesIn', 'kindsOf', 'numberIn', 'textIn', 'enumValues'].map(
      (name) => `client/schema/read ${name}`,
    ),
    'domain/references/steps memberOf',
    'domain/schemas/declared ownField',
    'domain/schemas/immutable-changes areUndeclared',
    'domain/schemas/immutable-fields hasMark',
    'domain/schemas/immutable-fields targetOf',
    'domain/schemas/possible-values typesOfValue',
    'domain/secrets/marks marksOf',
    'domain/secrets/type-schemas configOnly',
    'domain/secrets/type-schemas typeSchemas',
    'domain/type-version schemaForVersion',
    'domain/unions/form followed',
    'lib/fields valuesOf',
    'tenant-schema/structure referenced',
    'tenant-schema/structure subschemas',
    'tenant-schema/keywords isImmutable',
    'tenant-schema/keywords isSecret',
    'tenant-schema/keywords referred',
  ],
  'is a part of one that has an input': [
    'client/schema/read resolved',
    'domain/references/literal literalMembers',
    'domain/schemas/declared sameFields',
    'domain/references/steps editing',
    'domain/schemas/setting-schema settingText',
    'domain/secrets/marks mayHide',
    'domain/secrets/marks walk',
    'domain/secrets/resource-secrets marksOfResource',
    'domain/secrets/resource-secrets mayHaveSecrets',
    'lib/json mapItems',
    'lib/json mapMembers',
    'tenant-schema/structure everySchema',
    'tenant-schema/subschema included',
    'tenant-schema/subschema ofItem',
    'tenant-schema/subschema ofMember',
    'tenant-schema/subschema patternsIn',
  ],
  'runs in a worker of the sandbox, with limits of time and memory, or once for a violation': [
    'domain/schemas/check-config checkConfig',
    'providers/schema-sandbox/compile compileSchema',
    'providers/schema-sandbox/essential essential',
    'providers/schema-sandbox/locate locate',
    'providers/schema-sandbox/unions/form-text formsText',
    'providers/schema-sandbox/violations violationsOf',
  ],
};

export const withoutInput: readonly string[] = Object.values(reasons).flat();
