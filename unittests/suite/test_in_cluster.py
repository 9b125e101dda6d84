"""What docs/run-in-cluster.md hands out: manifests that a cluster takes, an image that holds what it runs."""

import base64
import re
import shutil
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from utilities.clients import connected
from utilities.site import load_site

from .processes import ROOT, run_plans, standing_lab

MANIFESTS = sorted((ROOT / "docs/in-cluster").glob("*.yaml"))
CONTAINERFILE = (ROOT / "Containerfile").read_text()


def documents(path):
    """The objects of a file."""
    return list(yaml.safe_load_all(path.read_text()))


def container(name):
    """The only container of a Job."""
    (job,) = documents(ROOT / f"docs/in-cluster/{name}.yaml")
    (found,) = job["spec"]["template"]["spec"]["containers"]
    return job, found


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)
def test_every_manifest_fits_its_schema(path):
    for document in documents(path):
        kubernetes_validate.validate(document, "1.33", strict=True)


def test_a_cluster_takes_all_of_them(tmp_path):
    with standing_lab(tmp_path / "lab", "--profile", "vgpu-small") as site, connected(load_site(site)) as clients:
        for path in sorted(MANIFESTS, key=lambda path: path.stem != "access"):
            for document in documents(path):
                clients.admin.rest.call(
                    "POST", collection(document), query={"fieldValidation": "Strict"}, body=document
                )


def collection(document):
    """Where an object is posted to."""
    version, metadata = document["apiVersion"], document["metadata"]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    inside = f"/namespaces/{metadata['namespace']}" if "namespace" in metadata else ""
    return f"{root}{inside}/{document['kind'].lower()}s"


def test_the_manual_names_every_manifest():
    manual = (ROOT / "docs/run-in-cluster.md").read_text()
    assert set(re.findall(r"apply -f docs/in-cluster/([\w-]+)\.yaml", manual)) == {path.stem for path in MANIFESTS}


def test_parts_are_as_many_as_pods_and_all_of_them_are_signed_off():
    job, suite = container("run")
    count = job["spec"]["completions"]
    assert job["spec"]["parallelism"] == count
    assert f"--shard=$(JOB_COMPLETION_INDEX)/{count}" in suite["args"]
    parts = [argument for argument in container("sign-off")[1]["args"] if "/part-" in argument]
    assert parts == [f"/results/part-{index}" for index in range(count)]
    assert "--results=/results/part-$(JOB_COMPLETION_INDEX)" in suite["args"]


def test_the_sign_off_names_a_plan_that_there_is():
    plan = next(each for each in container("sign-off")[1]["args"] if each.startswith("--plan="))
    assert (ROOT / plan.removeprefix("--plan=")).is_file()


def test_the_site_leads_to_a_cluster_by_the_pods_tokens(tmp_path):
    (config,) = documents(ROOT / "docs/in-cluster/site.yaml")
    with standing_lab(tmp_path / "lab", "--profile", "vgpu-small") as lab:
        server = hand_out_tokens(lab.parent, tmp_path / "tokens")
        for name, text in config["data"].items():
            adapted = text.replace("/tokens/", f"{tmp_path}/tokens/").replace("https://kubernetes.default.svc", server)
            (tmp_path / name).write_text(adapted)
        with connected(load_site(tmp_path / "site.yaml")) as clients:
            assert clients.unprivileged is not None


def hand_out_tokens(lab, folder):
    """Leave what Kubernetes mounts into a pod, for both users; returns the address of the server."""
    for user, file in (("administrator", "admin"), ("tester", "tester")):
        kubeconfig = yaml.safe_load((lab / f"{file}.kubeconfig").read_text())
        (folder / user).mkdir(parents=True)
        (folder / user / "token").write_text(kubeconfig["users"][0]["user"]["token"])
        cluster = kubeconfig["clusters"][0]["cluster"]
        (folder / user / "ca.crt").write_bytes(base64.b64decode(cluster["certificate-authority-data"]))
    return cluster["server"]


def test_the_image_holds_what_it_runs(tmp_path):
    copied = re.findall(r"^COPY (.+) \S+$", CONTAINERFILE, re.MULTILINE)
    ignored = set((ROOT / ".containerignore").read_text().splitlines())
    for name in " ".join(copied).split():
        assert f"!{name}" in ignored, "the build does not see it"
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
        else:
            shutil.copy(source, tmp_path / name)
    ended = run_plans(tmp_path / "results", "--shard", "0/4", "--collect-only", "-q", root=tmp_path)
    assert ended.status == 0, ended.shown
    assert "::test_" in ended.shown


def test_the_image_starts_what_the_manifests_pass_arguments_to():
    assert re.search(r'^ENTRYPOINT \["python", "-m", "pytest", "tests"', CONTAINERFILE, re.MULTILINE)
    assert container("sign-off")[1]["command"][:3] == ["python", "-m", "utilities.stp"]
    assert Path(ROOT / "utilities/stp/__main__.py").is_file()
