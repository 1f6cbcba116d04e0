# SPDX-License-Identifier: Apache-2.0
"""electd: follow the leader that the electd of this host reports, and act only while it leads.

    for event in electd.watch():            # the state first, then each change
        print(event.role, event.leader, event.token)

    with electd.lead("report") as lead:     # waits until this host leads
        while lead:                         # False: lost, silent, or asked to hand over
            write_row(fence=lead.token)     # leaving the block lets the next leader begin

    electd.report("db", well=False, words="replica lags")

A program with an event loop uses Client. Nothing here starts a thread or handles a signal. A Client
belongs to one process: a child that fork() made must not use it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import json
import os
import re
import select
import socket as sockets
import time
from collections import deque
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Final, Literal

__all__ = [
    "Busy",
    "Client",
    "Error",
    "Event",
    "EventType",
    "Lead",
    "NotAllowed",
    "NotLeader",
    "NotRunning",
    "OtherTimeNamespace",
    "Refused",
    "Role",
    "lead",
    "report",
    "watch",
]

Role = Literal["none", "follower", "leader"]
EventType = Literal[
    "snapshot",  # the state: first, after a new connection, and after events left out
    "leader",  # this host leads; or leads with another token
    "follower",  # another host leads
    "none",  # no leader is known
    "members",  # hosts have come or gone
    "state",  # something else has changed
    # For holders.
    "release",  # end the work, then call released()
    "release-over",  # electd does not wait for the release any more
    "silent",  # electd is silent: this host may have lost leadership
    "back",  # electd is heard again
    # The connection has ended: what was known does not count any more. See `error`.
    "lost",
    # A report was refused. See `error` and `words`.
    "refused",
]


@dataclasses.dataclass(frozen=True, slots=True)
class Event:
    """A change, with the complete state after it. Empty texts: not known."""

    type: EventType
    role: Role = "none"  # of this host
    yielding: bool = False  # this host leads, but hands over
    token: int = 0  # grows with each new leader; 0: no leader is known
    until_boot_ms: int = 0  # CLOCK_BOOTTIME, at the time of the event; 0: does not lead
    ending_ms: int = 0  # how long the work may take to end after until_boot_ms
    group: str = ""
    leader: str = ""
    leader_id: str = ""
    leader_address: str = ""
    reason: str = ""  # of the last change of leader, as in electctl(1)
    purpose: str = ""  # of a release: yield, resign, stop or bar
    error: int = 0  # of lost and refused: an errno
    words: str = ""  # of lost and refused: a detail, for people


# ---- errors --------------------------------------------------------------------------------------


class Error(OSError):
    """electd cannot be used. The base of the other errors."""


class NotRunning(Error):
    """electd does not run here."""


class NotAllowed(Error, PermissionError):
    """This needs root or a group."""


class Busy(Error):
    """Too many programs use electd, or too many reports wait."""


class OtherTimeNamespace(Error):
    """electd is in another time namespace, so nobody knows how long this host leads."""


class NotLeader(Error):
    """A report with `leading` is accepted only while this host leads."""


class Refused(Error):
    """electd refused the call, for the reason in the text."""


HOLDING: Final = "leading needs root or the group electd-admin"
REPORTING: Final = "a report needs root or the group electd-report"
WATCHING: Final = "the socket of electd may not be used"


def _error(number: int, right: str, words: str = "") -> Error:
    """Returns the exception for an errno. `right`: the right that may be missing."""
    kinds: dict[int, tuple[type[Error], str]] = {
        errno.ENOENT: (NotRunning, "electd does not run here"),
        errno.ECONNREFUSED: (NotRunning, "electd does not run here"),
        errno.EACCES: (NotAllowed, right),
        errno.EPERM: (NotAllowed, right),
        errno.EBUSY: (Busy, "too many programs use electd"),
        errno.EXDEV: (OtherTimeNamespace, "electd is in another time namespace"),
    }
    kind, text = kinds.get(number, (Error, os.strerror(number)))
    return kind(number, f"{text}: {words}" if words else text)


# ---- values --------------------------------------------------------------------------------------

# The same checks as lib/event.c: electd faces the network, and this program may be root.

HOSTS_MAX: Final = 1024
INT64_MAX: Final = (1 << 63) - 1
MS_MAX: Final = INT64_MAX // 1000

FULL: Final = "io.electd.TooManyClients"
NOT_ALLOWED: Final = "io.electd.NotAllowed"
NOT_LEADER: Final = "io.electd.NotLeader"

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,62}")
_HOLDER_NAME = re.compile(r"[ -~]{1,63}")
_ID = re.compile(r"[0-9a-f]{1,32}")
_HOLDER = re.compile(r"[0-9A-Za-z]{1,32}")
_GROUP = re.compile(r"[A-Za-z0-9._-]{1,86}")
_REASON = re.compile(r"[a-z-]{1,31}")
_TYPE = re.compile(r"[a-z-]+")
_TOKEN = re.compile(r"[0-9]{1,20}")
_PATH = re.compile(r"/[ -~]{0,4094}")
_INTERFACE_MAX: Final = 15

_ROLES: Final[dict[str, Role]] = {"none": "none", "follower": "follower", "leader": "leader"}
_CHANGES: Final[dict[str, EventType]] = {
    "snapshot": "snapshot",
    "leader": "leader",
    "follower": "follower",
    "none": "none",
    "members": "members",
    "state": "state",
}
_SIGNS: Final[dict[str, EventType | None]] = {
    "release": "release",
    "release-over": "release-over",
    "alive": None,  # changes nothing that the program has to know
}
_PURPOSES: Final = ("yield", "resign", "stop", "bar")


class _Wrong(Exception):
    """A message is not electd's. `number`: an errno; the text names the key."""

    def __init__(self, number: int, words: str) -> None:
        super().__init__(words)
        self.number = number
        self.words = words


def _bad(key: str) -> _Wrong:
    return _Wrong(errno.EBADMSG, key)


def _integer(text: str) -> int:
    number = int(text) if len(text) < 21 else INT64_MAX + 1
    if not -INT64_MAX - 1 <= number <= INT64_MAX:
        raise ValueError(text)
    return number


def _real(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(text)
    return number


def _constant(text: str) -> None:
    raise ValueError(text)  # NaN and Infinity are not JSON


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = dict(pairs)
    if len(keys) != len(pairs):
        raise ValueError("a key twice")
    return keys


def _check_texts(value: Any) -> None:
    """Refuses the escapes that are no characters: NUL and half a surrogate pair."""
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError("NUL")
        value.encode()
    elif isinstance(value, dict):
        for key, inner in value.items():
            _check_texts(key)
            _check_texts(inner)
    elif isinstance(value, list):
        for inner in value:
            _check_texts(inner)


def _reply(message: bytes) -> dict[str, Any]:
    """Parses a message strictly. Returns no object as an empty one."""
    try:
        text = message.decode()
        value = json.loads(
            text,
            parse_int=_integer,
            parse_float=_real,
            parse_constant=_constant,
            object_pairs_hook=_object,
        )
        if "\\u" in text:
            _check_texts(value)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _text(keys: dict[str, Any], key: str, pattern: re.Pattern[str]) -> str:
    value = keys.get(key)
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise _bad(key)
    return value


def _number(keys: dict[str, Any], key: str, low: int, high: int) -> int:
    value = keys.get(key)
    if type(value) is not int or not low <= value <= high:
        raise _bad(key)
    return value


def _known(keys: dict[str, Any], key: str, high: int) -> int:
    """null, or no such key: 0."""
    return 0 if keys.get(key) is None else _number(keys, key, 0, high)


def _inner(keys: dict[str, Any], key: str) -> dict[str, Any]:
    value = keys.get(key)
    if not isinstance(value, dict):
        raise _bad(key)
    return value


def _whether(keys: dict[str, Any], key: str) -> bool:
    """null, or no such key: there is none, or an older electd does not send it."""
    if keys.get(key) is None:
        return False
    _inner(keys, key)
    return True


def _is_ip(family: int, text: str) -> bool:
    try:
        sockets.inet_pton(family, text)
    except (OSError, ValueError):
        return False
    return True


def _address(keys: dict[str, Any]) -> str:
    """null: not known. The name of an interface follows the %."""
    if "address" in keys and keys["address"] is None:
        return ""
    value = keys.get("address")
    if not isinstance(value, str):
        raise _bad("address")
    address, scoped, interface = value.partition("%")
    fits = len(interface) <= _INTERFACE_MAX and _NAME.fullmatch(interface)
    if not (fits if scoped else True) or not (
        _is_ip(sockets.AF_INET6, address) or (not scoped and _is_ip(sockets.AF_INET, address))
    ):
        raise _bad("address")
    return value


def _host(keys: dict[str, Any]) -> tuple[str, str]:
    return _text(keys, "id", _ID), _text(keys, "name", _NAME)


def _check_member(member: Any) -> None:
    if not isinstance(member, dict):
        raise _bad("state")
    _text(member, "state", _TYPE)
    _host(member)
    _address(member)
    _number(member, "rank", 0, HOSTS_MAX)
    _number(member, "priority", 0, 255)


def _check_rest(status: dict[str, Any]) -> None:
    """Checks what the events of this module do not contain."""
    _text(status, "domain", _NAME)
    _host(_inner(status, "node"))
    members = status.get("members")
    if not isinstance(members, list) or len(members) > HOSTS_MAX:
        raise _bad("members")
    for member in members:
        _check_member(member)
    definition = status.get("definition")
    if definition is not None and "/../" in _text(status, "definition", _PATH):
        raise _bad("definition")
    _whether(status, "awaits")


def _check_hooks(keys: dict[str, Any]) -> None:
    if "hooks" not in keys:
        return
    hooks = _inner(keys, "hooks")
    _text(hooks, "on_failure", _TYPE)
    _number(hooks, "timeout_ms", 100, 3600000)


@dataclasses.dataclass(frozen=True, slots=True)
class _Status:
    role: Role
    token: int
    yielding: bool
    asking: bool
    promoting: bool
    group: str
    leader: str
    leader_id: str
    leader_address: str
    reason: str

    @classmethod
    def of(cls, status: dict[str, Any]) -> _Status:
        role = _ROLES.get(status["role"]) if isinstance(status.get("role"), str) else None
        if role is None:
            raise _bad("role")
        token = int(_text(status, "token", _TOKEN))
        if token >= 1 << 64 or (role != "none" and not token):
            raise _bad("token")
        group = ""
        if "group" not in status or status["group"] is not None:
            group = _text(_inner(status, "group"), "id", _GROUP)
        leader = leader_id = leader_address = ""
        if "leader" not in status or status["leader"] is not None or role == "leader":
            keys = _inner(status, "leader")
            if not isinstance(keys.get("self"), bool):
                raise _bad("leader")
            leader_id, leader = _host(keys)
            leader_address = _address(keys)
        asking = status.get("asking", False)
        if not isinstance(asking, bool):
            raise _bad("asking")
        yielding = _whether(status, "yielding")
        promoting = _whether(status, "promoting")
        reason = _text(status, "reason", _REASON)
        _check_rest(status)
        return cls(
            role=role,
            token=token,
            yielding=yielding,
            asking=asking,
            promoting=promoting,
            group=group,
            leader=leader,
            leader_id=leader_id,
            leader_address=leader_address,
            reason=reason,
        )


@dataclasses.dataclass(frozen=True, slots=True)
class _Message:
    """One event of electd, as checked values. 0: not sent."""

    type: EventType | None  # None: the program gets no event
    change: bool  # has a number of its own
    seq: int
    boot_ms: int
    holder: str
    dead_after_ms: int
    until_ms: int
    ending_ms: int
    time_namespace: int
    release: int
    purpose: str
    status: _Status | None

    @classmethod
    def of(cls, keys: dict[str, Any]) -> _Message:
        name = _text(keys, "event", _TYPE)
        has_status = "status" in keys
        if name in _CHANGES:
            kind: EventType | None = _CHANGES[name]
            change = True
        elif name in _SIGNS:
            kind = _SIGNS[name]
            change = False
        else:
            # A later electd may send other types.
            kind = "state" if has_status else None
            change = has_status
        snapshot = kind == "snapshot"
        seq = _number(keys, "seq", 0, INT64_MAX)
        boot_ms = _number(keys, "boot_ms", 0, MS_MAX)
        holder = _text(keys, "holder", _HOLDER) if snapshot and "holder" in keys else ""
        dead_after_ms = _number(keys, "dead_after_ms", 20, 100000) if "dead_after_ms" in keys else 0
        _check_hooks(keys)
        release = 0
        purpose = ""
        if kind in ("release", "release-over") or (snapshot and "release" in keys):
            release = _number(keys, "release", 0, INT64_MAX)
            if kind != "release-over" and "purpose" in keys:
                # A later electd may send another one.
                word = _text(keys, "purpose", _TYPE)
                purpose = word if word in _PURPOSES else ""
        if change and not has_status:
            raise _bad("status")
        return cls(
            type=kind,
            change=change,
            seq=seq,
            boot_ms=boot_ms,
            holder=holder,
            dead_after_ms=dead_after_ms,
            until_ms=_known(keys, "until_boot_ms", MS_MAX),
            ending_ms=_known(keys, "ending_ms", MS_MAX),
            time_namespace=_known(keys, "time_namespace", INT64_MAX),
            release=release,
            purpose=purpose,
            status=_Status.of(_inner(keys, "status")) if has_status else None,
        )


def _parse(message: bytes) -> _Message:
    """Parses one reply to Subscribe. Raises _Wrong with EACCES, EBUSY, EREMOTE or EBADMSG."""
    reply = _reply(message)
    error = reply.get("error")
    if isinstance(error, str):
        number = {FULL: errno.EBUSY, NOT_ALLOWED: errno.EACCES}.get(error, errno.EREMOTE)
        raise _Wrong(number, error[:64])
    if reply.get("continues") is not True:
        raise _bad("continues")
    return _Message.of(_inner(reply, "parameters"))


# ---- the rules -----------------------------------------------------------------------------------

QUEUE_MAX: Final = 16
DEAD_AFTER_MS: Final = 600  # until electd sends its own value
NEVER: Final = 1 << 64


class Rules:
    """What electd's events allow this program. No socket and no clock: the caller has both.

    Times are milliseconds of the boot clock.

    - While this host leads, an event counts until the moment that it names, because another host
      may begin to lead soon after. Any other event, and each event of an older electd, counts for
      dead_after from when electd wrote it, because this process, too, may have stalled. In another
      time namespace that moment counts as past. If the program only watches, events count as long
      as the connection is up.
    - A program begins to act only while this host leads, does not hand over, and knows that it is
      followed; and only under the token of the last event that the program has taken. The holders
      that move the leader's addresses come first: it waits while electd reports that.
    - After a release nothing is done under that token any more, whatever electd reports later, as
      long as the role has not ended.
    - A release is answered when the program does not act: at once, or when its work has ended.
    - Events wait in a short queue. Each carries the complete state, so the oldest may be left out;
      the next one is then a snapshot.
    """

    def __init__(self, holds: bool, time_namespace: int = 0) -> None:
        self._holds = holds
        self._time_namespace = time_namespace
        self._dead_after_ms = DEAD_AFTER_MS
        # The past acts of the program.
        self._taken = 0  # token of the last event taken, if this host led
        self._acts = False
        self._acts_with = 0
        self._over = 0  # no act any more under this token
        self._lets_go = False
        # Events and an error for the program.
        self._queue: deque[Event] = deque()
        self._left_out = False
        self._error = 0  # an errno: why electd cannot be used
        self._said = 0  # the last one that was reported
        self._forget()

    def _forget(self) -> None:
        """What was known of a connection."""
        self._state = Event("snapshot")
        self._heard = self._silent = self._news = False
        self._same_clock = self._other_clock = False
        self._asked_ms = self._heard_ms = self._until_ms = self._seq = 0
        self._waits = False  # for the holders that move the leader's addresses
        self._may_begin = False  # no hand-over or promotion is under way, and hosts follow
        self._asked = False  # for a release that was not answered, ...
        self._release = 0  # ... with this number
        self._holder = ""

    # ---- what happens

    def connected(self, now_ms: int) -> None:
        """A connection was made, and Subscribe was sent."""
        self._forget()
        self._asked_ms = now_ms

    def take(self, message: bytes, now_ms: int) -> tuple[int, str] | None:
        """Takes a message. Returns an errno and a detail if the connection is useless: end it."""
        try:
            event = _parse(message)
            self._count(event)
        except _Wrong as wrong:
            return wrong.number, wrong.words
        self._hear(event, now_ms)
        self._state = dataclasses.replace(
            self._state, until_boot_ms=event.until_ms, ending_ms=event.ending_ms
        )
        if event.status:
            self._take_status(event.status)
        self._take_release(event)
        if event.type:
            self._push(event.type)
        return None

    def ended(self, error: int, words: str = "") -> bool:
        """The connection has ended. Returns whether it must stay open until lets_go()."""
        if not self._heard:
            self.failed(error)  # nothing was known, so nothing is lost
            return False
        self._state = Event("lost", error=error, words=words)
        self._push("lost")
        self._said = 0
        self._forget()
        return self._acts

    def failed(self, error: int) -> None:
        """electd cannot be used, for this errno. Reported once, until the reason changes."""
        if error != self._said:
            self._error = error
        self._said = error

    def judge(self, now_ms: int) -> bool:
        """Judges silence, after all that waits was taken. Returns whether there is an event."""
        was, news = self._silent, self._news
        self._silent, self._news = now_ms >= self.over_ms(), False
        if self._silent and (news or not was):
            self._push("silent")
            return True
        if was and not self._silent:
            self._push("back")
            return True
        return False

    def refused(self, error: int, words: str) -> None:
        """A report was refused."""
        state = self._state
        self._state = dataclasses.replace(state, error=error, words=words)
        self._push("refused")
        self._state = state

    # ---- what the program does

    def next(self) -> Event | None:
        """The program takes an event. None: there is none."""
        if not self._queue:
            return None
        event = self._queue.popleft()
        if self._left_out and event.type not in ("silent", "lost", "refused"):
            event = dataclasses.replace(event, type="snapshot")
            self._left_out = False
        self._taken = event.token if event.role == "leader" else 0
        return event

    def error(self) -> int:
        """Returns once why electd cannot be used, as an errno; 0: nothing new."""
        error, self._error = self._error, 0
        return error

    def may_act(self, now_ms: int) -> int:
        """Returns the token of an act that may begin now; 0: none may. All that waits was read."""
        token = self._state.token
        if (
            not self._holds
            or not self._heard
            or self._state.role != "leader"
            or now_ms >= self.over_ms()
            or self._other_clock
            or self._asked
            or token in (self._over, 0)
            or token != self._taken
            or not (self._may_begin or (self._acts and not self._begins_anew(token)))
        ):
            return 0
        # Work under an older token has ended before work under this one begins.
        self._lets_go |= token != self._acts_with
        self._acts = True
        self._acts_with = token
        return token

    def _begins_anew(self, token: int) -> bool:
        """Returns whether an act would begin work under a new token before the addresses are here."""
        return self._waits and token != self._acts_with

    def released(self) -> None:
        """The program has ended its work."""
        self._acts = False
        self._lets_go = True

    # ---- what is due

    def owed(self) -> int:
        """Returns the number with which Release must be called now; 0: none. Each once."""
        if not self._asked or self._acts:
            return 0
        self._asked = False
        return self._release

    def lets_go(self) -> bool:
        """Returns whether ended connections must be closed now."""
        lets_go, self._lets_go = self._lets_go, False
        return lets_go

    def waits(self) -> bool:
        """Returns whether the program has something to take."""
        return bool(self._queue) or self._error != 0

    def over_ms(self) -> int:
        """Returns the first moment at which the last event does not count any more."""
        if not self._holds or not self._heard:
            return NEVER
        if not self._until_ms:
            return self._heard_ms + self._dead_after_ms + 1
        return 0 if self._other_clock else self._until_ms

    @property
    def holds(self) -> bool:
        return self._holds

    @property
    def heard(self) -> bool:
        return self._heard

    @property
    def silent(self) -> bool:
        return self._silent

    @property
    def holder(self) -> str:
        """With which Release is called; empty: none."""
        return self._holder if self._holds else ""

    # ---- inside

    def _push(self, kind: EventType) -> None:
        if len(self._queue) == QUEUE_MAX:
            self._queue.popleft()
            self._left_out = True
        self._queue.append(dataclasses.replace(self._state, type=kind))

    def _count(self, event: _Message) -> None:
        """Changes are numbered without a gap; other events carry the number of the last change."""
        if event.type == "snapshot":
            if self._holds and not event.holder:
                raise _Wrong(errno.EPROTO, "holder")
            if self._heard and (event.seq < self._seq or event.holder != self._holder):
                raise _Wrong(errno.EPROTO, "seq")
        elif not self._heard or event.seq != self._seq + event.change:
            raise _Wrong(errno.EPROTO, "seq")

    def _hear(self, event: _Message, now_ms: int) -> None:
        if event.type == "snapshot":
            self._holder = event.holder
            self._same_clock = self._asked_ms <= event.boot_ms <= now_ms
        self._until_ms = event.until_ms
        # If a namespace is not known, the comparison of the clocks decides.
        if event.time_namespace and self._time_namespace:
            self._other_clock = event.time_namespace != self._time_namespace
        else:
            self._other_clock = not self._same_clock
        self._dead_after_ms = event.dead_after_ms or self._dead_after_ms
        self._heard_ms = min(event.boot_ms, now_ms) if self._same_clock else now_ms
        self._seq = event.seq
        self._heard = self._news = True
        if self._holds and self._other_clock:
            self.failed(errno.EXDEV)
        else:
            self._said = 0

    def _take_status(self, status: _Status) -> None:
        self._state = dataclasses.replace(
            self._state,
            role=status.role,
            yielding=status.yielding,
            token=status.token,
            group=status.group,
            leader=status.leader,
            leader_id=status.leader_id,
            leader_address=status.leader_address,
            reason=status.reason,
        )
        self._waits = status.promoting
        self._may_begin = not (status.yielding or status.asking or status.promoting)
        if status.role != "leader" or status.token != self._over:
            self._over = 0

    def _take_release(self, event: _Message) -> None:
        if event.type == "release-over":
            self._asked = self._asked and event.release != self._release
        elif event.release and self._holds:
            # A snapshot asks for an answer once more.
            self._asked |= event.type == "snapshot" or event.release != self._release
            self._release = event.release
            self._over = self._state.token
        elif event.type == "snapshot":
            self._asked = False
        if event.purpose or not self._asked:
            self._state = dataclasses.replace(self._state, purpose=event.purpose)


# ---- calls ---------------------------------------------------------------------------------------

AGAIN_MS: Final = 200  # between two attempts to connect
FULL_MS: Final = 1  # until the next attempt while electd's queue is full; ...
FULL_MOST_MS: Final = 50  # ... while it is out of places, doubled each time up to this
MESSAGE_MAX: Final = 1 << 20
TURN_MAX: Final = 4 << 20  # bytes read in one go; electd keeps less for a reader
ANSWER_MAX: Final = 65536
PIECE: Final = 65536
KEPT_MAX: Final = 64
REPORTS_MAX: Final = 32
LEAVE_MS: Final = 1000
# electd does not run; or this process has no descriptor or no memory.
NOT_MADE: Final = (
    errno.ENOENT,
    errno.ECONNREFUSED,
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOMEM,
    errno.ENOBUFS,
)
CALL_MS: Final = 5000  # for the answer to one call; a stalled electd reads it later


def _boot_ms() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000000


def _own_time_namespace() -> int:
    try:
        return os.stat("/proc/self/ns/time").st_ino
    except OSError:
        return 0


def _path(socket: str | None, instance: str | None) -> str:
    if socket is not None and instance is not None:
        raise ValueError("either a socket or an instance")
    if instance and instance != "default":
        if not _NAME.fullmatch(instance):
            raise ValueError(f"no name of an instance: {instance!r}")
        socket = f"/run/electd-{instance}/io.electd"
    path = "/run/electd/io.electd" if socket is None else socket
    if len(os.fsencode(path)) >= 108 or not path or "\0" in path:
        raise ValueError(f"no path of a socket: {path!r}")
    return path


def _request(method: str, parameters: dict[str, Any], more: bool = False) -> bytes:
    call: dict[str, Any] = {"method": "io.electd." + method}
    if parameters:
        call["parameters"] = parameters
    if more:
        call["more"] = True
    return json.dumps(call).encode() + b"\0"


def _reach(path: str, request: bytes, epoll: select.epoll) -> sockets.socket:
    """Connects and sends. A request is smaller than the socket's buffer: at once, or an error."""
    s = sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM | sockets.SOCK_NONBLOCK)
    try:
        s.connect(path)
        if s.send(request) != len(request):
            raise OSError(errno.EMSGSIZE, os.strerror(errno.EMSGSIZE))
        epoll.register(s, select.EPOLLIN)
    except BaseException:
        s.close()
        raise
    return s


def _end_for_good(s: sockets.socket) -> None:
    """A child of this process may share the socket: electd must see the end nevertheless."""
    with contextlib.suppress(OSError):
        s.shutdown(sockets.SHUT_RDWR)
    s.close()


class _Places:
    """How long to wait while electd has no place for this program."""

    def __init__(self) -> None:
        self._pause_ms = 0

    def pause_ms(self) -> int:
        self._pause_ms = min(self._pause_ms * 2, FULL_MOST_MS) or FULL_MS
        return self._pause_ms

    def found(self) -> None:
        self._pause_ms = 0


def _is_full(number: int | None) -> bool:
    """electd hung up while the request was sent, because it has no place."""
    return number in (errno.EPIPE, errno.ECONNRESET)


class _Call:
    """One short request on a connection of its own. Repeated while electd is full.

    A call that `waits` is also repeated until electd runs and answers.
    """

    def __init__(
        self,
        epoll: select.epoll,
        path: str,
        method: str,
        parameters: dict[str, Any],
        waits: bool = False,
        until_ms: int = NEVER,
        within_ms: int = NEVER,
    ) -> None:
        self.method = method
        self.parameters = parameters
        self.socket: sockets.socket | None = None
        self.again_ms = 0  # without a connection: the next attempt
        self.over = False
        self.error = 0  # when it is over: an errno; EREMOTE: electd answered with the error ...
        self.name = ""
        self.words = ""
        self._epoll = epoll
        self._path = path
        self._request = _request(method, parameters)
        self._waits = waits
        self._until_ms = until_ms
        self._within_ms = within_ms  # for the answer, after each attempt
        self._answer_by_ms = NEVER
        self._places = _Places()
        self._answer = b""

    def start(self) -> None:
        """Sends the request, even if there is no time for the answer."""
        self._ask()

    def go_on(self) -> None:
        """Does what is due. Never blocks."""
        if not self.over and self.socket:
            self._read(self.socket)
        if not self.over and _boot_ms() >= self._end_ms():
            self._end(errno.ETIMEDOUT)
        if not self.over and not self.socket and _boot_ms() >= self.again_ms:
            self._ask()

    def due_ms(self) -> int:
        """Returns when go_on() has something to do, if nothing is received until then."""
        return self._end_ms() if self.socket else min(self.again_ms, self._end_ms())

    def _end_ms(self) -> int:
        return min(self._until_ms, self._answer_by_ms) if self.socket else self._until_ms

    def hang_up(self) -> None:
        if self.socket:
            # A child of this process may share the descriptor, and epoll would keep it.
            self._epoll.unregister(self.socket)
            self.socket.close()
        self.socket = None
        self._answer = b""

    def error_of(self) -> Error | None:
        """Returns why the call has failed."""
        if not self.error:
            return None
        if self.error != errno.EREMOTE:
            return _error(self.error, REPORTING)
        if self.name == NOT_ALLOWED:
            return NotAllowed(errno.EACCES, REPORTING)
        if self.name == NOT_LEADER:
            return NotLeader(errno.EINVAL, "this host does not lead")
        return Refused(errno.EINVAL, self.words or self.name)

    def _pause(self, ms: int) -> None:
        self.hang_up()
        self.again_ms = _boot_ms() + ms

    def _end(self, error: int) -> None:
        self.hang_up()
        self.over = True
        self.error = error

    def _ask(self) -> None:
        try:
            self.socket = _reach(self._path, self._request, self._epoll)
            self._answer_by_ms = _boot_ms() + self._within_ms
        except OSError as e:
            if e.errno == errno.EAGAIN:
                self._pause(FULL_MS)
            elif _is_full(e.errno):
                self._pause(self._places.pause_ms())
            elif self._waits and e.errno in NOT_MADE:
                self._pause(AGAIN_MS)
            else:
                self._end(e.errno or errno.EIO)

    def _read(self, s: sockets.socket) -> None:
        try:
            piece = s.recv(PIECE)
        except BlockingIOError:
            return
        except OSError:
            piece = b""
        self._answer += piece
        message, found, _ = self._answer.partition(b"\0")
        if found:
            self._take(message)
        elif len(self._answer) >= ANSWER_MAX:
            self._end(errno.EMSGSIZE)
        elif not piece:
            if self._waits:
                self._pause(AGAIN_MS)
            else:
                self._end(errno.ECONNRESET)

    def _take(self, message: bytes) -> None:
        answer = _reply(message)
        error = answer.get("error")
        if error == FULL:
            self._pause(self._places.pause_ms())
            return
        if not answer:
            self._end(errno.EBADMSG)
            return
        if isinstance(error, str):
            parameters = answer.get("parameters")
            found = parameters if isinstance(parameters, dict) else {}
            words = found.get("message", found.get("parameter"))
            self.name = error[:64]
            self.words = words[:200] if isinstance(words, str) else ""
        self._end(errno.EREMOTE if error is not None else 0)


# ---- reports -------------------------------------------------------------------------------------


def _report_parameters(
    name: str, well: bool, words: str, fall: int, rise: int, stale_ms: int, leading: bool
) -> dict[str, Any]:
    if not _NAME.fullmatch(name):
        raise ValueError(f"no name of a report: {name!r}")
    if len(words.encode()) > 200 or "\0" in words:
        raise ValueError("words are at most 200 bytes")
    if not (1 <= fall <= 1000 and 1 <= rise <= 1000):
        raise ValueError("fall and rise are 1 to 1000")
    if not 0 <= stale_ms <= 14 * 86400 * 1000:
        raise ValueError("stale_ms is at most 14 days")
    return {
        "name": name,
        "well": bool(well),
        "words": words,
        "fall": fall,
        "rise": rise,
        "stale_ms": stale_ms,
        "leading": bool(leading),
    }


def _wait_for(call: _Call, epoll: select.epoll) -> None:
    """Goes on with a call until it is over."""
    while True:
        call.go_on()
        if call.over:
            return
        due = call.due_ms()
        epoll.poll(-1 if due == NEVER else max(0, due - _boot_ms()) / 1000)


def report(
    name: str,
    *,
    well: bool,
    words: str = "",
    fall: int = 1,
    rise: int = 1,
    stale_ms: int = 0,
    leading: bool = False,
    timeout: float | None = None,
    socket: str | None = None,
    instance: str | None = None,
) -> None:
    """Reports the health of something that this host needs to lead (electd-health(7)).

    Waits until electd runs and has answered; after `timeout` seconds raises TimeoutError. Raises
    NotAllowed, NotLeader (only with `leading`) or Refused.

    name:     of what is judged: letters, digits, '.', '_' and '-'
    words:    why, for people; at most 200 bytes
    fall:     sick after so many bad reports in a row
    rise:     well after so many good ones
    stale_ms: sick after so long without a report; 0: no limit
    leading:  about work that runs only on the leader
    """
    path = _path(socket, instance)
    parameters = _report_parameters(name, well, words, fall, rise, stale_ms, leading)
    until_ms = NEVER if timeout is None else _boot_ms() + int(timeout * 1000)
    with select.epoll() as epoll:
        call = _Call(epoll, path, "Report", parameters, waits=True, until_ms=until_ms)
        try:
            _wait_for(call, epoll)
        finally:
            call.hang_up()
    if call.error == errno.ETIMEDOUT:
        raise TimeoutError(errno.ETIMEDOUT, "electd did not answer the report in time")
    error = call.error_of()
    if error:
        raise error


# ---- the client ----------------------------------------------------------------------------------


class Client:
    """Follows electd in an event loop. Nothing blocks but close().

    name:     makes the program a holder: leadership does not pass on while the program acts. The
              name is shown in logs: 1 to 63 printable ASCII characters. Needs root or the group
              electd-admin. None: the program only watches.
    socket:   path of the control socket; None: that of `instance`
    instance: NAME of electd@NAME; None: of electd

    electd need not run: the client connects as soon as it does, and again whenever the connection
    has ended.
    """

    def __init__(
        self, name: str | None = None, *, socket: str | None = None, instance: str | None = None
    ) -> None:
        if name is not None and not _HOLDER_NAME.fullmatch(name):
            raise ValueError(f"no name of a holder: {name!r}")
        self._path = _path(socket, instance)
        hold = {} if name is None else {"hold": True, "name": name}
        self._subscribe = _request("Subscribe", hold, more=True)
        self._right = WATCHING if name is None else HOLDING
        self._rules = Rules(name is not None, _own_time_namespace())
        self._socket: sockets.socket | None = None
        self._again_ms = 0  # without a connection: the next attempt
        self._places = _Places()
        self._messages: deque[bytes] = deque()  # complete, and not taken yet
        self._rest = bytearray()
        self._turn = 0  # bytes read in this go
        self._kept: list[sockets.socket] = []
        self._calls: deque[_Call] = deque()
        self._closed = False
        self._pid = os.getpid()
        self._epoll = select.epoll()
        # A pipe with one byte, watched only while events wait, because may_act() has read them.
        try:
            self._pipe = os.pipe()
        except BaseException:
            self._epoll.close()
            raise
        os.write(self._pipe[1], b"!")
        self._signalled = False
        self._epoll.register(self._pipe[0], 0)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def fileno(self) -> int:
        """Returns a descriptor that is readable when process() has something to do.

        The same one for the life of the client. Do not read it.
        """
        return self._epoll.fileno()

    def timeout(self) -> float | None:
        """Returns after how many seconds process() must be called at the latest; None: no limit."""
        if self._rules.waits() or self._messages:
            return 0.0
        due = NEVER
        if not self._socket:
            due = self._again_ms
        elif not self._rules.silent:
            due = self._rules.over_ms()
        if self._calls:
            due = min(due, self._calls[0].due_ms())
        return None if due == NEVER else max(0, due - _boot_ms()) / 1000

    def wait(self, seconds: float | None = None) -> None:
        """Sleeps until process() has something to do, for at most so many seconds."""
        due = self.timeout()
        if seconds is not None:
            due = max(0.0, seconds) if due is None else max(0.0, min(due, seconds))
        self._epoll.poll(-1 if due is None else due)

    def process(self) -> Event | None:
        """Does what is due, and returns the next event. None: there is none now. Never blocks.

        Raises an Error once, until the reason changes; the client tries again by itself:
        NotRunning; NotAllowed; Busy; another Error: what listens is no electd; and, with a
        connection, OtherTimeNamespace: may_act() is never true.
        """
        self._open()
        self._turn = 0
        while not self._rules.waits() and self._read():
            pass
        self._settle()
        error = self._rules.error()
        event = None if error else self._rules.next()
        self._signal()
        if error:
            raise _error(error, self._right)
        return event

    def may_act(self) -> int:
        """Returns the token with which this host leads, or 0. Ask before each act.

        Reads what electd has sent, and looks at the clock. Begin no act that takes longer than
        Event.ending_ms.

        A token: leadership does not pass on before released(). 0: this host does not lead, has not
        been heard for too long, or was asked to hand over; end the work and call released(). Also 0
        as long as the event with the current token was not taken from process().
        """
        self._open()
        self._turn = 0
        while self._read():
            pass
        token = self._rules.may_act(_boot_ms())
        self._settle()
        self._signal()
        return token

    def released(self) -> None:
        """All work has ended, so leadership may pass on. The next work begins with may_act()."""
        self._open()
        self._rules.released()
        self._settle()
        self._signal()

    def report(
        self,
        name: str,
        *,
        well: bool,
        words: str = "",
        fall: int = 1,
        rise: int = 1,
        stale_ms: int = 0,
        leading: bool = False,
    ) -> None:
        """Queues a report; see electd.report(). process() sends it, as soon as electd runs.

        A newer report replaces a queued one of its name. If electd refuses it, there is an event
        `refused`. Raises Busy if the queue is full.
        """
        self._open()
        parameters = _report_parameters(name, well, words, fall, rise, stale_ms, leading)
        call = self._call("Report", parameters, waits=True)
        reports = 0
        for i, queued in enumerate(self._calls):
            reports += queued.method == "Report"
            if queued.parameters.get("name") == name and not queued.socket:
                self._calls[i] = call
                return
        if reports >= REPORTS_MAX:
            raise Busy(errno.EAGAIN, "too many reports wait for electd")
        self._calls.append(call)

    def is_own(self) -> bool:
        """False in a child that fork() made: the client is its parent's, and close() ends nothing."""
        return os.getpid() == self._pid

    def close(self) -> None:
        """Ends. For a holder this says that all its work has ended, and waits at most a second."""
        if self._closed:
            return
        self._closed = True
        if not self.is_own():
            self._drop()
            return
        for call in self._calls:
            call.hang_up()
        self._let_go()
        # Events that wait for the program would end each pause.
        self._epoll.unregister(self._pipe[0])
        try:
            self._leave(_boot_ms() + LEAVE_MS)
        finally:
            if self._socket:
                _end_for_good(self._socket)
            self._drop()

    # ---- inside

    def _open(self) -> None:
        if self._closed:
            raise ValueError("the client is closed")
        if not self.is_own():
            raise ValueError("the client belongs to the parent of this process")

    def _drop(self) -> None:
        """Closes the descriptors of this process."""
        self._epoll.close()
        os.close(self._pipe[0])
        os.close(self._pipe[1])
        for s in (self._socket, *self._kept, *(call.socket for call in self._calls)):
            if s:
                s.close()

    def _leave(self, until_ms: int) -> None:
        """Without this, the next hand-over would wait for a program that has gone."""
        self._hear_answer(until_ms)
        if self._socket:
            self._epoll.unregister(self._socket)
        if not self._rules.holder:
            return
        parameters = {"holder": self._rules.holder, "seq": 0}
        # A stalled electd reads the call when it continues.
        until_ms = 0 if self._rules.silent else until_ms
        call = _Call(self._epoll, self._path, "Release", parameters, until_ms=until_ms)
        try:
            call.start()
            _wait_for(call, self._epoll)
        finally:
            call.hang_up()

    def _hear_answer(self, until_ms: int) -> None:
        """electd takes each Subscribe that it has read for a holder; its answer names the holder."""
        self._turn = 0
        while self._rules.holds and self._socket and not self._rules.heard:
            left_ms = until_ms - _boot_ms()
            if left_ms <= 0:
                return
            if not self._read():
                self._epoll.poll(left_ms / 1000)

    def _connect(self) -> None:
        now = _boot_ms()
        try:
            self._socket = _reach(self._path, self._subscribe, self._epoll)
        except OSError as e:
            if e.errno == errno.EAGAIN:
                self._again_ms = now + FULL_MS
            elif _is_full(e.errno):
                self._turned_away()
            else:
                self._again_ms = now + AGAIN_MS
                self._rules.failed(e.errno or errno.EIO)
            return
        self._rules.connected(now)

    def _turned_away(self) -> None:
        self._rules.failed(errno.EBUSY)
        self._again_ms = _boot_ms() + self._places.pause_ms()

    def _end(self, error: int, words: str = "") -> None:
        s, self._socket = self._socket, None
        assert s is not None
        self._messages.clear()
        self._rest.clear()
        self._epoll.unregister(s)
        full = error == errno.EBUSY and not self._rules.heard
        self._again_ms = _boot_ms() + (self._places.pause_ms() if full else AGAIN_MS)
        self._void_releases()
        if not self._rules.ended(error, words):
            _end_for_good(s)
            return
        self._kept.append(s)
        if len(self._kept) > KEPT_MAX:
            _end_for_good(self._kept.pop(0))

    def _read(self) -> bool:
        """Takes one message, or reads some. Returns False when there is no more."""
        if self._messages:
            self._take(self._messages.popleft())
            return True
        if not self._socket and _boot_ms() >= self._again_ms:
            self._connect()
        if not self._socket:
            return False
        if self._turn > TURN_MAX:
            self._end(errno.EMSGSIZE)
            return True
        try:
            piece = self._socket.recv(PIECE)
        except BlockingIOError:
            return self._rules.judge(_boot_ms())
        except OSError as e:
            self._end(e.errno or errno.EIO)
            return True
        if piece:
            self._cut(piece)
        else:
            self._end(errno.ECONNRESET)
        return True

    def _cut(self, piece: bytes) -> None:
        """Cuts bytes into messages."""
        self._turn += len(piece)
        first, *more = piece.split(b"\0")
        self._rest += first
        for part in more:
            self._messages.append(bytes(self._rest))
            self._rest = bytearray(part)
        if len(self._rest) >= MESSAGE_MAX:
            self._end(errno.EMSGSIZE)

    def _take(self, message: bytes) -> None:
        if len(message) >= MESSAGE_MAX:
            self._end(errno.EMSGSIZE)
            return
        wrong = self._rules.take(message, _boot_ms())
        if wrong:
            self._end(*wrong)
        else:
            self._places.found()

    def _call(self, method: str, parameters: dict[str, Any], waits: bool = False) -> _Call:
        return _Call(self._epoll, self._path, method, parameters, waits, within_ms=CALL_MS)

    def _void_releases(self) -> None:
        """The connection has ended on which they were asked for."""
        for call in [c for c in self._calls if c.method == "Release"]:
            call.hang_up()
            self._calls.remove(call)

    def _settle(self) -> None:
        """Does what the rules owe."""
        if self._rules.lets_go():
            self._let_go()
        number = self._rules.owed()
        if number:
            self._void_releases()
            parameters = {"holder": self._rules.holder, "seq": number}
            # Before reports that wait for electd.
            at = 1 if self._calls and self._calls[0].socket else 0
            self._calls.insert(at, self._call("Release", parameters, waits=True))
        while self._calls:
            call = self._calls[0]
            call.go_on()
            if not call.over:
                break
            self._calls.popleft()
            # A stalled electd reads the report later: that is no refusal.
            answered = call.method == "Report" and call.error == errno.EREMOTE
            error = call.error_of() if answered else None
            # With NotLeader, the role has ended since: the report is void.
            if error and not isinstance(error, NotLeader):
                self._rules.refused(error.errno or errno.EIO, error.strerror or "")

    def _let_go(self) -> None:
        for s in self._kept:
            _end_for_good(s)
        self._kept.clear()

    def _signal(self) -> None:
        """Makes the descriptor readable while something waits for the program."""
        waits = self._rules.waits() or bool(self._messages)
        if waits == self._signalled:
            return
        self._signalled = waits
        self._epoll.modify(self._pipe[0], select.EPOLLIN if self._signalled else 0)


# ---- for programs without an event loop ----------------------------------------------------------

TRIES_MAX: Final = 16  # electd may send events faster than they are taken


class Lead:
    """Leadership of this host; see lead(). True: an act may begin now, under `token`."""

    def __init__(self, name: str, *, socket: str | None, instance: str | None) -> None:
        self._name = name
        self._socket = socket
        self._instance = instance
        self._client: Client | None = None
        self._token = 0

    @property
    def token(self) -> int:
        """Grows with each new leader; changes if this host leads on with another one."""
        return self._token

    def __enter__(self) -> Lead:
        if self._client:
            raise ValueError("lead is not reentrant")
        client = Client(self._name, socket=self._socket, instance=self._instance)
        try:
            while not self._look(client, (NotAllowed, OtherTimeNamespace)):
                client.wait()
        except BaseException:
            client.close()
            raise
        self._client = client
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        client, self._client = self._client, None
        if client:
            client.close()

    def __bool__(self) -> bool:
        """Asks anew: reads what electd has sent, and looks at the clock. Never raises."""
        client = self._client
        return client is not None and client.is_own() and self._look(client, ())

    def wait(self, seconds: float) -> bool:
        """Sleeps, but not longer than this host leads. Returns whether it still does."""
        until = time.monotonic() + seconds
        while self and self._client:
            left = until - time.monotonic()
            if left <= 0:
                return True
            self._client.wait(left)
        return False

    def _look(self, client: Client, raised: tuple[type[Error], ...]) -> bool:
        token = 0
        for _ in range(TRIES_MAX):
            while _taken(client, raised):
                pass
            token = client.may_act()
            # may_act() may have read an event with a new token.
            if token or client.timeout() != 0:
                break
        self._token = token or self._token
        return token != 0


def _taken(client: Client, raised: tuple[type[Error], ...]) -> Event | bool:
    """Takes an event, or an error that passes: the client tries again. False: there is none."""
    try:
        return client.process() or False
    except raised:
        raise
    except Error:
        return True


def lead(name: str, *, socket: str | None = None, instance: str | None = None) -> Lead:
    """Returns a context manager that waits until this host leads; see Lead.

        with electd.lead("report") as lead:
            while lead:
                write_row(fence=lead.token)

    Leaving the block, also by an exception, says that all work has ended: only then leadership
    passes on. While electd does not run, or is full, it waits. Raises NotAllowed if this program is
    neither root nor in the group electd-admin, and OtherTimeNamespace.
    """
    return Lead(name, socket=socket, instance=instance)


def watch(*, socket: str | None = None, instance: str | None = None) -> Iterator[Event]:
    """Yields the state, and then each change. Connects again, and never ends by itself."""
    with Client(socket=socket, instance=instance) as client:
        while True:
            event = _taken(client, (NotAllowed,))
            if isinstance(event, Event):
                yield event
            elif not event:
                client.wait()
