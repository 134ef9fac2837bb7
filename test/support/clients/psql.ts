#!/usr/bin/env node
// psql for the commands of the documentation, as not every machine has it: `psql URL -c STATEMENT`, for statements that define
// something. It prints what psql prints: the first two words, such as CREATE DATABASE.
import pg from 'pg';

const [url = '', , statement = ''] = process.argv.slice(2);
const client = new pg.Client({ connectionString: url });
try {
  await client.connect();
  await client.query(statement);
  process.stdout.write(`${/^\w+ \w+/.exec(statement)}\n`);
} catch (thrown) {
  process.stderr.write(`ERROR:  ${(thrown as Error).message}\n`);
  process.exitCode = 1;
} finally {
  await client.end();
}
