// Serves the API to the tests of one file.
import { afterAll, beforeAll } from 'vitest';
import { type ServedApi, serveApi } from './served-api.ts';

/**
 * Call it at the top of a test file: it starts the service before the first test, and stops it after the last.
 * @returns the service, once a test runs
 */
export function apiOfFile(): () => ServedApi {
  let api: ServedApi;
  beforeAll(async () => {
    api = await serveApi();
  });
  afterAll(() => api?.close());
  return () => api;
}
