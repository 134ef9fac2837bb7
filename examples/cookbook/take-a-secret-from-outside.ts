import { createHash } from 'node:crypto';
import { type CallOf, fail, provider, z } from 'fairlead/provider';
import { cloud } from './cloud.ts';

const vault = provider('vault');

const certificate = vault.resource('certificate', {
  description: 'A certificate that was issued elsewhere',
  config: z.strictObject({
    certificate: z.string().min(1),
    key: z.string().min(1).meta({ writeOnly: true }),
  }),
  outputs: z.object({ url: z.string(), fingerprint: z.string() }),
  identity: { schema: z.strictObject({ url: z.string() }), of: ({ url }) => ({ url }) },
  create: (call): Promise<Stored> => store(call),
  update: (call): Promise<Stored> => store(call),
  delete: (call) => cloud.remove(call),
});

interface Stored {
  url: string;
  fingerprint: string;
}

async function store(call: CallOf<typeof certificate>): Promise<Stored> {
  const pem = call.config.certificate;
  // Never with the key in the message: users read it.
  if (!pem.startsWith('-----BEGIN CERTIFICATE-----')) {
    fail('not_a_certificate', 'certificate must be PEM');
  }
  const { url } = await cloud.put(call, call.config);
  return { url, fingerprint: createHash('sha256').update(pem).digest('hex') };
}

export default vault.types(certificate);
