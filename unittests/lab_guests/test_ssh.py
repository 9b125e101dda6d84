"""A real SSH client in a guest: log in, run commands, be paused, be cut off."""

import asyncio
import errno

import paramiko
import pytest

from lab.guests import UserData, connect, host_key
from unittests.lab_guests.tunnel import dialled, execute, logged_in, new_key


@pytest.fixture(scope="module")
def key():
    """A client's key that the guest trusts."""
    return new_key()


@pytest.fixture
def guest(new_guest, clock, key):
    """A booted guest with the key for its user, and a password."""
    data = UserData(
        password="secret", password_expires=False, ssh_password_login=True, authorized_keys=(key.public,)
    )  # fmt: skip
    machine = new_guest(user_data=data)
    clock.advance(30)
    return machine


def scenario(body):
    """Run a coroutine; afterwards no task may be left."""

    async def run():
        await asyncio.wait_for(body, 60)
        for _ in range(10):
            await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(run())


async def until(condition):
    """Let the event loop run until the condition holds."""
    while not condition():
        await asyncio.sleep(0)


def shell(client, *, terminal):
    """A channel with a login shell. Blocks: call it in a thread."""
    channel = client.open_session(timeout=30)
    channel.settimeout(30)
    if terminal:
        channel.get_pty()
    channel.invoke_shell()
    return channel


def running(guest, name):
    """Whether the guest has a process of that name."""
    return any(process.name == name for process in guest.processes())


def test_exec_keeps_streams_and_status_apart(guest, key):
    async def body():
        async with logged_in(guest, key) as client:
            result = await asyncio.to_thread(execute, client, "cat; echo oops >&2; id -un; exit 3", b"typed\n")
        assert result == (b"typed\nfedora\n", b"oops\n", 3)

    scenario(body())
    assert guest.links == set()


def test_binary_and_bulk_output_arrive_whole(guest, key):
    async def body():
        async with logged_in(guest, key) as client:
            data = bytes(range(256)) * 5000
            echoed = await asyncio.to_thread(execute, client, "cat > /tmp/data; cat /tmp/data", data)
            bulk = await asyncio.to_thread(execute, client, "head -c 5000000 /dev/zero")
        assert echoed == (data, b"", 0)
        assert (len(bulk[0]), bulk[2]) == (5_000_000, 0)

    scenario(body())


def test_host_key_is_the_guests_own_and_survives_a_reboot(guest, key, clock):
    async def body():
        async with logged_in(guest, key) as client:
            first = client.get_remote_server_key()
        guest.reboot()
        clock.advance(30)
        async with logged_in(guest, key) as client:
            second = client.get_remote_server_key()
        assert first == second
        assert f"{first.get_name()} {first.get_base64()}" == host_key(guest)
        assert first.get_name() == "ssh-ed25519"

    scenario(body())


def test_passwords_and_keys_are_checked(guest, key):
    async def body():
        async with dialled(guest) as client:
            await asyncio.to_thread(client.auth_password, "fedora", "secret")
            assert client.is_authenticated()
        for user, secret in (("fedora", "wrong"), ("root", "secret"), ("nobody", "secret")):
            async with dialled(guest) as client:
                with pytest.raises(paramiko.AuthenticationException):
                    await asyncio.to_thread(client.auth_password, user, secret, fallback=False)
        for user, offered in (("fedora", new_key()), ("root", key), ("nobody", key)):
            async with dialled(guest) as client:
                with pytest.raises(paramiko.AuthenticationException):
                    await asyncio.to_thread(client.auth_publickey, user, offered.private)

    scenario(body())


def test_password_login_is_off_unless_asked_for(new_guest, clock, key):
    guest = new_guest(user_data=UserData(password="secret", password_expires=False))
    clock.advance(30)

    async def body():
        async with dialled(guest) as client:
            with pytest.raises(paramiko.BadAuthenticationType) as caught:
                await asyncio.to_thread(client.auth_password, "fedora", "secret", fallback=False)
        assert caught.value.allowed_types == ["publickey"]

    scenario(body())


def test_expired_password_lets_nobody_work(new_guest, clock, key):
    guest = new_guest(user_data=UserData(password="secret", authorized_keys=(key.public,)))
    clock.advance(30)

    async def body():
        async with logged_in(guest, key) as client:
            output, errors, status = await asyncio.to_thread(execute, client, "echo in")
        assert (output, status) == (b"", 1)
        assert b"Password change required" in errors

    scenario(body())


def test_key_added_in_the_guest_counts_at_once(guest, key):
    other = new_key()
    guest.run(f"echo '{other.public}' >> .ssh/authorized_keys")

    async def body():
        async with logged_in(guest, other) as client:
            assert await asyncio.to_thread(execute, client, "echo in") == (b"in\n", b"", 0)

    scenario(body())


def test_nothing_answers_before_the_boot_or_on_other_ports(new_guest, clock):
    guest = new_guest()

    async def refused(port):
        with pytest.raises(ConnectionRefusedError) as caught:
            await connect(guest, port)
        return caught.value.errno

    async def body():
        assert await refused(22) == errno.ECONNREFUSED
        clock.advance(30)
        assert await refused(80) == errno.ECONNREFUSED
        guest.run("sudo systemctl stop sshd")
        assert await refused(22) == errno.ECONNREFUSED
        guest.shutdown()
        assert await refused(22) == errno.ECONNREFUSED

    scenario(body())


def test_connection_stalls_with_the_guest_and_goes_on(guest, key, clock):
    async def body():
        async with logged_in(guest, key) as client:
            started = int(clock.now())
            first = asyncio.create_task(asyncio.to_thread(execute, client, "sleep 5; date +%s"))
            await until(lambda: running(guest, "sleep"))
            guest.pause()
            second = asyncio.create_task(asyncio.to_thread(execute, client, "echo second"))
            clock.advance(100)
            for _ in range(200):
                await asyncio.sleep(0)
            assert not first.done()
            assert not second.done()
            guest.resume()
            assert await second == (b"second\n", b"", 0)
            clock.advance(6)
            assert await first == (f"{started + 105}\n".encode(), b"", 0)

    scenario(body())


def test_dialling_a_paused_guest_waits_for_it(guest, key):
    async def body():
        guest.pause()
        dialling = asyncio.create_task(connect(guest))
        for _ in range(50):
            await asyncio.sleep(0)
        assert not dialling.done()
        guest.resume()
        reader, writer = await dialling
        assert (await reader.readline()).startswith(b"SSH-2.0-OpenSSH")
        writer.close()

        guest.pause()
        dialling = asyncio.create_task(connect(guest))
        await asyncio.sleep(0)
        guest.drop_connections()
        with pytest.raises(ConnectionResetError):
            await dialling

    scenario(body())


def test_dropped_connection_ends_the_client_but_not_the_process(guest, key, clock):
    async def body():
        async with logged_in(guest, key) as client:
            pid, _, _ = await asyncio.to_thread(execute, client, "nohup sleep 1000 > /dev/null 2>&1 & echo $!")
            guest.drop_connections()
            await until(lambda: not client.is_active())
        async with logged_in(guest, key) as client:
            assert await asyncio.to_thread(execute, client, "pgrep -x sleep") == (pid, b"", 0)

    scenario(body())


def test_reboot_cuts_the_connection(guest, key, clock):
    async def body():
        async with logged_in(guest, key) as client:
            guest.reboot()
            await until(lambda: not client.is_active())

    scenario(body())
    assert guest.links == set()


def test_terminal_session_echoes_prompts_and_hangs_up(guest, key, clock):
    async def body():
        async with logged_in(guest, key) as client:
            channel = await asyncio.to_thread(shell, client, terminal=True)
            channel.sendall(b"[ -t 0 ] && echo terminal\rsleep 500 &\rnohup sleep 600 >/dev/null 2>&1 &\r")
            await until(lambda: sum(process.name == "sleep" for process in guest.processes()) == 2)
            shown = await asyncio.to_thread(channel.recv, 4096)
            while b"terminal\r\n" not in shown:
                shown += await asyncio.to_thread(channel.recv, 4096)
            assert shown.startswith((b"$ ", b"[ -t"))
        await until(lambda: sum(process.name == "sleep" for process in guest.processes()) == 1)
        assert guest.run("ps -C sleep -o args=").text == "sleep 600\n"

    scenario(body())


def test_interactive_shell_ends_with_exit(guest, key):
    async def body():
        async with logged_in(guest, key) as client:
            channel = await asyncio.to_thread(shell, client, terminal=False)
            channel.sendall(b"echo $((1+1))\nexit 4\n")
            assert await asyncio.to_thread(channel.makefile("rb").read) == b"2\n"
            assert channel.recv_exit_status() == 4

    scenario(body())


def test_file_transfer_is_refused(guest, key):
    async def body():
        async with logged_in(guest, key) as client:
            with pytest.raises(paramiko.SSHException):
                await asyncio.to_thread(paramiko.SFTPClient.from_transport, client)

    scenario(body())
