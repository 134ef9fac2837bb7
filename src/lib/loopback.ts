// Recognizes the names and addresses of this machine in URLs.

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** @returns whether a URL stays on this machine, where no TLS is needed */
export function isLoopback({ hostname }: URL): boolean {
  return loopback.test(hostname);
}
