//! Ranges and spellings that must not be reached.

use std::net::{Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;

use super::*;

fn check(url: &str) -> Result<(), AddressRefused> {
    AddressPolicy::public_only().check_url(&Url::parse(url).unwrap())
}

fn rule(url: &str) -> &'static str {
    check(url).expect_err(url).rule()
}

#[test]
fn private_ranges_are_refused_from_first_to_last_address() {
    let cases = [
        ("0.0.0.0", "0.255.255.255", "an unspecified address"),
        ("10.0.0.0", "10.255.255.255", "a private address"),
        ("100.64.0.0", "100.127.255.255", "a shared address of a provider's network"),
        ("127.0.0.0", "127.255.255.255", "a loopback address"),
        ("169.254.0.0", "169.254.255.255", "a link-local address"),
        ("172.16.0.0", "172.31.255.255", "a private address"),
        ("192.0.0.0", "192.0.0.255", "an address for protocol assignments"),
        ("192.0.2.0", "192.0.2.255", "an address for documentation"),
        ("192.88.99.0", "192.88.99.255", "a retired 6to4 relay"),
        ("192.168.0.0", "192.168.255.255", "a private address"),
        ("198.18.0.0", "198.19.255.255", "an address for benchmarks"),
        ("198.51.100.0", "198.51.100.255", "an address for documentation"),
        ("203.0.113.0", "203.0.113.255", "an address for documentation"),
        ("224.0.0.0", "239.255.255.255", "a multicast address"),
        ("240.0.0.0", "255.255.255.254", "a reserved address"),
        ("255.255.255.255", "255.255.255.255", "the broadcast address"),
        ("[::]", "[::]", "an unspecified address"),
        ("[::1]", "[::1]", "a loopback address"),
        ("[::2]", "[::ffff:ffff]", "an IPv4-compatible address"),
        (
            "[64:ff9b:1::]",
            "[64:ff9b:1:ffff:ffff:ffff:ffff:ffff]",
            "an address of a local translation to IPv4",
        ),
        ("[100::]", "[100::ffff:ffff:ffff:ffff]", "an address that discards"),
        ("[2001::]", "[2001:0:ffff:ffff:ffff:ffff:ffff:ffff]", "a Teredo address"),
        ("[2001:2::]", "[2001:2:0:ffff:ffff:ffff:ffff:ffff]", "an address for benchmarks"),
        (
            "[2001:10::]",
            "[2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff]",
            "an address for protocol assignments",
        ),
        (
            "[2001:db8::]",
            "[2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]",
            "an address for documentation",
        ),
        ("[3fff::]", "[3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff]", "an address for documentation"),
        ("[fc00::]", "[fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "a unique local address"),
        ("[fe80::]", "[febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "a link-local address"),
        ("[fec0::]", "[feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "a site-local address"),
        ("[ff00::]", "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "a multicast address"),
        ("[4000::]", "[fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "not a global unicast address"),
    ];
    for (first, last, expected) in cases {
        assert_eq!(rule(&format!("http://{first}/")), expected, "{first}");
        assert_eq!(rule(&format!("http://{last}/")), expected, "{last}");
    }
}

#[test]
fn the_neighbours_of_the_ranges_are_public() {
    let public = [
        "1.0.0.0",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.0",
        "192.0.3.0",
        "192.88.98.255",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "198.51.101.0",
        "203.0.114.0",
        "223.255.255.255",
        "[2000::]",
        "[2001:200::]",
        "[2001:db7:ffff::]",
        "[2001:db9::]",
        "[2003::]",
        "[3ffe::]",
        "[3fff:1000::]",
        "[2606:4700::1111]",
    ];
    for host in public {
        assert_eq!(check(&format!("https://{host}/")), Ok(()), "{host}");
    }
}

#[test]
fn metadata_services_are_refused_by_address_and_by_name() {
    for host in
        ["169.254.169.254", "100.100.100.200", "168.63.129.16", "[fd00:ec2::254]", "[fd20:ce::254]"]
    {
        assert_eq!(
            rule(&format!("http://{host}/")),
            "the address of a cloud metadata service",
            "{host}"
        );
    }
    for host in ["metadata.google.internal", "METADATA.google.internal.", "metadata.goog"] {
        assert_eq!(
            rule(&format!("http://{host}/")),
            "the name of a cloud metadata service",
            "{host}"
        );
    }
}

#[test]
fn each_spelling_of_loopback_is_refused() {
    let spellings = [
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "2130706433",
        "017700000001",
        "0x7f000001",
        "0x7f.1",
        "0x7f.0x0.0x0.0x1",
        "0177.0.0.01",
        "127.0.0.1.",
        "127。0。0。1",
        "１２７.0.0.1",
        "%31%32%37.0.0.1",
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[2002:7f00:1::5]",
    ];
    for host in spellings {
        assert_eq!(rule(&format!("http://{host}/")), "a loopback address", "{host}");
    }
    for host in ["0", "0.0.0.0", "0x0", "[::]", "[::ffff:0.0.0.0]"] {
        assert_eq!(rule(&format!("http://{host}/")), "an unspecified address", "{host}");
    }
    assert_eq!(rule("http:\\\\127.0.0.1"), "a loopback address");
    assert_eq!(rule("http://[::127.0.0.1]/"), "an IPv4-compatible address");
}

#[test]
fn names_that_are_local_by_convention_are_refused() {
    let local = [
        "localhost",
        "LOCALHOST",
        "localhost.",
        "a.localhost",
        "printer.local",
        "local",
        "db.internal",
        "internal",
        "router.home.arpa",
        "localhost.localdomain",
        "loc%61lhost",
    ];
    for host in local {
        assert_eq!(
            rule(&format!("http://{host}/")),
            "a name of the local machine or network",
            "{host}"
        );
    }
    for host in ["notlocalhost", "localhost.example.com", "mylocal", "international", "example.com"]
    {
        assert_eq!(check(&format!("http://{host}/")), Ok(()), "{host}");
    }
}

#[test]
fn only_web_urls_without_user_and_password_are_allowed() {
    let others = ["ftp://example.com/", "file:///etc/passwd", "gopher://example.com/", "data:,x"];
    for url in others {
        assert_eq!(rule(url), "in a URL that is neither http nor https", "{url}");
    }
    for url in ["http://user@example.com/", "http://:word@example.com/", "http://a:b@example.com/"]
    {
        assert_eq!(rule(url), "in a URL with a user or a password", "{url}");
    }
}

#[test]
fn an_allowed_host_includes_its_port() {
    let allows = |host: &str, url: &str| {
        let policy = AddressPolicy::public_only().with_allowed_host(host).unwrap();
        policy.check_url(&Url::parse(url).unwrap()).is_ok()
    };
    assert!(allows("127.0.0.1", "http://127.0.0.1:1/"));
    assert!(allows("127.1", "http://2130706433/"));
    assert!(allows("127.0.0.1:80", "http://127.0.0.1/"));
    assert!(allows("127.0.0.1:443", "https://127.0.0.1/"));
    assert!(allows("[::1]:8080", "http://[0::1]:8080/"));
    assert!(allows("Wiki.Internal", "https://wiki.internal./"));
    assert!(!allows("127.0.0.1:80", "http://127.0.0.1:81/"));
    assert!(!allows("127.0.0.1:80", "https://127.0.0.1/"));
    assert!(!allows("127.0.0.1", "http://localhost/"));
    assert!(!allows("localhost", "http://127.0.0.1/"));
    assert!(!allows("wiki.internal", "http://other.wiki.internal/"));
    assert!(!allows("wiki.internal", "http://user:word@wiki.internal/"));
    assert!(!allows("wiki.internal", "ftp://wiki.internal/"));
}

#[test]
fn only_hosts_can_be_allowed() {
    for text in
        ["", "a b", "http://a", "a/b", "a:99999", "a:", ":80", "user@a", "[::1", "a?b", "a#b"]
    {
        let error = AddressPolicy::public_only().with_allowed_host(text).unwrap_err();
        assert!(error.to_string().contains(&format!("`{text}`")), "{error}");
    }
}

#[test]
fn the_error_names_host_and_rule() {
    let error = check("http://192.168.0.1/secret?query").unwrap_err();
    assert_eq!(error.host(), "192.168.0.1");
    assert_eq!(error.to_string(), "`192.168.0.1` is a private address: not allowed");
}

proptest! {
    #[test]
    fn ipv4_addresses_in_ipv6_form_are_judged_alike(bits in any::<u32>()) {
        let policy = AddressPolicy::public_only();
        let plain = policy.check_ip(Ipv4Addr::from_bits(bits).into()).map_err(|error| error.rule());
        let bits = u128::from(bits);
        let nat64 = 0x0064_ff9b_u128 << 96 | bits;
        for form in [0xffff_u128 << 32 | bits, nat64, 0x2002_u128 << 112 | bits << 80] {
            let embedded = policy.check_ip(Ipv6Addr::from_bits(form).into());
            prop_assert_eq!(embedded.map_err(|error| error.rule()), plain);
        }
    }

    #[test]
    fn allowed_addresses_are_not_special_in_std(bits in any::<u32>()) {
        let address = Ipv4Addr::from_bits(bits);
        if AddressPolicy::public_only().check_ip(address.into()).is_ok() {
            prop_assert!(!address.is_loopback() && !address.is_private() && !address.is_link_local());
            prop_assert!(!address.is_multicast() && !address.is_broadcast());
            prop_assert!(!address.is_documentation() && !address.is_unspecified());
        }
    }
}

#[test]
fn ports_of_other_protocols_are_refused_unless_allowed() {
    for url in ["http://example.com:22/", "https://example.com:25/", "http://example.com:6667/"] {
        assert_eq!(rule(url), "in a URL with the port of another protocol than HTTP", "{url}");
    }
    for url in ["http://example.com/", "https://example.com:443/", "http://example.com:8080/"] {
        check(url).unwrap();
    }
    let policy = AddressPolicy::public_only().with_allowed_host("example.com:22").unwrap();
    policy.check_url(&Url::parse("http://example.com:22/").unwrap()).unwrap();
    policy.check_url(&Url::parse("http://example.com:25/").unwrap()).unwrap_err();
}
