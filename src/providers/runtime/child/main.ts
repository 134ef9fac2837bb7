// Entry point of a child: the process that runs the code of an author.
import { runChild } from './run.ts';

runChild();
