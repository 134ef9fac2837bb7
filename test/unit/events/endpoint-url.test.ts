import { expect, it } from 'vitest';
import { endpointProblem } from '../../../src/events/endpoint-url.ts';

const usable = [
  'http://127.0.0.1:8080',
  'http://localhost:8080/',
  'https://carts.example.com',
  'https://carts.example.com:8443/events?of=acme',
  'http://10.1.2.3',
  'http://[::1]:8080',
  'http://[fd00::1]',
  'http://[fec0::1]',
  'http://169.253.1.1',
  'http://169.255.1.1',
  'http://169.254.example.com',
  'http://fe80.example.com',
  'http://kubernetes.example.com',
  'http://kubernetes.shop.svc',
];

it.each(usable)('%s may be an endpoint', (text) => {
  expect(endpointProblem(text)).toBeUndefined();
});

const linkLocal =
  'The endpoint must not be a link-local or multicast address, or that of a metadata service';
const credentials = 'The endpoint must not contain credentials';
const scheme = 'The endpoint must begin with http:// or https://';
const nowhere = 'The endpoint must not be an unspecified address such as 0.0.0.0';
const apiServer = 'The endpoint must not be the API server of Kubernetes';
const none = 'The endpoint is not a URL';

const refused: Record<string, string> = {
  '': none,
  carts: none,
  '//carts': none,
  '/events': none,
  'http://': none,
  'http://a b': none,
  'http://[::1': none,
  'http://carts:99999': none,
  'ftp://carts': scheme,
  'file:///etc/passwd': scheme,
  'localhost:8080': scheme,
  'javascript:alert(1)': scheme,
  'unix:/run/carts.sock': scheme,
  'http://user:password@carts': credentials,
  'http://user@carts': credentials,
  'http://:password@carts': credentials,
  'http://carts/#here': 'The endpoint must not have a fragment',
  'http://169.254.169.254': linkLocal,
  'http://169.254.169.254./latest': linkLocal,
  'http://169.254.0.1:8080': linkLocal,
  'http://2852039166': linkLocal,
  'http://0xa9fea9fe': linkLocal,
  'http://0251.0376.0251.0376': linkLocal,
  'http://169.254.43518': linkLocal,
  'http://１６９.254.169.254': linkLocal,
  'http://[fe80::1]': linkLocal,
  'http://[FE80:0::1]:8080': linkLocal,
  'http://[febf::1]': linkLocal,
  'http://[::ffff:169.254.169.254]': linkLocal,
  'http://[::ffff:a9fe:a9fe]': linkLocal,
  'http://[::169.254.169.254]': linkLocal,
  'http://[64:ff9b::169.254.169.254]': linkLocal,
  'http://0.0.0.0:8080': nowhere,
  'http://0/': nowhere,
  'http://[::]:8080': nowhere,
  'http://[::ffff:0.0.0.0]': nowhere,
  'https://kubernetes': apiServer,
  'https://kubernetes.default': apiServer,
  'https://KUBERNETES.default.svc.': apiServer,
  'https://kubernetes.default.svc.cluster.local': apiServer,
  'http://[fd00:ec2::254]': linkLocal,
  'http://168.63.129.16/machine/?comp=goalstate': linkLocal,
  'http://100.100.100.200/latest/meta-data/': linkLocal,
  'http://[fd00:42::42]': linkLocal,
  'http://224.0.0.1': linkLocal,
};

it.each(Object.entries(refused))('[Q16] %j may not: %s', (text, problem) => {
  expect(endpointProblem(text)).toBe(problem);
});
