import Faraday
import FaradayTesting
import FoundationEssentials
import Testing

@testable import FaradayCache

/// Which properties of a request separate stored responses.
@Suite struct CacheKeyTests {
  private func key(_ edit: (inout Request) -> Void) throws -> CacheKey {
    var request = Request(.get, url: try #require(URL(string: "http://host/a")))
    edit(&request)
    let vary = try #require(Vary([:]))
    return Identity(request).responseKey("generation", vary, request.headers)
  }

  /// Each differs from all others in one thing that may lead to another server, another user, or another trust.
  private static let edits: [@Sendable (inout Request) -> Void] = [
    { _ in },
    { $0.options.tls.caFile = "/1" }, { $0.options.tls.caFile = "/2" }, { $0.options.tls.caDirectory = "/1" },
    { $0.options.tls.caCertificates = Data([1]) }, { $0.options.tls.caCertificates = Data([2]) },
    { $0.options.tls.verifiesCertificate = false }, { $0.options.tls.verifiesHostName = false },
    { $0.options.tls.revocationLists = "/1" }, { $0.options.tls.pinnedPublicKeys = ["1"] },
    { $0.options.tls.pinnedPublicKeys = ["2"] }, { $0.options.tls.minimumVersion = .v1_3 },
    { $0.options.tls.maximumVersion = .v1_3 }, { $0.options.tls.maximumVersion = .v1_2 }, { $0.options.tls.tls12Ciphers = "1" },
    { $0.options.tls.tls13Ciphers = "1" },
    { $0.options.tls.clientCertificate = ClientCertificate(.file("/1")) },
    { $0.options.tls.clientCertificate = ClientCertificate(.file("/2")) },
    { $0.options.tls.clientCertificate = ClientCertificate(.bytes(Data([1]))) },
    { $0.options.tls.clientCertificate = ClientCertificate(.bytes(Data([2]))) },
    { $0.options.tls.clientCertificate = ClientCertificate(.file("/1"), key: .file("/2")) },
    { $0.options.tls.clientCertificate = ClientCertificate(.file("/1"), format: .pkcs12) },
    { $0.options.tls.clientCertificate = ClientCertificate(.file("/1"), password: "1") },
    { $0.options.tls.clientCertificate = ClientCertificate(.file("/1"), password: "2") },
    { $0.options.network.unixSocket = "/1" }, { $0.options.network.dnsOverHTTPS = "https://1/" },
    { $0.options.network.localAddress = "127.0.0.1" }, { $0.options.network.ipVersion = .v4 },
    { $0.options.network.dnsServers = ["1.1.1.1"] },
    { $0.options.network.hostOverrides = [HostOverride("host", addresses: ["::1"])] },
    { $0.options.network.hostOverrides = [HostOverride("host", port: 1, addresses: ["::1"])] },
    { $0.options.network.hostOverrides = [HostOverride("host", addresses: ["::2"])] },
    { $0.options.network.connectTo = [ConnectTo(toHost: "1")] }, { $0.options.network.connectTo = [ConnectTo(toPort: 1)] },
    { $0.options.network.connectTo = [ConnectTo(host: "host", toPort: 1)] },
    { $0.options.network.connectTo = [ConnectTo(port: 80, toPort: 1)] },
    { $0.options.proxy = .direct }, { $0.options.proxy = .proxy(Proxy(.http, host: "1")) },
    { $0.options.proxy = .proxy(Proxy(.http, host: "1", port: 2)) },
    { $0.options.proxy = .proxy(Proxy(.http, host: "1", user: "a")) },
    { $0.options.proxy = .proxy(Proxy(.http, host: "1", user: "a", password: "b")) },
    { $0.options.proxy = .proxy(Self.proxy { $0.authentication = .digest }) },
    { $0.options.proxy = .proxy(Self.proxy { $0.tunnels = true }) },
    { $0.options.proxy = .proxy(Self.proxy { $0.exceptions = ["2"] }) },
    { $0.options.proxy = .proxy(Self.proxy { $0.headers[.via] = "1" }) },
    { $0.options.proxy = .proxy(Self.proxy { $0.tls.caFile = "/1" }) },
    { $0.options.authentication = TransportAuthentication(user: "a", password: "b", schemes: .any) },
    { $0.options.authentication = TransportAuthentication(user: "b", password: "b", schemes: .any) },
    { $0.options.authentication = TransportAuthentication(user: "a", password: "c", schemes: .any) },
    { $0.options.authentication = TransportAuthentication(user: "a", password: "b", schemes: .digest) },
    { $0.options.addressPolicy = AddressPolicy(forbidden: []) }, { $0.options.addressPolicy = .publicOnly },
    { $0.options.addressPolicy = Self.policy { $0.allowedPorts = [80] } },
    { $0.options.addressPolicy = Self.policy { $0.forbiddenPorts = [80] } },
    { $0.options.addressPolicy = Self.policy { $0.allowsUnixSockets = true } },
    { $0.options.addressPolicy = Self.policy { $0.allowsProxies = true } },
    { $0.options.decompression = .standard },
    { $0.headers[.authorization] = "1" }, { $0.headers[.cookie] = "1" }, { try? $0.headers.set(name: "Host", value: "1") },
    { $0.url = URL(string: "http://a@host/a")! }, { $0.url = URL(string: "http://a:b@host/a")! },
    { $0.url = URL(string: "http://host/b")! },
  ]

  private static func proxy(_ edit: (inout Proxy) -> Void) -> Proxy {
    var proxy = Proxy(.http, host: "1")
    edit(&proxy)
    return proxy
  }

  private static func policy(_ edit: (inout AddressPolicy) -> Void) -> AddressPolicy {
    var policy = AddressPolicy(forbidden: [])
    edit(&policy)
    return policy
  }

  @Test func `the key includes everything that can change the server or user, and is stable`() throws {
    var known: [CacheKey: Int] = [:]
    // Also beside another option of the same kind, which is enough to tell it from a request without any.
    for isBeside in [false, true] {
      for (index, edit) in Self.edits.enumerated() {
        func make() throws -> CacheKey {
          try self.key { request in
            if isBeside {
              request.options.tls.revocationLists = "/9"
              request.options.network.dnsServers = ["9.9.9.9"]
            }
            edit(&request)
          }
        }
        let key = try make()
        #expect(known[key] == nil, "\(index) has the key of \(known[key] ?? -1)")
        known[key] = index
        #expect(try make() == key)
      }
    }
  }

  @Test func `headers that are not credentials do not change the key`() throws {
    let plain = try key { _ in }
    for name in [HTTPField.Name.accept, .userAgent, .cacheControl, .contentType, .acceptLanguage, .pragma, .referer] {
      #expect(try key { $0.headers[name] = "1" } == plain)
    }
  }

  @Test(arguments: [
    ("HTTP://u:p@HOST:80#f", "http://host/"), ("http://host:/a?B=%2f", "http://host/a?B=%2f"),
    ("http://host:443/", "http://host:443/"), ("https://host:443/", "https://host/"), ("https://host:80/", "https://host:80/"),
    ("http://b%C3%BCcher.test:81/", "http://xn--bcher-kva.test:81/"), ("http://[::1]:80/a", "http://[::1]/a"),
    ("http://host/a%2Fb", "http://host/a%2Fb"),
  ])
  func `equivalent spellings of a URL have the same key`(text: String, normalized: String) throws {
    #expect(Identity.normalized(try #require(URL(string: text))) == normalized)
  }

  @Test func `the index of a URL has the last four Vary fields`() {
    var index = VariantIndex()
    for number in 0..<10 {
      let isNew = index.insert(Vary(names: ["x-\(number)"]))
      #expect(isNew)
    }
    let isNew = index.insert(Vary(names: ["x-7"]))
    #expect(index.varies.map(\.names) == [["x-9"], ["x-8"], ["x-7"], ["x-6"]] && !isNew)
  }

  @Test func `every URL may be one of the invalidations that were forgotten long ago`() {
    let recent = RecentInvalidations()
    let moment = recent.count
    for number in 0..<64 { recent.insert("\(number)") }
    #expect(!recent.contains("other", since: moment) && recent.contains("0", since: moment))
    recent.insert("64")
    #expect(recent.contains("other", since: moment) && !recent.contains("other", since: moment + 1))
    #expect(!recent.contains("0", since: moment + 1) && recent.contains("64", since: moment + 64))
  }
}
