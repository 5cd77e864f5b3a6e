"""Which server is asked, with which token: from the settings alone, never from data."""

import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from results.github.trouble import ConfigurationError

_TOKEN = re.compile(r"[\x21-\x7e]{1,512}")
_PORTS = {"https": 443, "http": 80}


@dataclass(frozen=True, slots=True)
class Server:
    """``prefix`` is the path of the API, ``/api/v3`` for GitHub Enterprise; ``token`` may be empty."""

    scheme: str
    host: str
    port: int
    prefix: str
    token: str = field(default="", repr=False)

    @property
    def key(self) -> str:
        """The server without its token, as pauses are kept for it."""
        return f"{self.scheme}://{self.host}:{self.port}{self.prefix}"

    def serves(self, address: SplitResult) -> bool:
        """Whether an absolute address lies on this server, below its API."""
        port = address.port or _PORTS.get(address.scheme)
        origin = (address.scheme, address.hostname, port)
        return origin == (self.scheme, self.host, self.port) and address.path.startswith(f"{self.prefix}/")


def configured_server() -> Server:
    """The server of the settings; ConfigurationError when the address or the token breaks a rule."""
    server = read_server(settings.GITHUB_API_URL, settings.GITHUB_TOKEN)
    if server.token and not _TOKEN.fullmatch(server.token):
        raise ConfigurationError("GITHUB_TOKEN: printable ASCII without spaces")
    return server


def read_server(url: str, token: str = "") -> Server:
    """``https://host[:port][/prefix]``; plain http only to this machine: a token would be readable."""
    parts = _parts(url)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigurationError("GITHUB_API_URL: no user, no query and no fragment")
    host, prefix = parts.hostname, parts.path.rstrip("/")
    if parts.scheme not in _PORTS or not host or ".." in prefix:
        raise ConfigurationError("GITHUB_API_URL: must be https://host or https://host/api/v3")
    if parts.scheme == "http" and not _is_this_machine(host):
        raise ConfigurationError("GITHUB_API_URL: plain http is for this machine only, use https")
    return Server(parts.scheme, host, parts.port or _PORTS[parts.scheme], prefix, token)


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _port = parts.port
    except ValueError:
        raise ConfigurationError("GITHUB_API_URL: not an address") from None
    return parts


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
