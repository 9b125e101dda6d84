"""Verbs and nouns of KubeVirt: VMs, migrations, policies and gates."""
