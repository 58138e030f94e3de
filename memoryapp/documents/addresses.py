"""Which addresses a page may be fetched from."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import SplitResult, quote, urlsplit

from memoryapp.documents.document import Unreadable, gettext_noop

URL_MAX_CHARS = 2000
SCHEMES = {"http": 80, "https": 443}
NO_ADDRESS = gettext_noop("This is no address of a page. One begins with https:// or http://.")
HAS_PASSWORD = gettext_noop(
    "The address has a name or a password in it, which everybody who sees it could use. Take it "
    "out; a page that needs one can't be fetched."
)
# What of an address's path and query stays as it is: all that has a meaning there.
SAFE = "/%:@!$&'()*+,;=~-._?"
NAT64 = IPv6Network("64:ff9b::/96")  # holds an IPv4 address in its last 32 bits


def checked(url: str) -> SplitResult:
    """The parts of an address, as they are sent. Raises Unreadable if it is none to fetch from."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna").decode()
        port = f":{parts.port}" if parts.port else ""
    except ValueError as error:  # which UnicodeError is one of
        raise Unreadable(NO_ADDRESS) from error
    if "@" in parts.netloc:
        raise Unreadable(HAS_PASSWORD)
    is_host = host and " " not in host
    if parts.scheme not in SCHEMES or not is_host or not is_whole(url):
        raise Unreadable(NO_ADDRESS)
    netloc = f"[{host}]{port}" if ":" in host else f"{host}{port}"
    path, query = quote(parts.path or "/", SAFE), quote(parts.query, SAFE)
    return SplitResult(parts.scheme, netloc, path, query, "")


def is_whole(url: str) -> bool:
    """Whether it is taken as it stands: line ends and their like would be left out of it."""
    return url.isprintable() and len(url) <= URL_MAX_CHARS


def is_public(address: str) -> bool:
    """Whether this IP address is one of the internet, and not of a machine or a network at home.

    What stands for an IPv4 address, or leads to one, is judged as that one.
    """
    ip = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address):
        inner = IPv4Address(int(ip) & 0xFFFFFFFF) if ip in NAT64 else None
        ip = ip.ipv4_mapped or ip.sixtofour or inner or ip
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified)
