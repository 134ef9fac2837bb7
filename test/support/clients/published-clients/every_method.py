"""Calls every public method of a published client against a running Fairlead.

Usage: every_method.py sync|async URL TOKEN PROVIDER FIRST.tgz SECOND.tgz
The provider of the archives has a type `crate`, whose handlers refuse the size 13. Exits with 1 at the first difference.
"""

import asyncio
import inspect
import sys
import time

from pragma_sdk import AsyncPragmaClient, PragmaClient
from pragma_sdk.models import BuildStatus, DeploymentStatus

mode, url, token, provider, first, second = sys.argv[1:]
kind = AsyncPragmaClient if mode == "async" else PragmaClient
loop = asyncio.new_event_loop()
called = set()


def wait(answer):
    return loop.run_until_complete(answer) if inspect.isawaitable(answer) else answer


client = kind(base_url=url, auth_token=token, timeout=60.0)


def call(name, *args, **kwargs):
    called.add(name)
    return wait(getattr(client, name)(*args, **kwargs))


def until(what, seconds=90):
    end = time.monotonic() + seconds
    while True:
        found = what()
        if found:
            return found
        assert time.monotonic() < end, f"timed out: {inspect.getsource(what)}"
        time.sleep(0.3)


def crate(name, size, state="pending"):
    config = {"size": size}
    return {"provider": provider, "resource": "crate", "name": name, "config": config, "lifecycle_state": state}


def letters(after=""):
    """The dead letters of both resources, once one of them has failed after a time."""

    def found():
        events = call("list_dead_letter_events", provider=provider)
        newer = any(each["failed_at"] > after for each in events)
        return events if newer and len(events) == 2 else None

    return until(found)


def latest(events):
    return max(each["failed_at"] for each in events)


async def read_async(response):
    async with response as stream:
        return [line async for line in stream.aiter_lines()]


def build(path):
    pushed = call("push_provider", provider, open(path, "rb").read())
    called.add("stream_build_logs")
    logs = client.stream_build_logs(provider, pushed.job_name)
    if mode == "async":
        lines = loop.run_until_complete(read_async(logs))
    else:
        with logs as stream:
            lines = list(stream.iter_lines())
    assert lines, "the log of the build is empty"
    result = call("get_build_status", provider, pushed.job_name)
    assert result.status is BuildStatus.SUCCESS, result
    return pushed.version


def deployed(version):
    status = call("get_deployment_status", provider)
    return status.version == version and status.status is DeploymentStatus.AVAILABLE


# Who is asking.
assert call("is_healthy") is True
if hasattr(client, "get_me"):
    me = call("get_me")
    assert me.user_id and me.organization_id == f"{mode}-client", me

# Types and drafts of a provider that nobody runs.
definition = call("register_resource", f"{provider}-notes", "note", schema={"type": "object"}, tags=["a"])
assert definition.tags == ["a"] and definition.created_at, definition
draft = crate("draft", 1, "draft") | {"provider": f"{provider}-notes", "resource": "note", "tags": ["x"]}
assert call("apply_resource", draft)["outputs"] == {}
assert [each["name"] for each in call("list_resources", tags=["x"])] == ["draft"]
assert call("get_resource", f"{provider}-notes", "note", "draft")["lifecycle_state"] == "draft"
assert call("delete_resource", f"{provider}-notes", "note", "draft") is None
assert call("unregister_resource", f"{provider}-notes", "note") is None

# Provider code.
version = build(first)
assert call("list_builds", provider)[0].version == version
pushed = next(each for each in call("list_providers") if each.provider_id == provider)
assert pushed.current_version is None and pushed.deployment_status is None, pushed
assert call("deploy_provider", provider).version == version
until(lambda: deployed(version))
running = next(each for each in call("list_providers") if each.provider_id == provider)
assert running.current_version == version and running.updated_at, running

# Resources and dead letters.
call("apply_resource", crate("good", 3))
until(lambda: call("get_resource", provider, "crate", "good")["lifecycle_state"] == "ready")
for name in ("bad", "worse"):
    call("apply_resource", crate(name, 13))
failed = letters()
event = failed[0]
assert call("get_dead_letter_event", event["id"])["provider"] == provider
call("retry_dead_letter_event", event["id"])
failed = letters(after=latest(failed))
# Both wait for the redrive, which sends one ahead; that fails again, so the other one stays.
assert call("retry_all_dead_letter_events") == 2
failed = letters(after=latest(failed))
call("delete_dead_letter_event", failed[0]["id"])
assert call("delete_dead_letter_events", all=True) == 1

# Versions.
newer = build(second)
assert call("deploy_provider", provider, newer).version == newer
assert call("rollback_provider", provider, version).version == version
result = call("delete_provider", provider, cascade=True)
assert result.deployment_deleted and result.resources_deleted == 3, result
assert result.resource_definitions_deleted == 1, result

public = {name for name, _ in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")} - {"close"}
assert called == public, f"not called: {public - called}"
wait(client.close())
print(f"{len(called)} methods")
