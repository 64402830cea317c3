import FaradayCore
import Testing

@Suite struct AddressPolicyTests {
  @Test(arguments: [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254",
    "169.254.169.254", "168.63.129.16", "::ffff:168.63.129.16",
    "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.19.255.255",
    "198.51.100.7", "203.0.113.7", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1",
    "100::1",
    "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1", "2002:7f00:1::1",
    "2002:a00:1::1", "3fff::1", "3fff:fff::1", "4000::1", "5f00::1", "fc00::1", "fd12:3456::1", "fd00:ec2::254", "fe80::1",
    "fec0::1", "ff02::1",
    "8000::1", "1fff::1",
    // IPv4-compatible addresses, which are not routed, and ISATAP addresses of private ones.
    "::8.8.8.8", "::101:101", "2606:4700::5efe:10.0.0.1", "2606:4700::200:5efe:127.0.0.1",
  ])
  func `addresses that are not public are forbidden`(text: String) throws {
    let address = try #require(IPAddress(text))
    let refusal = try #require(AddressPolicy.publicOnly.refusal(of: address, port: 443))
    #expect(refusal.address == address && refusal.range != nil)
    #expect("\(refusal)".contains(address.description))
  }

  @Test(arguments: [
    "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0", "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255", "::ffff:1.1.1.1", "64:ff9b::101:101", "2001:200::1", "2001:4860:4860::8888", "2003::1", "2606:4700::1111",
    "3ffe::1", "2606:4700::5efe:8.8.8.8", "2606:4700::5eff:10.0.0.1",
  ])
  func `public addresses are allowed`(text: String) throws {
    #expect(AddressPolicy.publicOnly.refusal(of: try #require(IPAddress(text)), port: 443) == nil)
  }

  @Test(arguments: [
    "", " ", "localhost", "1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "0x7f.1", "127.0.0.1\0", "127.0.0.1 ", ":::",
    "1::2::3", "[::1",
    "[127.0.0.1]", "127.0.0.1%eth0", "::1/64", "g::", "12345::",
  ])
  func `invalid addresses parse to nil`(text: String) { #expect(IPAddress(text) == nil) }

  @Test func `addresses are parsed and written in their usual form`() {
    for (text, written) in [
      ("192.0.2.1", "192.0.2.1"), ("2001:DB8:0:0::1", "2001:db8::1"), ("[::1]", "::1"), ("fe80::1%eth0", "fe80::1"),
      ("::ffff:1.2.3.4", "::ffff:1.2.3.4"),
    ] {
      #expect(IPAddress(text)?.description == written)
    }
  }

  @Test func `ranges include their bounds`() throws {
    for (range, inside, outside) in [
      ("10.0.0.0/8", "10.255.255.255", "11.0.0.0"), ("192.0.2.7", "192.0.2.7", "192.0.2.8"), ("0.0.0.0/0", "255.1.2.3", "::1"),
      ("::/0", "ffff::", "1.2.3.4"), ("2001:db8::/33", "2001:db8:7fff::", "2001:db8:8000::"), ("::1", "::1", "::2"),
      ("1.2.3.5/31", "1.2.3.4", "1.2.3.6"),
    ] {
      let range = try IPAddressRange(range)
      #expect(range.contains(try #require(IPAddress(inside))), "\(range) \(inside)")
      #expect(!range.contains(try #require(IPAddress(outside))), "\(range) \(outside)")
    }
  }

  @Test(arguments: [
    "", "/", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/8/8", "10.0.0.0/-1", "10.0.0.0/+8", "host/8",
    "10.0.0.0/99999999999999999999",
  ])
  func `an invalid range is an error`(text: String) {
    #expect(#expect(throws: InvalidValueError.self) { try IPAddressRange(text) }?.kind == .addressRange)
  }

  @Test func `both the outer and the embedded address are checked`() throws {
    func refuses(_ range: String, _ address: String) throws -> Bool {
      AddressPolicy(forbidden: [try IPAddressRange(range)]).refusal(of: try #require(IPAddress(address)), port: 80) != nil
    }
    for (range, address) in [
      ("::/0", "64:ff9b::101:101"), ("::/0", "::ffff:1.1.1.1"), ("64:ff9b::/96", "64:ff9b::101:101"),
      ("::ffff:0:0/96", "::ffff:1.1.1.1"),
      ("10.0.0.0/8", "2002:a00:1::1"), ("10.0.0.0/8", "::10.0.0.1"), ("10.0.0.0/8", "64:ff9b::a00:1"),
      ("10.0.0.0/8", "::ffff:10.0.0.1"),
    ] { #expect(try refuses(range, address), "\(range) \(address)") }
    #expect(try !refuses("10.0.0.0/8", "2002:101:101::1"))
  }

  @Test func `an exception applies to the connected address and not to an embedded one`() throws {
    var policy = AddressPolicy.publicOnly
    policy.allowed = try ["10.0.0.0/8", "127.0.0.1", "64:ff9b::7f00:2", "::/0"].map { try IPAddressRange($0) }
    func isAllowed(_ text: String) throws -> Bool { policy.refusal(of: try #require(IPAddress(text)), port: 80) == nil }
    // A mapped address is another spelling of IPv4: no IPv6 range allows it.
    for text in ["10.1.2.3", "127.0.0.1", "::ffff:10.1.2.3", "64:ff9b::7f00:2", "::1"] { #expect(try isAllowed(text), "\(text)") }
    #expect(try !isAllowed("::ffff:192.168.0.1"))
    policy.allowed.removeLast()
    for text in ["2002:a00:1::1", "64:ff9b::a00:1", "::10.0.0.1", "::127.0.0.1", "2606:4700::5efe:10.0.0.1"] {
      #expect(try !isAllowed(text), "\(text)")
    }
    #expect(try isAllowed("64:ff9b::7f00:2"))
  }

  @Test func `a range of IPv4-mapped addresses equals the IPv4 range`() throws {
    let range = try IPAddressRange("::ffff:10.0.0.0/104")
    let (inside, outside) = (try #require(IPAddress("10.255.0.1")), try #require(IPAddress("11.0.0.1")))
    #expect(range.contains(inside) && !range.contains(outside))
    #expect(range.description == "10.0.0.0/8")
    var policy = AddressPolicy.publicOnly
    policy.allowed = [try IPAddressRange("::ffff:10.0.0.5")]
    #expect(policy.refusal(of: try #require(IPAddress("10.0.0.5")), port: 80) == nil)
  }

  @Test(arguments: ["64:ff9b::a00:1", "64:ff9b:1::a00:1", "::ffff:0:a00:1", "::a00:1", "2002:a00:1::", "::ffff:a00:1"])
  func `a forbidden IPv4 address is forbidden inside IPv6`(text: String) throws {
    let policy = AddressPolicy(forbidden: [try IPAddressRange("10.0.0.0/8")])
    #expect(policy.refusal(of: try #require(IPAddress(text)), port: 80) != nil)
    #expect(AddressPolicy(forbidden: []).refusal(of: try #require(IPAddress(text)), port: 80) == nil)
  }

  @Test func `custom ranges, exceptions and ports are applied`() throws {
    var policy = AddressPolicy.publicOnly
    policy.forbidden.append(try IPAddressRange("1.1.1.0/24"))
    policy.allowed = [try IPAddressRange("10.1.0.0/16")]
    policy.forbiddenPorts = [25]
    func isAllowed(_ text: String, _ port: Int = 80) throws -> Bool {
      policy.refusal(of: try #require(IPAddress(text)), port: port) == nil
    }
    #expect(try !isAllowed("1.1.1.1"))
    #expect(try isAllowed("10.1.2.3"))
    #expect(try isAllowed("::ffff:10.1.2.3"))
    #expect(try !isAllowed("10.2.0.1"))
    #expect(try !isAllowed("8.8.8.8", 25))
    #expect(try !isAllowed("10.1.2.3", 25))
    policy.allowedPorts = [443]
    #expect(try !isAllowed("8.8.8.8", 80))
    #expect(try isAllowed("8.8.8.8", 443))
  }
}
