"""Wrong input and wrong sites: one message that says what and what to do, exit status 2, and nothing was run."""

import socket
from pathlib import Path

import pytest
import yaml

from .processes import run_plans, standing_lab

PLAN = "stps/sig-virt/mdev-vgpu-live-migration.md"
MODULE = "tests/mdev_vgpu_live_migration/test_move.py"
UNCLAIMED = "\n- **[CNV-1]** — As a user, I want more\n  - *Test Scenario:* [Tier 2] **VGPU-98** — Verify more\n"


@pytest.fixture(scope="module")
def lab_site(tmp_path_factory):
    """The content of the site file of a running lab."""
    with standing_lab(tmp_path_factory.mktemp("lab")) as path:
        yield yaml.safe_load(path.read_text())


@pytest.fixture
def refused(tmp_path):
    """Runs the suite and returns its message, once it is clear that there is one, and only one."""

    def run(*arguments, **options):
        ended = run_plans(tmp_path / "results", *arguments, **options)
        assert ended.status == 2, ended.shown
        assert "Traceback" not in ended.shown
        assert ended.shown.count("Exit: ") == 1
        assert ended.shown.count("\nNext: ") == 1
        assert not (tmp_path / "results" / "verdicts.json").exists()
        return ended.shown.partition("Exit: ")[2]

    return run


@pytest.fixture
def refused_site(refused, tmp_path):
    """The same with a site file; its content is given as text or as data."""

    def run(content, *arguments):
        path = tmp_path / "site.yaml"
        path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
        return refused("--site", str(path), *arguments)

    return run


@pytest.fixture
def changed_access(lab_site, tmp_path):
    """The lab's site, with another kubeconfig: `changed_access("user", "token", "abc")`."""

    def change(section, name, value):
        document = yaml.safe_load(Path(lab_site["kubernetes"]["kubeconfig"]).read_text())
        part = document[f"{section}s"][0][section]
        part[name] = value
        if value is None:
            del part[name]
        path = tmp_path / "other.kubeconfig"
        path.write_text(yaml.safe_dump(document))
        return {**lab_site, "kubernetes": {**lab_site["kubernetes"], "kubeconfig": str(path)}}

    return change


def test_site_file_that_is_no_yaml(refused_site):
    assert "site.yaml:2: not YAML:" in refused_site("name: a\n  kind: [\n")


def test_site_file_that_is_not_there(refused):
    assert "cannot read the site file" in refused("--site", "nowhere.yaml")


def test_unknown_field(refused_site, lab_site):
    message = refused_site({**lab_site, "flavour": "sweet"})
    assert "flavour: unknown field" in message
    assert "utilities/site/model.py" in message


def test_wrong_type(refused_site, lab_site):
    assert "time_scale: " in refused_site({**lab_site, "time_scale": "fast"}, "-n", "2")


def test_value_that_an_option_does_not_take(refused):
    assert refused("--lab-seed", "abc").startswith("--lab-seed abc: not a whole number\n")


def test_results_where_nothing_can_be_written(refused, tmp_path):
    (tmp_path / "results").write_text("a file")
    assert f"cannot write results to {tmp_path}/results: " in refused()


@pytest.mark.parametrize("workers", ["0", "1"])
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-k", "("), "Wrong expression passed to '-k': (:"),
        (("tests/nope.py",), "file or directory not found: tests/nope.py"),
        (("tests/mdev_vgpu_live_migration/test_permissions.py::test_nope",), "not found: "),
    ],
)
def test_tests_that_cannot_be_told(refused, words, message, workers):
    assert message in refused(*words, "-n", workers, tests=(MODULE,))


def test_unknown_profile(refused):
    message = refused("--lab-profile", "nope", "-n", "2")
    assert "unknown lab profile 'nope'; known profiles: " in message
    assert ", vgpu-small" in message


def test_unknown_fault(refused):
    message = refused("--lab-fault", "nope")
    assert "unknown lab fault 'nope'" in message
    assert "guest_rebooted" in message


def test_unknown_operator(refused):
    message = refused("--lab-operator", "nope")
    assert "unknown hypervisor operator 'nope'; known programs: latest, main, " in message


def test_external_program_that_is_not_there(refused):
    message = refused("--lab-external", "hypervisor-operator=nowhere/manager")
    assert "nowhere/manager is no program; build it first" in message


def test_unreachable_cluster(refused_site, changed_access):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # taken, and nobody listens
        address = f"https://127.0.0.1:{unused.getsockname()[1]}"
        message = refused_site(changed_access("cluster", "server", address), "-n", "2")
    assert f"{address} is not reachable" in message
    assert "Connection refused" in message


def test_token_that_is_not_valid_any_more(refused_site, changed_access):
    message = refused_site(changed_access("user", "token", "of-yesterday"))
    assert "rejects the credentials" in message
    assert "log in again" in message
    assert "of-yesterday" not in message


def test_untrusted_certificate(refused_site, changed_access):
    unknown_authority = changed_access("cluster", "certificate-authority-data", None)
    assert "certificate that is not trusted" in refused_site(unknown_authority)


def test_kubeconfig_that_is_broken(refused_site, changed_access):
    message = refused_site(changed_access("context", "cluster", "nowhere"))
    assert "not a usable kubeconfig" in message
    assert "nowhere" in message


@pytest.mark.parametrize(
    ("product", "path"),
    [
        ({"installed_by": "kubevirt"}, "kubevirts/kubevirt"),
        ({"hyperconverged": "other"}, "hyperconvergeds/other"),
    ],
)
def test_product_that_is_not_there(refused_site, lab_site, product, path):
    message = refused_site({**lab_site, "product": product})
    assert f"/{path}: " in message
    assert "404 NotFound" in message


def test_plan_that_cannot_be_read(refused, tree):
    (tree / PLAN).write_bytes(b"\xff\xfe\x00")
    assert PLAN in refused(root=tree)


def test_scenario_without_test(refused, tree):
    plan = (tree / PLAN).read_text()
    head, mark, tail = plan.partition("- **[CNV-88979]**")
    assert mark
    (tree / PLAN).write_text(head + UNCLAIMED.lstrip("\n") + mark + tail)
    assert "VGPU-98" in refused(root=tree)


def test_unknown_scenario(refused, tree):
    module = tree / MODULE
    module.write_text(module.read_text().replace('"VGPU-05"', '"VGPU-55"'))
    message = refused("-n", "2", root=tree)
    assert "VGPU-55" in message
    assert "VGPU-05" in message
    assert f"{MODULE}:" in message


def test_scenario_that_only_the_running_code_shows(refused, tree):
    """Which the source does not: the worker that imports it refuses, and its controller says so."""
    conftest = tree / "tests" / "mdev_vgpu_live_migration" / "conftest.py"
    hook = '\n\ndef pytest_itemcollected(item):\n    item.add_marker(pytest.mark.scenario("VGPU-" + "97"))\n'
    conftest.write_text(conftest.read_text() + hook)
    assert "VGPU-97" in refused("-n", "1", "-k", "test_heartbeat_is_unbroken", root=tree)
