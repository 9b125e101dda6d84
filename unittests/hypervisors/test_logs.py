"""The operator's log: passes by its own account, whatever form the program writes."""

from utilities.hypervisors.logs import Line, Pass, lines, passes

POLL = '{"hypervisor": "hv-1", "inFlight": 2, "started": 1, "outstanding": 5, "limit": 3}'
CONSOLE = f"2026-08-20T10:00:01.250Z\tINFO\tEvict\tpoll\t{POLL}"


def test_lines_have_the_time_at_which_they_were_written():
    text = f"2026-08-20T10:00:01.250000Z {CONSOLE}\n2026-08-20T10:00:02.000000Z 2026\tINFO\tsetup\tstarting manager\n"
    first, second = lines(text)
    assert second.at - first.at == 0.75
    assert second.says("starting manager")
    assert second.fields == {}
    assert lines("") == ()
    (joined,) = lines("2026-08-20T10:00:01Z flag provided but not defined: -x\nUsage of /manager:\n")
    assert joined.text == "flag provided but not defined: -x\nUsage of /manager:"


def test_passes_are_read_in_the_forms_of_zap():
    wide = (
        '{"controller": "eviction", "Eviction": {"name": "hv-2"}, "inFlight": 0, "started": 2, "outstanding": 2, '
        '"limit": 2}'
    )
    log = (
        Line(1.0, CONSOLE),
        Line(2.0, f"now\tINFO\tpoll\t{wide}"),
        Line(3.0, '{"level":"info","msg":"poll","name":"hv-3","inFlight":1,"started":0,"outstanding":1,"limit":1}'),
        Line(4.0, "now\tINFO\tpoll\tnothing of note"),
        Line(5.0, f"now\tINFO\tEvict\tinstances need attention\t{POLL}"),
    )
    assert passes(log) == (
        Pass(1.0, "hv-1", 2, 1, 5, 3),
        Pass(2.0, "hv-2", 0, 2, 2, 2),
        Pass(3.0, "hv-3", 1, 0, 1, 1),
    )
    assert [one.at for one in passes(log, "hv-2")] == [2.0]
