"""Limitations, signatures, goals, exclusions and strategy: every rule once broken and once kept."""

import pytest

from unittests.stp.sections import SIGNED, VGPU_GOAL, constrained, excluded, goals, ids, known, nfr, strategy

PAIRS = [
    ("limitation-no-signoff", known("- **slow**"), known(f"- **slow**\n  - *Sign-off:* {SIGNED}")),
    (
        "limitation-no-signoff",
        constrained("- **slow**"),
        constrained("None — reviewed and confirmed that nothing does"),
    ),
    (
        "limitations-none-unconfirmed",
        known("None identified."),
        known("None — reviewed and confirmed with PM One / 2031-03-04"),
    ),
    ("limitations-none-unconfirmed", known("None — reviewed and confirmed."), known("None — confirmed by [Name/Date]")),
    ("limitations-none-unconfirmed", constrained("None"), constrained(f"- **None**\n  - *Sign-off:* {SIGNED}")),
    (
        "limitation-miscategorized",
        known(f"- **No key server in the lab**\n  - *Sign-off:* {SIGNED}"),
        constrained(f"- **No key server in the lab**\n  - *Sign-off:* {SIGNED}"),
    ),
    ("signoff-placeholder", known("- **slow**\n  - *Sign-off:* TBD"), known(f"- **slow**\n  - *Sign-off:* {SIGNED}")),
    (
        "signoff-placeholder",
        nfr("**UI:** agreed\n      *PM LGTM:* pending"),
        nfr("**UI:** agreed\n      *PM LGTM:* PM One, Apr 22, 2031"),
    ),
    (
        "signoff-incomplete",
        known("- **slow**\n  - *Sign-off:* PM One"),
        known("- **slow**\n  - *Sign-off:* PM One 04/2031"),
    ),
    (
        "signoff-incomplete",
        known("- **slow**\n  - *Sign-off:* 2031-03-04"),
        known("- **slow**\n  - *Sign-off:* pm@x.example, 16-06-2031"),
    ),
    (
        "signoff-bracketed",
        known("- **slow**\n  - *Sign-off:* [PM One / 1.3.2031]"),
        known("- **slow**\n  - *Sign-off:* PM One / 1.3.2031"),
    ),
    ("goal-no-priority", goals("Verify that a is refused"), goals("[P0] Verify that a is refused")),
    (
        "goal-order",
        goals("**[P1]** a is refused", "**[P0]** b is refused"),
        goals("**[P0]** a is refused", "**[P0]** b is refused"),
    ),
    ("goal-vague", goals("**[P0]** Hotplug works"), goals("**[P0]** The guest sees the new memory within 60 s")),
    ("goal-vague", goals("**[P0]** UI"), goals("**[P0]** **[Negative]** The raise is refused with a reason")),
    (
        "goal-dimension-missing",
        goals(VGPU_GOAL.format(".")),
        goals(
            VGPU_GOAL.format(
                ", gate on, policy set\n  - mdev type x on an NVIDIA T4, RHEL 9, driver 1\n  - 1 vGPU free"
            )
        ),
    ),
    (
        "goal-dimension-missing",
        goals("**[P0]** A VM keeps its TCP connection"),
        goals("**[P0]** A VM with masquerade binding on the pod network keeps its TCP connection"),
    ),
    (
        "goal-dimension-missing",
        goals("**[P0]** A copied volume reads back its bytes"),
        goals("**[P0]** A copied block-mode RWX volume reads back its bytes"),
    ),
    (
        "goal-regression-mixed",
        goals("**[P0]** Existing hotplug features still behave"),
        goals("**[P0]** a is refused", "x\n\n**Regression Goals**\n\n- **[P0]** sig-x suite"),
    ),
    (
        "goal-no-negative",
        goals("**[P0]** The guest sees the new memory"),
        goals("**[P0]** A raise beyond the limit is refused"),
    ),
    (
        "out-of-scope-no-rationale",
        excluded(f"- **Windows**\n  - *Rationale:*\n  - *PM/Lead Agreement:* {SIGNED}"),
        excluded(f"- **Windows**\n  - *Rationale:* rare\n  - *PM/Lead Agreement:* {SIGNED}"),
    ),
    (
        "out-of-scope-no-agreement",
        excluded("- **Windows**\n  - *Rationale:* rare"),
        excluded(f"- **Windows**\n  - *Rationale:* rare\n  - *Sign-off:* {SIGNED}"),
    ),
    ("out-of-scope-none-unconfirmed", excluded("None"), excluded("None — reviewed and confirmed that all is tested")),
    (
        "out-of-scope-already-covered",
        excluded(f"- **Clone**\n  - *Rationale:* already covered\n  - *Sign-off:* {SIGNED}"),
        excluded(f"- **Clone**\n  - *Rationale:* rare\n  - *Sign-off:* {SIGNED}"),
    ),
    ("strategy-type-missing", strategy("- [x] **Monitoring** — m\n  - *Details:* two metrics"), "### Other\n"),
    (
        "strategy-unchecked-no-details",
        strategy("- [ ] **Cloud Testing** — c"),
        strategy("- [ ] **Cloud Testing** — N/A, bare metal only"),
    ),
    (
        "strategy-checked-no-details",
        strategy("- [x] **Cloud Testing** — c\n  - Does the feature run?"),
        strategy("- [x] **Cloud Testing** — c\n  - two clouds"),
    ),
    (
        "strategy-na-unjustified",
        strategy("- [ ] **Cloud Testing** — c\n  - *Details:* Not applicable for this STP"),
        strategy("- [ ] **Cloud Testing** — c\n  - *Details:* N/A — bare metal only"),
    ),
    (
        "strategy-na-unjustified",
        strategy("- [ ] **Cloud Testing** — c\n  - *Details:* N/A for 4.30."),
        strategy("- [ ] **Cloud Testing** — c\n  - *Details:* None of the clouds offers the device"),
    ),
    (
        "strategy-checked-but-na",
        strategy("- [x] **Dependencies** — d\n  - *Details:* No dependencies"),
        strategy("- [x] **Dependencies** — d\n  - *Details:* The driver of the vendor"),
    ),
    (
        "usability-checked-not-tested",
        strategy("- [x] **Usability Testing** — u\n  - *Details:* The UI team does, CNV-1"),
        strategy("- [x] **Usability Testing** — u\n  - *Details:* QE checks the texts, the UI team the form"),
    ),
    (
        "upgrade-not-evaluated",
        strategy("- [ ] **Upgrade Testing** — u\n  - *Details:* Not planned"),
        strategy("- [ ] **Upgrade Testing** — u\n  - *Details:* Nothing is stored, so an upgrade changes nothing"),
    ),
    (
        "monitoring-undecided",
        strategy("- [ ] **Monitoring** — m\n  - *Details:* Later"),
        strategy("- [ ] **Monitoring** — m\n  - *Details:* No new metrics or alerts"),
    ),
    (
        "scale-deferred-no-plan",
        strategy("- [ ] **Scale Testing** — s\n  - *Details:* Deferred"),
        strategy("- [ ] **Scale Testing** — s\n  - *Details:* Deferred, CNV-00004"),
    ),
    ("ui-owner-unstated", nfr("**UI:** a new form"), nfr("**UI:** a new form, UI team, CNV-00003")),
]


@pytest.mark.parametrize(("name", "bad", "good"), PAIRS, ids=[each[0] for each in PAIRS])
def test_rule(name, bad, good):
    assert name in ids(bad, fragment=True)
    assert name not in ids(good, fragment=True)
