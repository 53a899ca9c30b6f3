"""A throw-away SLURM of a few nodes on this machine, from Debian's packages.

Needs root and ``slurmctld slurmd slurm-client munge``. What makes it work in a container:
no accounting, processes tracked through /proc, a munge key and socket of its own, and all
daemons on loopback at free ports.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

_PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "scontrol", "sinfo", "squeue")
# The job-step plugin drops SLURM_CONF before its inner srun, which then looks here.
_DEFAULT_CONF = Path("/etc/slurm/slurm.conf")

_NAME = "fslib"

_CONF = """\
ClusterName={cluster}
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/sock
CryptoType=crypto/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0,sched_min_interval=100000
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
MinJobAge=3600
KillWait=2
SlurmdTimeout=300
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
_NODE = (
    "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} "
    "CPUs={cpus} RealMemory=64000 State=UNKNOWN\n"
)


class NoSlurmError(RuntimeError):
    """Why there can be no throw-away SLURM here."""


class Cluster:
    """What a test needs of a running cluster: its environment and its queue."""

    def __init__(self, folder: Path, nodes: list[str], owner: int):
        self.name = f"{_NAME}{owner}"
        self.folder, self.nodes = folder, nodes
        self.environment = {"SLURM_CONF": str(folder / "slurm.conf")}

    def call(self, *command: str) -> str:
        done = subprocess.run(
            command,
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            timeout=60,
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr}")
        return done.stdout

    def jobs(self) -> list[dict[str, str]]:
        """All jobs so far, first submitted first; ``about`` says which rule and wildcards."""
        fields = {"id": "%i", "state": "%T", "node": "%N", "about": "%k"}
        lines = self.call(
            "squeue", "-h", "--states=all", "-S", "i", "-o", "|".join(fields.values())
        )
        return [dict(zip(fields, line.split("|"), strict=True)) for line in lines.splitlines()]

    def logs(self) -> str:
        return "\n".join(
            f"{path.name}:\n{path.read_text(errors='replace')[-3000:]}"
            for path in sorted((self.folder / "log").iterdir())
        )


@contextmanager
def slurm_cluster(folder: Path, nodes: int = 2, cpus: int = 2) -> Iterator[Cluster]:
    """A running cluster; whatever happens, nothing of it stays behind."""
    _refuse_unless_possible()
    for name in ("state", "log", "munge"):
        (folder / name).mkdir(parents=True)
    for name in (folder, folder / "munge"):
        name.chmod(0o755)
    names = [f"n{i}" for i in range(1, nodes + 1)]
    cluster = Cluster(folder, names, os.getpid())
    _write_configuration(cluster, cpus)
    _DEFAULT_CONF.parent.mkdir(exist_ok=True)
    _DEFAULT_CONF.symlink_to(folder / "slurm.conf")
    try:
        _start(cluster)
        yield cluster
    finally:
        _DEFAULT_CONF.unlink(missing_ok=True)
        _stop(cluster)


def _refuse_unless_possible() -> None:
    missing = [program for program in _PROGRAMS if shutil.which(program) is None]
    if missing:
        raise NoSlurmError(f"SLURM is not installed ({', '.join(missing)} missing)")
    if os.geteuid() != 0:
        raise NoSlurmError("a throw-away SLURM needs root")
    _clear_up_after_a_killed_test()
    if _DEFAULT_CONF.exists():
        raise NoSlurmError(f"{_DEFAULT_CONF} exists: this machine belongs to a cluster")


def _clear_up_after_a_killed_test() -> None:
    if not _DEFAULT_CONF.is_symlink():
        return
    conf = _DEFAULT_CONF.readlink()
    text = conf.read_text() if conf.exists() else ""
    owner = re.search(rf"^ClusterName={_NAME}(\d+)$", text, re.MULTILINE)
    if owner and psutil.pid_exists(int(owner[1])):
        return
    if owner:
        _stop(Cluster(conf.parent, [], int(owner[1])))
    if owner or not text:
        _DEFAULT_CONF.unlink()


def _write_configuration(cluster: Cluster, cpus: int) -> None:
    folder = cluster.folder
    host = socket.gethostname().partition(".")[0]
    first, *others = _free_ports(1 + len(cluster.nodes))
    text = _CONF.format(cluster=cluster.name, host=host, port=first, folder=folder)
    for name, port in zip(cluster.nodes, others, strict=True):
        (folder / f"spool.{name}").mkdir()
        text += _NODE.format(name=name, host=host, port=port, cpus=cpus)
    (folder / "slurm.conf").write_text(text)
    key = folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o600)


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def _start(cluster: Cluster) -> None:
    folder = cluster.folder
    options = {
        "key-file": "munge.key",
        "socket": "munge/sock",
        "pid-file": "munged.pid",
        "log-file": "log/munged.log",
        "seed-file": "munge.seed",
    }
    cluster.call("munged", "--force", *(f"--{k}={folder / v}" for k, v in options.items()))
    cluster.call("slurmctld", "-c")
    for name in cluster.nodes:
        cluster.call("slurmd", "-N", name)
    end = time.monotonic() + 120
    while time.monotonic() < end:
        with suppress(RuntimeError):
            idle = cluster.call("sinfo", "-h", "-N", "-t", "idle", "-o", "%N").split()
            if set(idle) == set(cluster.nodes):
                return
        time.sleep(0.5)
    raise RuntimeError(f"the nodes did not come up\n{cluster.logs()}")


def _stop(cluster: Cluster) -> None:
    """End the daemons and everything that runs on the nodes."""
    end = time.monotonic() + 30
    while (ours := _processes_of(cluster)) and time.monotonic() < end:
        for process in ours:
            with suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(ours, timeout=5)


def _processes_of(cluster: Cluster) -> list[psutil.Process]:
    """Daemons have their working folder below the cluster's, jobs its name in their environment."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            daemon = Path(process.cwd()).is_relative_to(cluster.folder)
            conf = process.environ().get("SLURM_CONF") == cluster.environment["SLURM_CONF"]
            job = process.environ().get("SLURM_CLUSTER_NAME") == cluster.name
            if (daemon or conf or job) and process.pid != os.getpid():
                found.append(process)
    for file in cluster.folder.glob("*.pid"):
        with suppress(ValueError, psutil.Error):
            found.append(psutil.Process(int(file.read_text())))
    return found
