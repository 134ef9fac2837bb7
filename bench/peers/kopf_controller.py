"""A controller with kopf that does the work of Fairlead's lifecycle: status processing, a POST to the provider, status ready.

Usage: kopf_controller.py GROUP NAMESPACE ENDPOINT, with KUBECONFIG and STATUSES.
"""

import asyncio
import json
import os
import sys

import aiohttp
import kopf
import uvloop

group, namespace, endpoint = sys.argv[1:4]
statuses = json.loads(os.environ["STATUSES"])


@kopf.on.startup()
async def configure(settings, memo, **_):
    settings.posting.enabled = False
    # Without it, every step waits for a tenth of a second for further events of the object.
    settings.batching.batch_window = 0
    settings.batching.worker_limit = None
    memo.session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=32))


@kopf.on.cleanup()
async def close(memo, **_):
    await memo.session.close()


# Event handlers store nothing of their own in the object, so that there are three writes. kopf writes at the end of a handler:
# the first event makes `processing`, whose event delivers.
@kopf.on.event(group, "v1alpha1", "resources")
async def reconcile(spec, status, patch, memo, **_):
    state = status.get("state")
    if state is None:
        patch.status.update(statuses["processing"])
    elif state == "processing":
        async with memo.session.post(endpoint, json=dict(spec)) as answer:
            answer.raise_for_status()
            result = await answer.json()
        patch.status.update(statuses["ready"])
        patch.status["outputs"] = result["outputs"]
        patch.status["appliedConfig"] = spec["config"]


asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
asyncio.run(kopf.operator(namespaces=[namespace], standalone=True))
