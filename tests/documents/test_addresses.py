import pytest

from memoryapp.documents.addresses import HAS_PASSWORD, NO_ADDRESS, checked, is_public
from memoryapp.documents.document import Unreadable


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("https://Example.org", "https://example.org/"),
        ("http://example.org:8080/a?b=c#part", "http://example.org:8080/a?b=c"),
        ("https://bücher.example/über uns?q=ä&x=%20", None),
        ("http://[2001:db8::1]/", "http://[2001:db8::1]/"),
    ],
)
def test_an_address_is_written_as_it_is_sent(url, sent):
    sent = sent or "https://xn--bcher-kva.example/%C3%BCber%20uns?q=%C3%A4&x=%20"
    assert checked(url).geturl() == sent


@pytest.mark.parametrize(
    "url",
    [
        *("", "example.org", "//example.org", "ftp://example.org", "file:///etc/passwd"),
        *("javascript:alert(1)", "data:text/html,x", "http://", "http:///path", "http://a b/"),
        *("http://example.org:99999/", "http://[::1", "https://" + "x" * 2000),
        *("http://" + "x" * 64 + ".org", "http://a\x7fb/", "ht\ntps://a/"),
    ],
)
def test_what_is_no_address_of_a_page_is_refused(url):
    with pytest.raises(Unreadable, match=NO_ADDRESS):
        checked(url)


@pytest.mark.parametrize("url", ["https://ada:secret@example.org/", "https://example.org@evil/"])
def test_an_address_with_a_name_or_a_password_in_it_is_refused(url):
    with pytest.raises(Unreadable, match=HAS_PASSWORD):
        checked(url)


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34", "64:ff9b::5db8:d822"]
)
def test_an_address_of_the_internet_is_public(address):
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1"),
        *("169.254.169.254", "100.64.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1"),
        *("255.255.255.255", "::", "::1", "fe80::1%eth0", "fc00::1", "ff02::1", "2001:db8::1"),
        # Ways to write or to reach an IPv4 address through IPv6.
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "::127.0.0.1"),
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    ],
)
def test_an_address_of_a_machine_or_a_network_at_home_is_not(address):
    assert not is_public(address)
