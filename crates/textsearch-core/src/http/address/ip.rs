//! Address ranges that are not public, from IANA's special-purpose registries.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Addresses with the same first `bits` as `first`.
struct Range<A> {
    first: A,
    bits: u32,
    rule: &'static str,
}

const fn v4(first: [u8; 4], bits: u32, rule: &'static str) -> Range<Ipv4Addr> {
    let [a, b, c, d] = first;
    Range { first: Ipv4Addr::new(a, b, c, d), bits, rule }
}

const fn v6(first: [u16; 8], bits: u32, rule: &'static str) -> Range<Ipv6Addr> {
    let [a, b, c, d, e, f, g, h] = first;
    Range { first: Ipv6Addr::new(a, b, c, d, e, f, g, h), bits, rule }
}

const METADATA: &str = "the address of a cloud metadata service";
const LOOPBACK: &str = "a loopback address";
const PRIVATE: &str = "a private address";
const LINK_LOCAL: &str = "a link-local address";
const MULTICAST: &str = "a multicast address";
const DOCUMENTATION: &str = "an address for documentation";
const BENCHMARKING: &str = "an address for benchmarks";
const PROTOCOLS: &str = "an address for protocol assignments";
const UNSPECIFIED: &str = "an unspecified address";
const TRANSLATION: &str = "an address of a local translation to IPv4";

/// The first match wins, so single addresses come first.
const IPV4: &[Range<Ipv4Addr>] = &[
    v4([169, 254, 169, 254], 32, METADATA),
    v4([169, 254, 170, 2], 32, METADATA), // container credentials
    v4([100, 100, 100, 200], 32, METADATA), // Alibaba Cloud
    v4([168, 63, 129, 16], 32, METADATA), // Azure, in a range that is public otherwise
    v4([192, 0, 0, 192], 32, METADATA),   // Oracle Cloud
    v4([255, 255, 255, 255], 32, "the broadcast address"),
    v4([0, 0, 0, 0], 8, UNSPECIFIED),
    v4([10, 0, 0, 0], 8, PRIVATE),
    v4([100, 64, 0, 0], 10, "a shared address of a provider's network"),
    v4([127, 0, 0, 0], 8, LOOPBACK),
    v4([169, 254, 0, 0], 16, LINK_LOCAL),
    v4([172, 16, 0, 0], 12, PRIVATE),
    v4([192, 0, 0, 0], 24, PROTOCOLS),
    v4([192, 0, 2, 0], 24, DOCUMENTATION),
    v4([192, 88, 99, 0], 24, "a retired 6to4 relay"),
    v4([192, 168, 0, 0], 16, PRIVATE),
    v4([198, 18, 0, 0], 15, BENCHMARKING),
    v4([198, 51, 100, 0], 24, DOCUMENTATION),
    v4([203, 0, 113, 0], 24, DOCUMENTATION),
    v4([224, 0, 0, 0], 4, MULTICAST),
    v4([240, 0, 0, 0], 4, "a reserved address"),
];

/// Addresses outside `2000::/3` are refused anyway; those here get a rule with a name.
const IPV6: &[Range<Ipv6Addr>] = &[
    v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128, METADATA), // AWS
    v6([0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254], 128, METADATA),  // Google Cloud
    v6([0, 0, 0, 0, 0, 0, 0, 0], 128, UNSPECIFIED),
    v6([0, 0, 0, 0, 0, 0, 0, 1], 128, LOOPBACK),
    v6([0, 0, 0, 0, 0, 0, 0, 0], 96, "an IPv4-compatible address"),
    v6([0, 0, 0, 0, 0xffff, 0, 0, 0], 96, TRANSLATION),
    v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48, TRANSLATION),
    v6([0x100, 0, 0, 0, 0, 0, 0, 0], 64, "an address that discards"),
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 32, "a Teredo address"),
    v6([0x2001, 2, 0, 0, 0, 0, 0, 0], 48, BENCHMARKING),
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, PROTOCOLS),
    v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, DOCUMENTATION),
    v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, DOCUMENTATION),
    v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, "a unique local address"),
    v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, LINK_LOCAL),
    v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10, "a site-local address"),
    v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, MULTICAST),
];

pub(super) fn rule_against(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => rule_against_v4(address),
        IpAddr::V6(address) => match embedded_v4(address) {
            Some(embedded) => rule_against_v4(embedded),
            None => rule_against_v6(address),
        },
    }
}

fn rule_against_v4(address: Ipv4Addr) -> Option<&'static str> {
    let is_in = |range: &&Range<Ipv4Addr>| {
        let difference = address.to_bits() ^ range.first.to_bits();
        difference.leading_zeros() >= range.bits
    };
    IPV4.iter().find(is_in).map(|range| range.rule)
}

fn rule_against_v6(address: Ipv6Addr) -> Option<&'static str> {
    let is_in = |range: &&Range<Ipv6Addr>| {
        let difference = address.to_bits() ^ range.first.to_bits();
        difference.leading_zeros() >= range.bits
    };
    let is_global_unicast = address.to_bits() >> 125 == 1;
    let elsewhere = (!is_global_unicast).then_some("not a global unicast address");
    IPV6.iter().find(is_in).map(|range| range.rule).or(elsewhere)
}

/// Returns the IPv4 address that packets reach: mapped, NAT64 with the well-known prefix, or 6to4.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let (high, low) = match [a, b, c, d, e, f] {
        [0, 0, 0, 0, 0, 0xffff] | [0x64, 0xff9b, 0, 0, 0, 0] => (g, h),
        [0x2002, high, low, ..] => (high, low),
        _ => return None,
    };
    Some(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
}
