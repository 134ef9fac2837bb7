"""Runs commands of the published command line, each in a process of its own that begins after the imports.

Reads one JSON list of arguments per line from standard input; each command reads the answer "y" from its own standard
input. Writes one JSON object {"exit", "output"} per line.
"""

import json
import os
import sys
import tempfile

from pragma_cli.main import app


def run(arguments):
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as answers:
        answers.write(b"y\n")
        answers.seek(0)
        child = os.fork()
        if child == 0:
            os.dup2(answers.fileno(), 0)
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            sys.argv = ["pragma", *arguments]
            sys.stdin = open(0, encoding="utf-8", closefd=False)
            sys.exit(app())
        _, status = os.waitpid(child, 0)
        output.seek(0)
        text = output.read().decode(errors="replace")
    return {"exit": os.waitstatus_to_exitcode(status), "output": text}


while line := sys.stdin.readline():
    print(json.dumps(run(json.loads(line))), flush=True)
