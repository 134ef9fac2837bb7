import { expect, it } from 'vitest';
import { createConfigSharing } from '../../../../src/store/resources/shared-config.ts';
import { aResource } from '../../../support/fixtures/builders.ts';

it('makes an equal config and applied config one object', () => {
  const resource = aResource({
    spec: { config: { name: 'orders', nested: { port: 5_432 } } },
    status: { appliedConfig: { nested: { port: 5_432 }, name: 'orders' } },
  });
  const { spec, status } = createConfigSharing()(resource);
  expect(status?.appliedConfig).toBe(spec.config);
});

it('shares the equal parts of an applied config with resolved references', () => {
  const applied = { host: 'db.example.com', nested: { port: 5_432 } };
  const resource = aResource({
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a reference
    spec: { config: { host: '${postgres/database/orders.outputs.host}', nested: { port: 5_432 } } },
    status: { appliedConfig: applied },
  });
  const { spec, status } = createConfigSharing()(resource);
  expect(status?.appliedConfig).toEqual({ host: 'db.example.com', nested: { port: 5_432 } });
  expect(status?.appliedConfig?.['nested']).toBe(spec.config['nested']);
});

it('leaves a resource without an applied config', () => {
  const resource = aResource({ status: {} });
  expect(createConfigSharing()(resource)).toEqual(aResource({ status: {} }));
});
