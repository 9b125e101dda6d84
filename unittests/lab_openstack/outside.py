"""An external scheduler that a test plays: what it was asked, and what it answers."""

import orjson

from lab.openstack.compute.external.doors import Answer


class Outside:
    """A door. `says`: the answer to a document, an Answer, a list of hosts, or None to stay silent."""

    timeout = 10.0

    def __init__(self, clock, says):
        self._clock = clock
        self.says = says
        self.heard = []

    def send(self, body, answered):
        document = orjson.loads(body)
        self.heard.append(document)
        found = self.says(document)
        if isinstance(found, list):
            found = Answer(200, orjson.dumps({"hosts": found}))
        if found is not None:
            self._clock.call_later(0.05, answered, found)


def offered(document):
    """Hosts of a document, as they were sent."""
    return [entry["host"] for entry in document["hosts"]]


def spec(document):
    return document["spec"]["nova_object.data"]
