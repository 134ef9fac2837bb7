import { expect, it } from 'vitest';
import { crossOriginRefusal, loopbackHosts } from '../../../src/domain/cross-origin.ts';

const cases = {
  'a client without a browser': { host: 'localhost:8000', want: undefined },
  'another name of this machine': { host: '127.0.0.1:8000', want: undefined },
  'IPv6, and a forwarded port': { host: '[::1]:18000', want: undefined },
  'the default port': { host: 'LOCALHOST', want: undefined },
  'a page of the listener itself': {
    host: 'localhost:8000',
    origin: 'http://localhost:8000',
    want: undefined,
  },
  'a name that resolves to 127.0.0.1': { host: 'evil.example:8000', want: 'misdirected_request' },
  'a name that begins like ours': { host: 'localhost.evil.example', want: 'misdirected_request' },
  'another address': { host: '169.254.169.254', want: 'misdirected_request' },
  'no host': { want: 'misdirected_request' },
  'a page of another site': {
    host: 'localhost:8000',
    origin: 'http://evil.example',
    want: 'cross_origin',
  },
  'a page on another port': {
    host: 'localhost:8000',
    origin: 'http://localhost:3000',
    want: 'cross_origin',
  },
  'a page in a sandbox': { host: 'localhost:8000', origin: 'null', want: 'cross_origin' },
  'a page over TLS': {
    host: 'localhost:8000',
    origin: 'https://localhost:8000',
    want: 'cross_origin',
  },
};

it.each(Object.entries(cases))('judges %s', (_name, { want, ...headers }) => {
  expect(crossOriginRefusal(headers, loopbackHosts)?.code).toBe(want);
});
