// Lends the S3 server of a run to the files that ask for a bucket. Loaded by vitest.
import type { TestProject } from 'vitest/node';
import { startS3Server } from '../s3-server.ts';
import { lend } from './on-demand.ts';

/** @returns what stops it */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const lender = await lend(startS3Server);
  provide('s3Server', lender.url);
  return async () => lender[Symbol.asyncDispose]();
}
